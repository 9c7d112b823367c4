#include "execute/launch_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/executed.hpp"

namespace hoist::execute {
namespace {

Result<LaunchPlan> planned(const std::string& text, const driver::NamedSizes& sizes) {
  auto sized = driver::with_sizes(testing_support::program_of(text), sizes);
  if (!sized) return tl::unexpected(sized.error());
  auto compiled = driver::compile(*sized);
  if (!compiled) return tl::unexpected(compiled.error());
  return launch_plan(compiled->plan);
}

TEST(LaunchPlan, OutlivesTheArena) {
  std::optional<LaunchPlan> plan;
  {
    ir::Arena arena;
    plan = planned("def f(a: f32, x: [N]f32): [N]f32 = x |> iterate(3, map(e => a * e))\n", {{"N", 100}})
               .value();
  }
  ASSERT_EQ(plan->inputs.size(), 2U);
  EXPECT_FALSE(plan->inputs[0].is_array);
  EXPECT_EQ(plan->scalars.at(plan->inputs[0].index).name, "a");
  EXPECT_EQ(plan->arrays.at(plan->inputs[1].index).bytes(), 400U);
  EXPECT_FALSE(plan->faults);
  for (const LaunchPlan::Kernel& kernel : plan->kernels) {
    EXPECT_EQ(kernel.range.global[0] % kernel.range.local[0], 0U) << kernel.name;
  }
}

TEST(LaunchPlan, GivesInputsAndOutputsMemoryOfTheirOwn) {
  ir::Arena arena;
  const LaunchPlan plan =
      planned("def f(x: [N]f32): ([N]f32, f32) = (scan(+, 0.0, x), reduce(+, 0.0, scan(+, 0.0, x)))\n",
              {{"N", 4096}})
          .value();
  std::set<std::size_t> own;
  for (const LaunchPlan::Input& input : plan.inputs) own.insert(plan.arrays[input.index].memory);
  for (std::size_t output : plan.outputs) own.insert(plan.arrays[output].memory);
  EXPECT_EQ(own.size(), 3U);
  EXPECT_EQ(*own.rbegin(), 2U) << "they come first";
  for (std::size_t array = 3; array < plan.arrays.size(); ++array) {
    EXPECT_GE(plan.arrays[array].memory, 3U);
    EXPECT_GE(plan.memory[plan.arrays[array].memory], plan.arrays[array].bytes());
  }
}

TEST(LaunchPlan, KnowsHowOftenWhereASizeSaysIt) {
  ir::Arena arena;
  const LaunchPlan plan =
      planned("def f(x: [N]f32): [N]f32 = x |> iterate(N, (k, v) => v |> map(e => e + v[k]))", {{"N", 100}})
          .value();
  const auto repeat = std::find_if(plan.tasks.begin(), plan.tasks.end(), [](const LaunchPlan::Task& task) {
    return std::holds_alternative<LaunchPlan::Repeat>(task.node);
  });
  ASSERT_NE(repeat, plan.tasks.end());
  EXPECT_EQ(std::get<LaunchPlan::Repeat>(repeat->node).count, 100);
  EXPECT_FALSE(std::get<LaunchPlan::Repeat>(repeat->node).count_from);
  EXPECT_FALSE(plan.faults) << "k is an index of v";
}

// After an odd number of rounds the one lies in the other's memory: neither may be taken while either is
// read.
TEST(LaunchPlan, ExchangedArraysKeepTheirMemoryWhileEitherIsUsed) {
  ir::Arena arena;
  const LaunchPlan plan = planned(
                              "def f(x: [N]f32) = x |> iterate(3, v => v |> pad(1, 1, clamp) |> slide(3, 1) "
                              "|> map(w => w[0] + w[2]))\n"
                              "  |> scan((a, b) => a * 0.5 + b, 0.0) |> reverse |> map(e => e * 0.5)\n",
                              {{"N", 4096}})
                              .value();
  std::vector<std::pair<std::size_t, std::size_t>> exchanged;
  for (const LaunchPlan::Task& task : plan.tasks) {
    if (auto* repeat = std::get_if<LaunchPlan::Repeat>(&task.node)) exchanged = repeat->exchanged;
  }
  ASSERT_EQ(exchanged.size(), 1U);
  const auto [first, second] = exchanged[0];
  for (std::size_t array = 0; array < plan.arrays.size(); ++array) {
    if (array == first || array == second) continue;
    const std::size_t memory = plan.arrays[array].memory;
    EXPECT_NE(memory, plan.arrays[first].memory) << plan.arrays[array].name;
    EXPECT_NE(memory, plan.arrays[second].memory) << plan.arrays[array].name;
  }
}

TEST(LaunchPlan, KnowsWhatARepetitionReadsAndTells) {
  ir::Arena arena;
  const LaunchPlan plan =
      planned(
          "def f(x: [N]i32, m: i32): ([N]i32, i32) =\n"
          "  (x, 0) |> iterateWhile((v, s) => s < 9, m, (i, (v, s)) => (v |> reverse, s + v[i]))\n",
          {{"N", 8}})
          .value();
  const auto found = std::find_if(plan.tasks.begin(), plan.tasks.end(), [](const LaunchPlan::Task& task) {
    return std::holds_alternative<LaunchPlan::Repeat>(task.node);
  });
  ASSERT_NE(found, plan.tasks.end());
  const auto& repeat = std::get<LaunchPlan::Repeat>(found->node);
  EXPECT_EQ(plan.arrays.at(*repeat.count_from).bytes(), 4U);
  EXPECT_EQ(plan.arrays.at(*repeat.condition).bytes(), 1U);
  EXPECT_EQ(plan.scalars.at(*repeat.number).type, Scalar::I32);
  EXPECT_FALSE(repeat.test.empty());
  EXPECT_EQ(repeat.exchanged.size(), 2U);
}

// Steps that differ in their length only, as the diagonals of an alignment do, are one kernel that is told
// its number.
TEST(LaunchPlan, LengthsThatGrowByTheStepNeedNoKernelForEach) {
  ir::Arena arena;
  const LaunchPlan plan = planned(
                              "def f(x: [N]f32): [N + 128]f32 = x |> iterate(128, (v: [k]f32) => concat(v |> "
                              "map(e => e * 0.5), v |> take(1)))\n",
                              {{"N", 8}})
                              .value();
  EXPECT_LE(plan.kernels.size(), 3U);
}

TEST(LaunchPlan, NamesTheArrayOfFaults) {
  ir::Arena arena;
  const LaunchPlan plan =
      planned("def f(x: [N]f32, i: [N]i32): [N]f32 = i |> map(e => x[e])\n", {{"N", 8}}).value();
  ASSERT_TRUE(plan.faults);
  EXPECT_EQ(plan.arrays[*plan.faults].bytes(), 4U);
}

template <class Node>
std::vector<std::size_t> places_of(const LaunchPlan& plan) {
  std::vector<std::size_t> places;
  for (std::size_t task = 0; task < plan.tasks.size(); ++task) {
    if (std::holds_alternative<Node>(plan.tasks[task].node)) places.push_back(task);
  }
  return places;
}

TEST(LaunchPlan, IsAGraphFromUploadsToDownloads) {
  ir::Arena arena;
  const LaunchPlan plan = planned(
                              "def f(x: [N]f32, y: [N]f32): ([N]f32, [N]f32) =\n"
                              "  (x |> scan(+, 0.0) |> reverse |> scan(max, 0.0), y |> scan(+, 0.0))\n",
                              {{"N", 4096}})
                              .value();
  // x is there before its scan, y need not be before its own.
  ASSERT_EQ(places_of<LaunchPlan::Upload>(plan).size(), 2U);
  ASSERT_EQ(places_of<LaunchPlan::Download>(plan).size(), 2U);
  EXPECT_GT(places_of<LaunchPlan::Upload>(plan)[1], places_of<LaunchPlan::Launch>(plan)[0]);
  EXPECT_LT(places_of<LaunchPlan::Download>(plan)[0], places_of<LaunchPlan::Launch>(plan).back());
  // Every task waits for earlier ones only; what belongs to y waits for nothing of x.
  std::vector<std::set<std::size_t>> roots(plan.tasks.size());
  for (std::size_t task = 0; task < plan.tasks.size(); ++task) {
    if (auto* upload = std::get_if<LaunchPlan::Upload>(&plan.tasks[task].node)) roots[task] = {upload->input};
    for (std::size_t earlier : plan.tasks[task].after) {
      ASSERT_LT(earlier, task);
      roots[task].insert(roots[earlier].begin(), roots[earlier].end());
    }
    EXPECT_EQ(roots[task].size(), 1U) << "task " << task;
  }
}

TEST(LaunchPlan, MemoryIsSharedByTasksThatAreInOrderOnly) {
  ir::Arena arena;
  const auto memory_of = [](const std::string& text) {
    return planned(text, {{"N", 4096}}).value().memory.size();
  };
  // One after the other, the third array lies where the first did; two that nothing orders lie apart.
  const std::string scan = " |> scan(+, 0.0) |> reverse";
  const std::size_t chain =
      memory_of("def f(x: [N]f32): [N]f32 = x" + scan + scan + scan + scan + " |> scan(+, 0.0)\n");
  const std::size_t apart = memory_of(
      "def f(x: [N]f32, y: [N]f32): ([N]f32, [N]f32) =\n"
      "  (x" +
      scan + " |> scan(max, 0.0), y" + scan + " |> scan(max, 0.0))\n");
  const std::size_t one = memory_of("def f(x: [N]f32): [N]f32 = x" + scan + " |> scan(max, 0.0)\n");
  EXPECT_EQ(apart, 2 * one);
  EXPECT_LE(chain, one + 3);
}

TEST(LaunchPlan, RefusesSizesThatAreNotGiven) {
  ir::Arena arena;
  const auto plan = planned("def f(x: [N]f32): [N]f32 = x |> map(e => e + 1.0)\n", {});
  ASSERT_FALSE(plan);
  EXPECT_NE(plan.error().render().find("N"), std::string::npos);
}

}  // namespace
}  // namespace hoist::execute
