// What programs that ship may become computes what they mean: candidates from the whole space, each by the
// loop interpreter, which also finds races, divergent barriers, bad accesses and reads of unset memory.
//
// HOIST_SLOW=1 tries 500 candidates of each program, and at least one of each derivation, after as many macro
// rules as `hoist explore` takes; HOIST_SEED=n draws others.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "driver/inputs.hpp"
#include "exploration/shipped.hpp"
#include "interpret/compare.hpp"
#include "interpret/interpret.hpp"
#include "ir/print.hpp"
#include "loop/check.hpp"
#include "support/executed.hpp"

namespace hoist {
namespace {

using testing_support::Case;
using testing_support::is_slow;

constexpr std::uint64_t input_seed = 20261122;

/// Each program twice: at sizes with many divisors and at others.
const std::vector<Case>& all_cases() {
  static const std::vector<Case> all = {
      {"matmul_nn", {{"M", 16}, {"N", 32}, {"K", 24}}},
      {"matmul_nn", {{"M", 17}, {"N", 30}, {"K", 18}}},
      {"matmul_nt", {{"M", 24}, {"N", 16}, {"K", 32}}},
      {"matmul_nt", {{"M", 30}, {"N", 17}, {"K", 75}}},
      {"matmul_tn", {{"M", 32}, {"N", 16}, {"K", 16}}},
      {"matmul_tn", {{"M", 21}, {"N", 30}, {"K", 17}}},
      {"matmul_tt", {{"M", 16}, {"N", 24}, {"K", 32}}},
      {"matmul_tt", {{"M", 18}, {"N", 17}, {"K", 30}}},
      {"matmul_batched", {{"P", 2}, {"M", 8}, {"N", 16}, {"K", 8}}},
      {"matmul_batched", {{"P", 3}, {"M", 10}, {"N", 7}, {"K", 17}}},
      {"syrk", {{"N", 24}, {"K", 32}}},
      {"syrk", {{"N", 30}, {"K", 17}}},
      {"contraction_ij_ik_kj", {{"I", 16}, {"J", 32}, {"K", 16}}},
      {"contraction_ij_ik_kj", {{"I", 17}, {"J", 18}, {"K", 30}}},
      {"contraction_ijk_ilk_jl", {{"I", 4}, {"J", 8}, {"K", 16}, {"L", 16}}},
      {"contraction_ijk_ilk_jl", {{"I", 3}, {"J", 10}, {"K", 17}, {"L", 7}}},
      {"gemv", {{"M", 48}, {"N", 32}}},
      {"gemv", {{"M", 17}, {"N", 30}}},
      {"gemv_transposed", {{"M", 32}, {"N", 48}}},
      {"gemv_transposed", {{"M", 30}, {"N", 17}}},
      {"gemv_transposed", {{"M", 2176}, {"N", 10}}},
      {"gemv_transposed", {{"M", 2115}, {"N", 17}}},
      {"matmul_nn", {{"M", 8}, {"N", 16}, {"K", 2048}}},
      {"matmul_nn", {{"M", 7}, {"N", 10}, {"K", 2050}}},
      {"dot", {{"N", 192}}},
      {"dot", {{"N", 153}}},
      {"argmin", {{"N", 192}}},
      {"argmin", {{"N", 170}}},
      {"asum", {{"N", 256}}},
      {"asum", {{"N", 170}}},
      {"axpy", {{"N", 192}}},
      {"axpy", {{"N", 170}}},
      {"nbody", {{"N", 32}}},
      {"nbody", {{"N", 30}}},
      {"kmeans", {{"N", 48}, {"K", 8}, {"F", 16}}},
      {"kmeans", {{"N", 30}, {"K", 5}, {"F", 17}}},
      {"convolution2d", {{"H", 16}, {"W", 24}, {"R", 1}}},
      {"convolution2d", {{"H", 17}, {"W", 30}, {"R", 2}}},
      {"convolution2d_separable", {{"H", 16}, {"W", 24}, {"R", 2}}},
      {"convolution2d_separable", {{"H", 17}, {"W", 30}, {"R", 1}}},
      {"jacobi2d5", {{"H", 24}, {"W", 32}}},
      {"jacobi2d5", {{"H", 17}, {"W", 30}}},
      {"jacobi3d7", {{"D", 4}, {"H", 6}, {"W", 16}}},
      {"jacobi3d7", {{"D", 3}, {"H", 10}, {"W", 7}}},
      {"srad1", {{"H", 24}, {"W", 32}}},
      {"srad1", {{"H", 17}, {"W", 30}}},
      {"hotspot2d", {{"H", 8}, {"W", 24}}},
      {"hotspot2d", {{"H", 7}, {"W", 30}}},
      // Several nests.
      {"gemver", {{"N", 24}}},
      {"gemver", {{"N", 17}}},
      {"atax", {{"M", 24}, {"N", 32}}},
      {"atax", {{"M", 17}, {"N", 30}}},
      {"mvt", {{"N", 24}}},
      {"mvt", {{"N", 17}}},
      {"mriq", {{"N", 32}, {"K", 16}}},
      {"mriq", {{"N", 30}, {"K", 17}}},
      {"nrm2", {{"N", 1024}}},
      {"nrm2", {{"N", 1030}}},
      {"prefix_sum", {{"N", 1024}}},
      {"prefix_sum", {{"N", 1030}}},
      // Chains of stages, in tiles and with rolling buffers.
      {"imaging/harris", {{"H", 16}, {"W", 24}}},
      {"imaging/harris", {{"H", 17}, {"W", 11}}},
      {"imaging/gaussian_separable", {{"H", 16}, {"W", 24}, {"R", 2}}},
      {"imaging/gaussian_separable", {{"H", 17}, {"W", 11}, {"R", 1}}},
      {"imaging/unsharp", {{"H", 16}, {"W", 24}}},
      {"imaging/unsharp", {{"H", 17}, {"W", 11}}},
      {"imaging/stencil_chain", {{"H", 16}, {"W", 8}}},
      {"imaging/stencil_chain", {{"H", 17}, {"W", 11}}},
      {"polybench/jacobi2d", {{"N", 16}, {"T", 3}}},
      {"polybench/jacobi2d", {{"N", 17}, {"T", 2}}},
      {"polybench/mm3", {{"I", 8}, {"J", 12}, {"K", 16}, {"L", 8}, {"M", 4}}},
      {"polybench/mm3", {{"I", 7}, {"J", 9}, {"K", 11}, {"L", 8}, {"M", 5}}},
  };
  return all;
}

/// Ordinarily one of a program's two cases, of one program the first and of the next the second.
std::vector<Case> cases() {
  if (is_slow()) return all_cases();
  std::vector<Case> some;
  for (std::size_t at = 0; at < all_cases().size(); at += 2) some.push_back(all_cases()[at + at / 2 % 2]);
  return some;
}

std::uint64_t sample_seed() {
  const char* seed = std::getenv("HOIST_SEED");
  return seed != nullptr ? std::strtoull(seed, nullptr, 10) : 1;
}

/// As many of each derivation, as far as they go.
std::vector<variants::CandidateId> candidates(const variants::Variants& space) {
  constexpr std::size_t ordinary = 8, slow = 500;
  return space.sample(is_slow() ? std::max(slow, space.derivations()) : ordinary, sample_seed());
}

/// How candidates fared.
struct Tally {
  std::size_t run = 0, wrong = 0;
  std::map<std::string, std::size_t> discarded;
};

class Soundness : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    shipped = testing_support::shipped(GetParam().program, GetParam().sizes);
    auto made = driver::random_inputs(shipped.sized, {}, input_seed, shipped.ranges);
    ASSERT_TRUE(made) << made.error().render();
    inputs = *made;
    interpret::Counts counts;
    auto evaluated = interpret::evaluate(shipped.sized, inputs, {}, {}, &counts);
    ASSERT_TRUE(evaluated) << evaluated.error().render();
    expected = *evaluated;
    bound = interpret::error_bound(shipped.sized, {}, &counts);
  }

