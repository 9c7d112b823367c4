// The loops of the programs of the data (hoist dev workload), contractions and stencils, in other orders,
// with other jams and other lanes (the derivations orderLoops), compute what the programs mean: each
// candidate by the loop interpreter, which also finds bad accesses and reads of unset memory. Integers are
// compared bit by bit.
//
// Ordinarily a few candidates of each program are drawn. HOIST_SLOW=1 takes every one at loops that are as
// short as they can be, of which contractions of six indices have 70,000 to 160,000; those that differ in
// loops that go round once are one kernel, which runs once. At longer loops it takes a sample.
// HOIST_SEED=n draws others. tests/exploration/variants.py has compilers build them.
#include <gtest/gtest.h>

#include <iostream>
#include <numeric>
#include <set>
#include <unordered_set>

#include "driver/inputs.hpp"
#include "exploration/shipped.hpp"
#include "interpret/compare.hpp"
#include "interpret/interpret.hpp"
#include "loop/check.hpp"
#include "loop/print.hpp"
#include "support/executed.hpp"
#include "target/kinds.hpp"
#include "target/restricted.hpp"
#include "workloads/contraction.hpp"
#include "workloads/stencil.hpp"

namespace hoist {
namespace {

using testing_support::is_slow;

constexpr std::uint64_t input_seed = 20261124;
constexpr std::uint64_t training_seed = 1;  // that of `hoist dev workload`

std::uint64_t sample_seed() {
  const char* seed = std::getenv("HOIST_SEED");
  return seed != nullptr ? std::strtoull(seed, nullptr, 10) : 1;
}

std::vector<std::string> workload_names() {
  std::vector<std::string> all;
  for (const std::string_view each : workloads::ccsd_contractions()) all.emplace_back(each);
  for (const auto& each : workloads::training_contractions(training_seed))
    all.push_back(workloads::to_string(each));
  for (const workloads::Stencil& each : workloads::stencils()) all.emplace_back(each.name);
  return all;
}

bool is_contraction(const std::string& name) { return name.find('-') != std::string::npos; }

std::string text_of(const std::string& name, Scalar type) {
  // The generators know floating-point numbers; a contraction means the same of integers.
  const Scalar known = type == Scalar::F64 ? type : Scalar::F32;
  if (!is_contraction(name)) return workloads::program_of(workloads::stencil_named(name).value(), known);
  std::string text = workloads::program_of(workloads::contraction_named(name).value(), known);
  for (std::size_t at = 0; type == Scalar::I32 && (at = text.find("f32", at)) != std::string::npos;)
    text.replace(at, 3, "i32");
  return text;
}

/// The iterations of loops along which an array is contiguous, and of others.
struct Lengths {
  std::int64_t contiguous = 4, other = 2;
};

driver::NamedSizes sizes_of(const std::string& name, const Lengths& lengths) {
  if (!is_contraction(name)) {
    driver::NamedSizes sizes{{"H", lengths.other}, {"W", lengths.contiguous}};
    if (workloads::stencil_named(name).value().dimensions == 3) sizes.emplace_back("D", lengths.other);
    return sizes;
  }
  const auto contraction = workloads::contraction_named(name).value();
  driver::NamedSizes sizes;
  for (const char index : contraction.indices()) {
    const bool is_contiguous = contraction.result.back() == index || contraction.left.back() == index ||
                               contraction.right.back() == index;
    sizes.emplace_back(std::string(1, static_cast<char>(index - 'a' + 'A')),
                       is_contiguous ? lengths.contiguous : lengths.other);
  }
  return sizes;
}

/// What became of a program's candidates.
struct Tally {
  std::uint64_t candidates = 0;
  std::size_t run = 0, alike = 0;
  std::map<std::string, std::size_t> discarded;
};

/// The loops that the derivation orderLoops(lanes, width, lengths...) leaves with some values of its
/// parameters: how many iterations of each a body has, and the order of those that go round more than once.
/// Candidates that are alike in this are one kernel.
std::vector<std::int64_t> loops_left(const std::string& step, const driver::NamedSizes& values) {
  std::vector<std::int64_t> numbers;
  for (std::size_t at = step.find('('); at != std::string::npos && step[at] != ')';
       at = step.find_first_of(",)", at + 1))
    numbers.push_back(std::stoll(step.substr(at + 1)));
  const std::map<std::string, std::int64_t> by_name(values.begin(), values.end());
  const auto value = [&](const std::string& name, std::size_t number) {
    return by_name.at(number == 1 ? name : fmt::format("{}{}", name, number));
  };
  const std::vector<std::int64_t> lengths(numbers.begin() + 2, numbers.end());
  std::vector<std::int64_t> key, rounds;
  std::size_t jams = 0;
  for (std::size_t l = 0; l < lengths.size(); ++l) {
    const std::int64_t iterations =
        static_cast<std::int64_t>(l) + 1 == numbers[0] ? lengths[l] / numbers[1] : lengths[l];
    key.push_back(iterations == 1 ? 1 : value("jam", ++jams));
    rounds.push_back(iterations / key.back());
  }
  std::vector<std::size_t> left(lengths.size());
  std::iota(left.begin(), left.end(), 0U);
  for (std::size_t place = 1; !left.empty(); ++place) {
    const auto next = left.begin() + (left.size() == 1 ? 0 : value("at", place) - 1);
    if (rounds[*next] > 1) key.push_back(static_cast<std::int64_t>(*next));
    left.erase(next);
  }
  return key;
}

/// A program at some sizes, with inputs and what it computes of them. Lives in an arena.
class Workload {
 public:
  Workload(const std::string& name, Scalar type, const Lengths& lengths) : what_(text_of(name, type)) {
    const driver::NamedSizes sizes = sizes_of(name, lengths);
    for (const auto& [size, value] : sizes) what_ += fmt::format("{}={} ", size, value);
    program_ = driver::with_sizes(testing_support::program_of(text_of(name, type)), sizes).value();
    inputs_ = driver::random_inputs(program_, {}, input_seed).value();
    interpret::Counts counts;
    expected_ = interpret::evaluate(program_, inputs_, {}, {}, &counts).value();
    bound_ = interpret::error_bound(program_, {}, &counts);
    variants::ExplorationOptions options;
    options.target =
        target::with_instruction_set(target::usual_device(target::Language::Host, target::Type::Cpu),
                                     *target::instruction_set_named("sse4.2"));
    lowering_ = driver::options_for(options.target);
    space_ = variants::explore(program_, options).value();
  }

