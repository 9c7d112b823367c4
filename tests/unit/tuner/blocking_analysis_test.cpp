// Blocked nests as analysis expects them: their sizes by name, what it prefers, and that what it names
// computes the same as the program, on random contractions.
#include "tuner/blocking_analysis.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/need.hpp"
#include "base/random.hpp"
#include "driver/inputs.hpp"
#include "interpret/compare.hpp"
#include "interpret/interpret.hpp"
#include "ir/print.hpp"
#include "loop/print.hpp"
#include "rewrite/strategies/catalogue.hpp"
#include "support/executed.hpp"
#include "target/kinds.hpp"
#include "variants/alternatives.hpp"
#include "workloads/contraction.hpp"

namespace hoist::tuner {
namespace {

using rewrite::BlockedSize;

class Blocking : public testing::Test {
 protected:
  /// Whose first-level cache holds next to nothing, so that small nests are blocked.
  static target::Target processor() {
    target::Target target = target::any_device(target::Language::Host);
    target.caches = {32 << 10, 1 << 20, 32 << 20};
    target.local_memory = 1 << 20;
    target.preferred_f32_vector = 8;
    target.compute_units = 2;
    target = target::completed(target);
    target.machine.l1_bytes = 64;
    return target;
  }
  static std::unique_ptr<const variants::Variants> explored(const ir::Program& sized,
                                                            const target::Target& target) {
    variants::ExplorationOptions options;
    options.target = target;
    return need(variants::explore(sized, options));
  }
  static ir::Program product(std::int64_t rows, std::int64_t columns, std::int64_t depth) {
    const std::string text = fmt::format(
        "def p(a: [{0}][{2}]f32, b: [{2}][{1}]f32): [{0}][{1}]f32 =\n"
        "  a |> map(row => transpose(b) |> map(column => zip(row, column) |> map(*) |> reduce(+, 0.0)))",
        rows, columns, depth);
    return testing_support::program_of(text);
  }
  static std::int64_t value(const driver::NamedSizes& values, const std::string& name) {
    const auto found = std::ranges::find(values, name, [](const auto& each) { return each.first; });
    return found == values.end() ? 0 : found->second;
  }

  ir::Arena arena_;
};

TEST_F(Blocking, HasTheParametersThatTheStepLeavesOpen) {
  const target::Target target = processor();
  for (const ir::Program& sized : {product(64, 96, 80), product(64, 96, 20)}) {
    const auto variants = explored(sized, target);
    bool is_blocked = false;
    for (const variants::DerivationSummary& each : variants->derivation_summaries()) {
      const auto blocking = rewrite::blocking_from_text(each.steps.front());
      if (!blocking) continue;
      is_blocked = true;
      std::vector<std::string> names, expected;
      for (const BlockedSize& size : rewrite::open_sizes(*blocking, 2)) names.push_back(size.name);
      for (const auto& [name, number] : variants->named_values({each.number, 0})) expected.push_back(name);
      EXPECT_THAT(names, testing::UnorderedElementsAreArray(expected));
      EXPECT_EQ(blocking->rows_operand.along, 3U);
      EXPECT_EQ(blocking->lanes_operand.along, 2U);
    }
    EXPECT_TRUE(is_blocked);
  }
}

TEST_F(Blocking, FillsRegistersAndCaches) {
  const target::Target target = processor();
  const auto variants = explored(product(2048, 2048, 2048), target);
  const BlockingAnalysis analysis(*variants, target);
  ASSERT_TRUE(analysis.has_blocked());
  const auto fastest = analysis.fastest(5);
  ASSERT_EQ(fastest.size(), 5U);
  EXPECT_TRUE(std::ranges::is_sorted(fastest, {}, &BlockingAnalysis::Estimate::seconds));
  EXPECT_EQ(analysis.seconds(fastest.front().id), fastest.front().seconds);
  EXPECT_GT(fastest.front().useful, 0.95);
  const driver::NamedSizes values = variants->named_values(fastest.front().id);
  EXPECT_GE(value(values, "rows") * value(values, "vectors"), 16);
  EXPECT_GE(value(values, "b4"), 128);
  // Both threads have something to do.
  const std::int64_t rows = value(values, "rows") * value(values, "b") * value(values, "b2");
  const std::int64_t columns = 8 * value(values, "vectors") * value(values, "b3");
  EXPECT_GE(((2048 + rows - 1) / rows) * ((2048 + columns - 1) / columns), 2);
}

TEST_F(Blocking, TellsWhatEdgesWaste) {
  const target::Target target = processor();
  const auto variants = explored(product(500, 17, 500), target);
  const auto fastest = BlockingAnalysis(*variants, target).fastest(1);
  ASSERT_FALSE(fastest.empty());
  EXPECT_LT(fastest.front().useful, 0.8);  // 17 of 24
}

TEST_F(Blocking, ComputesWhatTheProgramSays) {
  constexpr int rounds = 60;
  const target::Target target = processor();
  Random random(20261125);
  const std::vector<std::int64_t> lengths{2, 3, 5, 8, 13, 16, 17, 33};
  const auto names = workloads::ccsd_contractions();
  int run = 0, squares = 0;
  for (int round = 0; round < rounds && !HasFailure(); ++round) {
    const ir::Arena of_this_round;
    const auto contraction = workloads::contraction_named(names[random.below(names.size())]).value();
    const Scalar scalar = random.below(2) == 0 ? Scalar::F32 : Scalar::F64;
    const ir::Program program = testing_support::program_of(workloads::program_of(contraction, scalar));
    driver::NamedSizes sizes;
    std::int64_t all = 1;
    for (const arith::Expr& size : program.sizes) {
      std::int64_t length = lengths[random.below(lengths.size())];
      constexpr std::int64_t most = 40000;
      if (all * length > most) length = 2;
      all *= length;
      sizes.emplace_back(arith::to_string(size), length);
    }
    const ir::Program sized = driver::with_sizes(program, sizes).value();
    const auto variants = explored(sized, target);
    const BlockingAnalysis analysis(*variants, target);
    if (!analysis.has_blocked()) continue;
    const auto inputs = driver::random_inputs(sized, {}, 7).value();
    interpret::Counts counts;
    const Data expected = interpret::evaluate(sized, inputs, {}, {}, &counts).value();
    std::vector<BlockingAnalysis::Estimate> chosen = analysis.fastest(40);
    random.shuffle(chosen);
    chosen.resize(std::min<std::size_t>(chosen.size(), 3));
    for (const BlockingAnalysis::Estimate& each : chosen) {
      const variants::Candidate candidate = variants->make(each.id, driver::options_for(target));
      if (!candidate.plan) continue;
      const std::string what =
          fmt::format("round {}, {}\n{}", round, to_string(each.id), ir::to_string(candidate.low));
      const auto executed = testing_support::execute(*candidate.plan, candidate.low.result(), inputs);
      ASSERT_TRUE(executed) << executed.error().render() << what;
      for (const std::string& fault : executed->report.faults) ADD_FAILURE() << fault << "\n" << what;
      const auto comparison =
          interpret::compare(expected, executed->outputs, interpret::error_bound(sized, {}, &counts));
      ASSERT_TRUE(comparison) << comparison.error().render();
      EXPECT_TRUE(comparison->agrees()) << interpret::to_string(*comparison) << "\n" << what;
      ++run;
      squares += loop::to_string(*candidate.plan).find(".s1, ") != std::string::npos ? 1 : 0;
    }
  }
  EXPECT_GT(run, 60);
  EXPECT_GT(squares, 10);
}

}  // namespace
}  // namespace hoist::tuner
