// Features that count what kernels do, against what the loop interpreter observes: candidates from the whole
// space of programs that ship, at small sizes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iostream>

#include "driver/inputs.hpp"
#include "exploration/shipped.hpp"
#include "features/features.hpp"
#include "ir/print.hpp"
#include "support/executed.hpp"
#include "unit/features/observed.hpp"

namespace hoist::features {
namespace {

using testing_support::Case;

constexpr std::uint64_t seed = 20261122;

const Case cases[] = {
    {"matmul_nn", {{"M", 16}, {"N", 32}, {"K", 24}}},
    {"matmul_nn", {{"M", 17}, {"N", 30}, {"K", 18}}},
    {"matmul_tn", {{"M", 32}, {"N", 16}, {"K", 16}}},
    {"gemv", {{"M", 48}, {"N", 32}}},
    {"dot", {{"N", 153}}},
    {"axpy", {{"N", 170}}},
    {"nbody", {{"N", 30}}},
    {"convolution2d", {{"H", 17}, {"W", 30}, {"R", 2}}},
    {"jacobi2d5", {{"H", 24}, {"W", 32}}},
    {"jacobi2d5", {{"H", 17}, {"W", 30}}},
    {"jacobi3d7", {{"D", 8}, {"H", 8}, {"W", 32}}},
    {"srad1", {{"H", 17}, {"W", 30}}},
    {"hotspot2d", {{"H", 8}, {"W", 24}}},
};

class Exact : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    shipped = testing_support::shipped(GetParam().program, GetParam().sizes);
    auto made = driver::random_inputs(shipped.sized, {}, seed, shipped.ranges);
    ASSERT_TRUE(made) << made.error().render();
    inputs = *made;
  }

  double feature(const std::vector<double>& values, std::string_view name) const {
    const std::vector<Definition>& features = schema(target.machine.processor).features;
    for (std::size_t i = 0; i < features.size(); ++i) {
      if (features[i].name == name) return values[i];
    }
    throw std::runtime_error("no feature " + std::string(name));
  }

  /// Lines and passes over banks.
  void expect_warps(const std::vector<double>& values, const testing_support::Counter& counter,
                    const std::string& id) const;

  ir::Arena arena;
  testing_support::Shipped shipped;
  std::vector<Data> inputs;
  target::Target target;
};

/// What is counted of a plan by both.
std::map<std::string_view, double> observed_of(const testing_support::Counter& counter,
                                               const loop::Counts& counts) {
  std::map<std::string_view, double> all = {{"global_loads", counter.loads[0]},
                                            {"global_stores", counter.stores[0]},
                                            {"local_loads", counter.loads[1]},
                                            {"local_stores", counter.stores[1]},
                                            {"private_loads", counter.loads[2]},
                                            {"private_stores", counter.stores[2]},
                                            {"global_load_bytes", counter.load_bytes[0]},
                                            {"global_store_bytes", counter.store_bytes[0]},
                                            {"local_load_bytes", counter.load_bytes[1]},
                                            {"local_store_bytes", counter.store_bytes[1]},
                                            {"barriers", counter.barriers},
                                            {"ifs", static_cast<double>(counts.branches)},
                                            {"loop_bodies", static_cast<double>(counts.loop_iterations)},
                                            {"f64_operations", counter.f64_operations}};
  const std::pair<OperationKind, std::string_view> kinds[] = {
      {OperationKind::FloatAdd, "float_add"},       {OperationKind::FloatMultiply, "float_multiply"},
      {OperationKind::FloatFused, "float_fused"},   {OperationKind::FloatSimple, "float_simple"},
      {OperationKind::FloatDivide, "float_divide"}, {OperationKind::FloatSpecial, "float_special"},
      {OperationKind::Integer, "integer"},          {OperationKind::IntegerDivide, "integer_divide"},
      {OperationKind::Compare, "compare"},          {OperationKind::Select, "select"}};
  for (const auto& [kind, name] : kinds) {
    const auto found = counter.operations.find(kind);
    all[name] = found == counter.operations.end() ? 0 : found->second;
  }
  return all;
}

/// Whether an index of the program is clamped at edges, or a guard lets some work-items of a warp out: then
/// the common case stands for all.
bool has_edges(const std::string& program) {
  return program.starts_with("jacobi") || program.starts_with("convolution") || program.starts_with("srad") ||
         program.starts_with("hotspot");
}

/// Whether tiles stick out: at these sizes the last of two or three, whose warps are no common case.
bool has_guarded_tiles(const rewrite::Trace& steps) {
  return std::any_of(steps.begin(), steps.end(), [](const rewrite::Step& step) {
    return step.rule.find("Guarded") != std::string::npos;
  });
}

void Exact::expect_warps(const std::vector<double>& values, const testing_support::Counter& counter,
                         const std::string& id) const {
  const double items = feature(values, "work_items");
  const double passes = (feature(values, "load_passes") + feature(values, "store_passes")) * items;
  const double lines = feature(values, "lines_per_access");
  const double observed = counter.accesses > 0 ? counter.lines / counter.accesses : 0;
  if (!has_edges(GetParam().program)) {
    EXPECT_NEAR(passes, counter.load_passes + counter.store_passes, 1e-6 * (1 + passes))
        << "passes of " << id;
    EXPECT_NEAR(lines, observed, 1e-9) << "lines of " << id;
    return;
  }
  // At these sizes a tenth or more of all work-items are at an edge.
  constexpr double most = 0.25;
  EXPECT_NEAR(passes, counter.load_passes + counter.store_passes, most * passes) << "passes of " << id;
  EXPECT_NEAR(lines, observed, most * observed) << "lines of " << id;
}

TEST_P(Exact, CountsOfCandidates) {
  const auto space = variants::Exploration::of(shipped.sized, testing_support::small_groups(3));
  ASSERT_TRUE(space) << space.error().render();
  std::size_t looked_at = 0;
  for (const variants::CandidateId& id : space->sample(testing_support::is_slow() ? 400 : 25, 7)) {
    const ir::Arena of_this_candidate;
    const variants::Candidate candidate = space->make(id, {});
    if (!candidate.discarded.empty()) continue;
    testing_support::Counter counter(target.machine);
    const auto executed =
        testing_support::execute(*candidate.plan, candidate.low.result(), inputs, {}, &counter);
    ASSERT_TRUE(executed) << executed.error().render();
    const std::vector<double> values = features_of(*candidate.plan, target);
    const double items = feature(values, "work_items");
    if (feature(values, "estimated") > 0) continue;
    ++looked_at;
    for (const auto& [name, expected] : observed_of(counter, executed->report.counts)) {
      EXPECT_NEAR(feature(values, name) * items, expected, 1e-6 * (1 + expected))
          << name << " of candidate " << to_string(id) << "\n";
    }
    if (!has_guarded_tiles(space->steps(id))) expect_warps(values, counter, to_string(id));
  }
  EXPECT_GT(looked_at, 0U);
}

INSTANTIATE_TEST_SUITE_P(Shipped, Exact, testing::ValuesIn(cases),
                         [](const testing::TestParamInfo<Case>& each) { return name_of(each.param); });

}  // namespace
}  // namespace hoist::features