  /// Every candidate, or of more than so many a sample.
  Tally run(std::uint64_t most) {
    Tally tally;
    std::vector<variants::DerivationSummary> derivations;
    for (const variants::DerivationSummary& each : space_->derivation_summaries()) {
      if (each.steps.empty() || !each.steps.front().starts_with("orderLoops(")) continue;
      tally.candidates += each.points;
      derivations.push_back(each);
    }
    Random random(sample_seed());
    for (const variants::DerivationSummary& each : derivations) {
      const bool are_all = tally.candidates <= most;
      const std::uint64_t count =
          are_all ? each.points : std::max<std::uint64_t>(1, most / derivations.size());
      std::set<std::vector<std::int64_t>> loops;
      for (std::uint64_t i = 0; i < count && !testing::Test::HasFailure(); ++i) {
        const variants::CandidateId id{each.number, are_all ? i : random.below(each.points)};
        const bool is_new = loops.insert(loops_left(each.steps.front(), space_->named_values(id))).second;
        if (!is_new) ++tally.alike;
        if (is_new || random.below(looked_at) == 0) run(id, is_new, tally);
      }
    }
    return tally;
  }

 private:
  /// Of so many candidates that are like others one is made, to see that it is.
  static constexpr std::uint64_t looked_at = 100;

  void run(const variants::CandidateId& id, bool is_new, Tally& tally) {
    const ir::Arena of_this_candidate;
    const variants::Candidate candidate = space_->make(id, lowering_);
    if (!candidate.discarded.empty()) {
      ++tally.discarded[candidate.reason == "not compiled" ? candidate.discarded : candidate.reason];
      return;
    }
    const std::string plan = loop::to_string(*candidate.plan);
    if (!met_.insert(std::hash<std::string>()(plan)).second) return;
    EXPECT_TRUE(is_new) << "unlike the candidates of the same loops: " << to_string(id) << "\n" << plan;
    ++tally.run;
    const std::string fault = fault_of(candidate);
    EXPECT_EQ(fault, "") << what_ << "\ncandidate " << to_string(id) << "\n"
                         << space_->steps(id).front().rule << "\n"
                         << plan;
  }

  std::string fault_of(const variants::Candidate& candidate) const {
    if (auto checked = loop::check(*candidate.plan); !checked) return checked.error().render();
    auto executed = testing_support::execute(*candidate.plan, candidate.low.result(), inputs_);
    if (!executed) return executed.error().render();
    std::string fault;
    for (const std::string& each : executed->report.faults) fault += each + "\n";
    const auto comparison = interpret::compare(expected_, executed->outputs, bound_);
    if (!comparison) return fault + comparison.error().render();
    return comparison->agrees() ? fault : fault + interpret::to_string(*comparison);
  }

  std::string what_;
  ir::Program program_;
  std::vector<Data> inputs_;
  Data expected_;
  interpret::ErrorBound bound_;
  lower::Options lowering_;
  std::unique_ptr<const variants::Variants> space_;
  std::unordered_set<std::size_t> met_;  ///< plans, by their texts' hashes
};

class Workloads : public testing::TestWithParam<std::string> {
 protected:
  static void expect_right(Scalar type, const Lengths& lengths, std::uint64_t most) {
    const ir::Arena arena;
    const Tally tally = Workload(GetParam(), type, lengths).run(most);
    // A sample that is discarded tests nothing.
    EXPECT_GT(tally.run, 0U);
    if (!is_slow()) return;
    std::cout << fmt::format(
        "{} of {}, loops of {} and {}: {} candidates, {} like others by their loops, {} kernels", GetParam(),
        name_of(type), lengths.contiguous, lengths.other, tally.candidates, tally.alike, tally.run);
    for (const auto& [reason, count] : tally.discarded)
      std::cout << fmt::format("; {} discarded: {}", count, reason);
    std::cout << std::endl;
  }
};

TEST_P(Workloads, InEveryOrder) {
  constexpr std::uint64_t ordinary = 6, sample = 500, all = 1'000'000;
  expect_right(Scalar::F32, {4, 2}, is_slow() ? all : ordinary);
  expect_right(Scalar::F64, {2, 2}, is_slow() ? all : ordinary);
  expect_right(Scalar::F64, {8, 3}, is_slow() ? sample : ordinary);
  if (is_contraction(GetParam())) expect_right(Scalar::I32, {8, 6}, is_slow() ? sample : ordinary);
}

std::string test_name(const testing::TestParamInfo<std::string>& each) {
  std::string name = each.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(OfTheData, Workloads, testing::ValuesIn(workload_names()), test_name);

}  // namespace
}  // namespace hoist