  /// What is wrong with a candidate; empty if nothing is.
  std::string fault_of(const variants::Candidate& candidate) const {
    if (auto checked = loop::check(*candidate.plan); !checked) return checked.error().render();
    auto executed = testing_support::execute(*candidate.plan, candidate.low.result(), inputs);
    if (!executed) return executed.error().render();
    std::string fault;
    for (const std::string& each : executed->report.faults) fault += each + "\n";
    const auto comparison = interpret::compare(expected, executed->outputs, bound);
    if (!comparison) return fault + comparison.error().render();
    if (!comparison->agrees()) fault += interpret::to_string(*comparison) + "\n";
    return fault;
  }

  /// Enough to meet it again.
  std::string described(const variants::Variants& space, const variants::Candidate& candidate) const {
    std::string text = "candidate " + to_string(candidate.id) + ":";
    for (const auto& [name, value] : candidate.values) text += fmt::format(" {}={}", name, value);
    text += "\n";
    for (const rewrite::Step& step : space.steps(candidate.id)) text += "  " + step.rule + "\n";
    return text + ir::to_string(candidate.low) + "\n";
  }

  ir::Arena arena;
  testing_support::Shipped shipped;
  std::vector<Data> inputs;
  Data expected;
  interpret::ErrorBound bound;
};

TEST_P(Soundness, OfCandidates) {
  constexpr std::size_t ordinary_steps = 2;
  const auto options =
      testing_support::small_groups(is_slow() ? variants::DerivationBounds{}.steps : ordinary_steps);
  const auto explored = variants::explore(shipped.sized, options);
  ASSERT_TRUE(explored) << explored.error().render();
  const auto& space = *explored;
  ASSERT_GT(space->count(), 0U) << space->emptied_by();
  Tally tally;
  for (const variants::CandidateId& id : candidates(*space)) {
    const ir::Arena of_this_candidate;
    const variants::Candidate candidate = space->make(id, {});
    if (!candidate.discarded.empty()) {
      ++tally.discarded[candidate.reason == "not compiled" ? candidate.discarded : candidate.reason];
      continue;
    }
    ++tally.run;
    if (const std::string fault = fault_of(candidate); !fault.empty()) {
      ++tally.wrong;
      ADD_FAILURE() << fault << described(*space, candidate);
    }
  }
  std::string summary = fmt::format("{} derivations, {} points; {} candidates run, {} wrong",
                                    space->derivations(), space->count(), tally.run, tally.wrong);
  for (const auto& [reason, count] : tally.discarded)
    summary += fmt::format("; {} discarded: {}", count, reason);
  if (is_slow()) std::cout << summary << "\n";
  // A sample that is discarded tests nothing.
  EXPECT_GT(tally.run, 0U) << summary;
}

INSTANTIATE_TEST_SUITE_P(Shipped, Soundness, testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<Case>& each) { return name_of(each.param); });

}  // namespace
}  // namespace hoist
