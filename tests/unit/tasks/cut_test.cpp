// How programs are cut: along which loop, into which phases, with which windows, and why not.
#include "tasks/cut.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loop/check.hpp"
#include "loop/print.hpp"
#include "support/executed.hpp"
#include "target/kinds.hpp"
#include "tasks/facts.hpp"
#include "tasks/footprint.hpp"
#include "tasks/obligations.hpp"

namespace hoist::tasks {
namespace {

using testing::HasSubstr;

loop::Plan plan_of(const std::string& text, const driver::NamedSizes& sizes,
                   target::Language language = target::Language::Host) {
  lower::Options options;
  options.target = target::any_device(language);
  const auto sized = driver::with_sizes(testing_support::program_of(text), sizes);
  return driver::compile(sized.value(), {.lowering = options, .last = driver::Stage::Loop}).value().plan;
}

const Array& array_named(const Cut& cut, const std::string& name) {
  for (const Array& each : cut.arrays) {
    if (each.name == name) return each;
  }
  throw std::runtime_error("no array " + name);
}

const Touch& touch_of(const Cut& cut, const std::string& array, std::size_t task) {
  for (const Phase& phase : cut.phases) {
    for (const TaskStep& step : phase.steps) {
      for (const Touch& touch : step.touches.at(task)) {
        if (cut.arrays[touch.array].name == array) return touch;
      }
    }
  }
  throw std::runtime_error("nothing touches " + array);
}

const std::string stencil =
    "def p(u: [H][W]f32): [H][W]f32 = u |> pad2(1, 1, clamp) |> slide2(3, 1) |> map2(n => n[0][1] + n[2][1] "
    "+ n[1][0])";

TEST(Footprint, OfAStencilHasBorders) {
  ir::Arena arena;
  const loop::Plan plan = plan_of(stencil, {{"H", 64}, {"W", 32}});
  const auto footprint = footprint_of(plan.kernels.at(0), 8);
  ASSERT_TRUE(footprint) << footprint.error().render();
  EXPECT_EQ(footprint->outer.iterations, 64);
  EXPECT_EQ(footprint->written("out", {{8, 16}}), (Region{{256, 512}}));
  EXPECT_EQ(footprint->read("u", {{8, 16}}), (Region{{224, 544}}));
  EXPECT_EQ(footprint->read("u", {{0, 16}}), (Region{{0, 544}})) << "clamped at the edge";
  EXPECT_EQ(footprint->read("u", {{48, 64}}), (Region{{47 * 32, 2048}}));
  EXPECT_EQ(footprint->writers("out", {{250, 260}}), (Region{{7, 9}}));
  EXPECT_EQ(footprint->writers("out", {{0, 2048}}), (Region{{0, 64}}));
}

TEST(Cut, WindowsOverlapByTheBorder) {
  ir::Arena arena;
  const auto cut = tasks::cut(plan_of(stencil, {{"H", 64}, {"W", 32}}), {.tasks = 4, .has_windows = true});
  ASSERT_TRUE(cut) << cut.error().render();
  ASSERT_EQ(cut->phases.size(), 1U);
  EXPECT_TRUE(cut->phases[0].is_cut);
  const Array& u = array_named(*cut, "u");
  EXPECT_EQ(u.begins, (std::vector<std::int64_t>{0, 448, 960, 1472})) << "multiples of 64 elements";
  EXPECT_GE(u.window, 18 * 32);
  EXPECT_LE(u.window, 20 * 32);
  EXPECT_TRUE(loop::check(cut->plan));
}

TEST(Cut, PartsAreAsLargeAsTheirWeights) {
  ir::Arena arena;
  const loop::Plan plan = plan_of(stencil, {{"H", 64}, {"W", 32}});
  const auto cut = tasks::cut(plan, {.tasks = 3, .weights = {2, 1, 1}});
  ASSERT_TRUE(cut) << cut.error().render();
  EXPECT_EQ(cut->phases.at(0).steps.at(0).iterations,
            (std::vector<Region>{{{0, 32}}, {{32, 48}}, {{48, 64}}}));
  // A weight that is small beside the others may have nothing.
  const auto uneven = tasks::cut(plan, {.tasks = 3, .weights = {1000, 1, 1000}});
  ASSERT_TRUE(uneven) << uneven.error().render();
  EXPECT_EQ(uneven->phases.at(0).steps.at(0).iterations,
            (std::vector<Region>{{{0, 32}}, {{32, 32}}, {{32, 64}}}));
}

TEST(Cut, TakesAlongKernelsThatReadEachOther) {
  ir::Arena arena;
  // Two kernels with memory between them: a row of the second needs three of the first.
  const auto cut =
      tasks::cut(plan_of("def p(u: [H][W]f32): [H][W]f32 = u |> pad2(1, 1, clamp) |> slide2(3, 1)"
                         " |> mapGlb(1, mapGlb(0, n => exp(n[0][1]) * n[2][2])) |> toGlobal |> pad2(1, 1, "
                         "clamp) |> slide2(3, 1)"
                         " |> mapGlb(1, mapGlb(0, n => n[0][1] - n[2][1]))",
                         {{"H", 64}, {"W", 32}}),
                 {.tasks = 4, .has_windows = true});
  ASSERT_TRUE(cut) << cut.error().render();
  ASSERT_EQ(cut->phases.size(), 1U);
  ASSERT_EQ(cut->phases[0].steps.size(), 2U);
  EXPECT_EQ(cut->phases[0].steps[0].iterations,
            (std::vector<Region>{{{0, 17}}, {{15, 33}}, {{31, 49}}, {{47, 64}}}));
  EXPECT_EQ(cut->phases[0].steps[1].iterations,
            (std::vector<Region>{{{0, 16}}, {{16, 32}}, {{32, 48}}, {{48, 64}}}));
  EXPECT_TRUE(array_named(*cut, "u").is_windowed());
}

TEST(Cut, ReductionsAreFinishedByALastPhase) {
  ir::Arena arena;
  const auto cut =
      tasks::cut(plan_of("def p(x: [N]f32): f32 = x |> map(e => e * e) |> reduce(+, 0.0)", {{"N", 65536}}),
                 {.tasks = 4, .has_windows = true});
  ASSERT_TRUE(cut) << cut.error().render();
  ASSERT_EQ(cut->phases.size(), 2U);
  EXPECT_TRUE(cut->phases[0].is_cut);
  EXPECT_FALSE(cut->phases[1].is_cut);
  EXPECT_TRUE(array_named(*cut, "x").is_windowed());
  EXPECT_EQ(array_named(*cut, "x").begins[1], 16384);
}

TEST(Cut, ReductionsInterleavedAreCutAlongTheirOwnLoop) {
  ir::Arena arena;
  // Work-items of a GPU add up elements that are far from each other: each task adds to all of their sums.
  const auto cut = tasks::cut(plan_of("def p(x: [N]f32): f32 = x |> map(e => e * e) |> reduce(+, 0.0)",
                                      {{"N", 65536}}, target::Language::OpenCL),
                              {.tasks = 4, .has_windows = true});
  ASSERT_TRUE(cut) << cut.error().render();
  EXPECT_TRUE(loop::check(cut->plan));
  ASSERT_EQ(cut->phases.size(), 2U);
  const Array& x = array_named(*cut, "x");
  EXPECT_TRUE(x.is_windowed());
  EXPECT_EQ(x.begins, (std::vector<std::int64_t>{0, 16384, 32768, 49152}));
  EXPECT_EQ(x.window, 16384);
  EXPECT_EQ(array_named(*cut, "acc_kept").elements, array_named(*cut, "tmp").elements);
}

TEST(Cut, ColumnsAreReducedByRows) {
  ir::Arena arena;
  const auto cut = tasks::cut(plan_of("def p(A: [M][N]f32, x: [M]f32): [N]f32 = transpose(A) |> map(column =>"
                                      " zip(column, x) |> map((a, b) => a * b) |> reduce(+, 0.0))",
                                      {{"M", 64}, {"N", 100}}),
                              {.tasks = 4, .has_windows = true});
  ASSERT_TRUE(cut) << cut.error().render();
  EXPECT_TRUE(array_named(*cut, "A").is_windowed()) << "rows, which lie side by side";
  EXPECT_EQ(array_named(*cut, "A").window, 1600);
  EXPECT_FALSE(array_named(*cut, "out").is_windowed()) << "the last task writes it";
}

TEST(Cut, KernelsAreToldHowMuchTheyRun) {
  ir::Arena arena;
  const loop::Plan plan = plan_of(stencil, {{"H", 64}, {"W", 32}}, target::Language::OpenCL);
  const auto four = tasks::cut(plan, {.tasks = 4}), eight = tasks::cut(plan, {.tasks = 8});
  ASSERT_TRUE(four && eight);
  EXPECT_EQ(loop::to_string(four->plan), loop::to_string(eight->plan))
      << "nothing depends on how many there are";
  const TaskStep& step = eight->phases[0].steps[0];
  ASSERT_EQ(step.numbers.size(), 2U);
  EXPECT_EQ(step.numbers[0].values, (std::vector<std::int64_t>{0, 8, 16, 24, 32, 40, 48, 56}));
  EXPECT_EQ(step.numbers[1].values, std::vector<std::int64_t>(8, 8));
  const auto dimension = static_cast<std::size_t>(step.loop->outer.dimension);
  EXPECT_THAT(arith::to_string(four->plan.kernels[0].launch.global[dimension]), HasSubstr("task_count"));
}

TEST(Cut, SchedulesAreCutAlongRowsWhereverTheyStand) {
  ir::Arena arena;
  // The outermost loop is the reduction, then columns are; sums are in the result between its rounds.
  const loop::Plan plan = plan_of(
      "def p(A: [M][K]f32, B: [K][N]f32): [M][N]f32 = A |> mapGlb(0, a => transpose(B) |> mapSeq(b => "
      "zip(a, b) |> map(*) |> reduce(+, 0f32))) |> loopJam(1, 16, 2) |> loopLanes(2, 8) |> loopAt(3, 3) "
      "|> loopAt(2, 2)",
      {{"M", 16}, {"K", 12}, {"N", 32}});
  const auto cut = tasks::cut(plan, {.tasks = 4, .has_windows = true});
  ASSERT_TRUE(cut) << cut.error().render() << loop::to_string(plan);
  const Footprint& loop = *cut->phases[0].steps[0].loop;
  EXPECT_EQ(loop.outer.variables.size(), 2U) << "what sets the sums, and what adds to them";
  EXPECT_EQ(loop.outer.iterations, 8) << "of two rows";
  EXPECT_EQ(array_named(*cut, "out").begins, (std::vector<std::int64_t>{0, 128, 256, 384}));
  EXPECT_EQ(array_named(*cut, "A").window, 48 + 48) << "from a multiple of 64 on";
  EXPECT_FALSE(array_named(*cut, "B").is_windowed());
}

TEST(Cut, KernelsOfARepetitionAreNot) {
  ir::Arena arena;
  const loop::Plan plan = plan_of(
      "def p(x: [N]f32): [N]f32 = x |> iterate(3, y => y |> pad(1, 1, clamp) |> slide(3, 1) |> mapGlb(0, w "
      "=> w[0] + "
      "w[2]) |> toGlobal)",
      {{"N", 64}});
  EXPECT_EQ(most_tasks(plan), 1);
  EXPECT_EQ(task_facts(plan)->max_tasks, 1);
  EXPECT_EQ(task_facts(plan)->loop_count, 0);
  EXPECT_FALSE(tasks::cut(plan, {.tasks = 2}));
}

TEST(Obligations, SayHowEachIsKnown) {
  ir::Arena arena;
  const auto claims = [](const std::string& text, target::Language language) {
    const auto cut = tasks::cut(plan_of(text, {{"N", 65536}}, language), {.tasks = 4}).value();
    std::string all;
    for (const Obligation& each : obligations_of(cut)) all += each.claim + ": " + each.shown + "\n";
    return all;
  };
  const std::string sum = "def p(x: [N]f32): f32 = x |> map(e => e * e) |> reduce(+, 0.0)";
  EXPECT_THAT(claims(sum, target::Language::Host),
              HasSubstr("may run without the others: the loop is parallel"));
  EXPECT_THAT(claims(sum, target::Language::OpenCL), HasSubstr("keep nothing but"));
}

TEST(Cut, WhatAllTasksReadIsWhole) {
  ir::Arena arena;
  const auto cut =
      tasks::cut(plan_of("def p(A: [M][K]f32, B: [K][N]f32): [M][N]f32 = A |> map(a => B |> transpose |> "
                         "map(b => zip(a, b) |> map((x, y) => x * y) |> reduce(+, 0.0)))",
                         {{"M", 64}, {"K", 16}, {"N", 32}}),
                 {.tasks = 4, .has_windows = true});
  ASSERT_TRUE(cut) << cut.error().render();
  EXPECT_TRUE(array_named(*cut, "A").is_windowed());
  EXPECT_FALSE(array_named(*cut, "B").is_windowed());
}

const std::string transposed = "def p(A: [H][W]f32): [W][H]f32 = transpose(A) |> map(map(id))";

TEST(Cut, ColumnsOfATransposedInput) {
  ir::Arena arena;
  const loop::Plan plan = plan_of(transposed, {{"H", 32}, {"W", 512}});
  const auto cut = tasks::cut(plan, {.tasks = 4});
  ASSERT_TRUE(cut) << cut.error().render();
  EXPECT_EQ(array_named(*cut, "A").row_length, 512);
  EXPECT_FALSE(array_named(*cut, "A").is_windowed());
  EXPECT_EQ(touch_of(*cut, "A", 1).read, (Region{{0, 32}, {128, 256}}));
  EXPECT_EQ(touch_of(*cut, "out", 1).written, (Region{{128 * 32, 256 * 32}}));
  EXPECT_EQ(array_named(*tasks::cut(plan, {.tasks = 16}), "A").row_length, 1) << "128 bytes of each row";
  EXPECT_EQ(array_named(*tasks::cut(plan, {.tasks = 16, .least_row_bytes = 128}), "A").row_length, 512);
  EXPECT_EQ(array_named(*tasks::cut(plan, {.tasks = 4, .share_memory = false}), "A").row_length, 1);
  const auto facts = task_facts(plan);
  EXPECT_EQ(facts->shared_bytes + facts->redundant_bytes, 0);
  EXPECT_EQ(task_facts(plan_of(transposed, {{"H", 32}, {"W", 256}}))->shared_bytes, 32 * 256 * 4)
      << "rows of eight tasks are short";
}

TEST(Cut, WindowsOfColumns) {
  ir::Arena arena;
  const auto cut =
      tasks::cut(plan_of(transposed, {{"H", 32}, {"W", 530}}), {.tasks = 4, .has_windows = true});
  ASSERT_TRUE(cut) << cut.error().render();
  EXPECT_TRUE(loop::check(cut->plan));
  const Array& a = array_named(*cut, "A");
  EXPECT_EQ(a.begins, (std::vector<std::int64_t>{0, 128, 256, 384})) << "multiples of 64 elements";
  EXPECT_EQ(a.window_row, 2 * 64 + 530 % 64) << "rows are aligned as the array's are";
  EXPECT_EQ(a.window, 32 * a.window_row);
  const std::string text = loop::to_string(cut->plan);
  EXPECT_THAT(text, HasSubstr("A_row")) << "the kernel is told, and is one for all numbers of tasks";
  EXPECT_THAT(obligations_of(*cut).back().claim,
              HasSubstr("nothing that is part of two rows of 530 elements"));
}

TEST(Cut, ColumnsBesideRowsAndBorders) {
  ir::Arena arena;
  const auto both =
      tasks::cut(plan_of("def p(A: [N][N]f32): [N][N]f32 = zip(A, transpose(A)) |> map((a, b) => "
                         "zip(a, b) |> map((x, y) => x + 2.0 * y))",
                         {{"N", 256}}),
                 {.tasks = 4});
  ASSERT_TRUE(both) << both.error().render();
  EXPECT_EQ(touch_of(*both, "A", 1).read_parts,
            (std::vector<Region>{{{0, 64}, {64, 128}}, {{64, 128}, {0, 256}}, {{128, 256}, {64, 128}}}));
  const auto borders = tasks::cut(
      plan_of("def p(A: [H][W]f32): [W][H]f32 = transpose(A) |> pad2(1, 1, clamp) |> slide2(3, 1) |> "
              "map2(n => n[0][1] + n[2][1])",
              {{"H", 16}, {"W", 512}}),
      {.tasks = 4});
  ASSERT_TRUE(borders) << borders.error().render();
  EXPECT_EQ(touch_of(*borders, "A", 1).read, (Region{{0, 16}, {127, 257}}));
  EXPECT_EQ(touch_of(*borders, "A", 3).read, (Region{{0, 16}, {383, 512}}));
}

TEST(Cut, SaysWhyItCannot) {
  ir::Arena arena;
  const auto serial =
      tasks::cut(plan_of("def p(x: [N]f32): [N]f32 = scan(+, 0.0, x)", {{"N", 16}}), {.tasks = 4});
  ASSERT_FALSE(serial);
  EXPECT_THAT(serial.error().render(), HasSubstr("cannot be cut into 4 tasks"));
  const auto many = tasks::cut(plan_of(stencil, {{"H", 8}, {"W", 32}}), {.tasks = 9});
  ASSERT_FALSE(many);
  EXPECT_THAT(many.error().render(), HasSubstr("has 8 iterations"));
  EXPECT_THAT(many.error().render(), HasSubstr("give at most 8 tasks"));
  EXPECT_FALSE(tasks::cut(plan_of(stencil, {{"H", 8}, {"W", 32}}), {.tasks = 0}));
}

TEST(TaskFacts, OfAStencil) {
  ir::Arena arena;
  const auto facts = task_facts(plan_of(stencil, {{"H", 64}, {"W", 32}}));
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->loop_nest, 1);
  EXPECT_EQ(facts->loop_count, 64);
  EXPECT_EQ(facts->max_tasks, 64);
  EXPECT_EQ(facts->upload_bytes, 8192);
  EXPECT_EQ(facts->download_bytes, 8192);
  EXPECT_EQ(facts->transfers, 2);
  EXPECT_EQ(facts->redundant_bytes, 2 * 32 * 4) << "a row of each neighbour";
  EXPECT_EQ(facts->shared_bytes, 0);
  EXPECT_EQ(facts->kernels, 1);
  EXPECT_GT(facts->access_type_2, 0);
}

/// Tasks of an even grid.
CutOptions grid_of(int rows, int columns) {
  CutOptions options{.tasks = rows * columns, .share_memory = false, .grid = Grid{{}, rows, columns}};
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column)
      options.grid->parts.push_back({{1.0 * row / rows, 1.0 * (row + 1) / rows},
                                     {1.0 * column / columns, 1.0 * (column + 1) / columns}});
  }
  options.weights.assign(options.grid->parts.size(), 1.0);
  return options;
}

TEST(Grid, TasksTouchRectangles) {
  ir::Arena arena;
  const auto cut =
      tasks::cut(plan_of("def p(u: [H][W]f32): [H][W]f32 = u |> pad2(1, 1, clamp) |> slide2(3, 1)"
                         " |> map2(n => n[0][1] + n[2][1] + n[1][0] + n[1][2])",
                         {{"H", 64}, {"W", 96}}),
                 grid_of(2, 3));
  ASSERT_TRUE(cut) << cut.error().render();
  EXPECT_TRUE(loop::check(cut->plan));
  EXPECT_TRUE(cut->has_grid());
  EXPECT_EQ(array_named(*cut, "u").row_length, 96);
  EXPECT_EQ(touch_of(*cut, "out", 4).written, (Region{{32, 64}, {32, 64}}));
  EXPECT_EQ(touch_of(*cut, "u", 4).read, (Region{{31, 64}, {31, 65}}));
  EXPECT_EQ(touch_of(*cut, "u", 4).read_parts,
            (std::vector<Region>{{{31, 32}, {32, 64}}, {{32, 64}, {31, 65}}}))
      << "without the corners";
  EXPECT_EQ(touch_of(*cut, "u", 0).read, (Region{{0, 33}, {0, 33}}));
  const TaskStep& step = cut->phases[0].steps[0];
  ASSERT_EQ(step.numbers.size(), 4U);
  EXPECT_EQ(step.numbers[2].values, (std::vector<std::int64_t>{0, 32, 64, 0, 32, 64}));
  EXPECT_EQ(obligations_of(*cut).size(), 4U) << "two of each loop";
}

TEST(Grid, ConditionsKeepReadsInTheirRows) {
  ir::Arena arena;
  const auto cut = tasks::cut(
      plan_of(
          "def p(u: [H][W]f32): [H][W]f32 = u |> map(pad(1, 1, 0.0)) |> transpose |> map(pad(1, 1, 0.0)) |> "
          "transpose |> slide2(3, 1) |> map2(n => n[0][0] + n[2][2])",
          {{"H", 64}, {"W", 128}}),
      grid_of(2, 2));
  ASSERT_TRUE(cut) << cut.error().render();
  EXPECT_EQ(touch_of(*cut, "u", 0).read, (Region{{0, 33}, {0, 65}}));
  EXPECT_EQ(touch_of(*cut, "u", 3).read, (Region{{31, 64}, {63, 128}}));
}

TEST(Grid, EachArrayHasRowsOfItsOwn) {
  ir::Arena arena;
  const auto cut = tasks::cut(
      plan_of("def p(A: [M][K]f32, B: [K][N]f32): [M][N]f32 = A |> map(a => transpose(B) |> map(b => "
              "dotProduct(a, b)))",
              {{"M", 64}, {"N", 128}, {"K", 48}}),
      grid_of(2, 2));
  ASSERT_TRUE(cut) << cut.error().render();
  EXPECT_EQ(touch_of(*cut, "out", 1).written, (Region{{0, 32}, {64, 128}}));
  EXPECT_EQ(touch_of(*cut, "B", 1).read, (Region{{0, 48}, {64, 128}})) << "its columns alone";
  const Array& a = array_named(*cut, "A");
  EXPECT_EQ(touch_of(*cut, "A", 1).read.area(), 32 * 48);
  EXPECT_EQ(a.elements, 64 * 48);
}

TEST(Grid, KernelsWithOneLoopAreCutAlongThat) {
  ir::Arena arena;
  const auto cut =
      tasks::cut(plan_of("def p(A: [M][N]f32): [M]f32 = A |> map2(e => e * e) |> mapGlb(0, reduce(+, "
                         "0.0))",
                         {{"M", 64}, {"N", 32}}),
                 grid_of(2, 2));
  ASSERT_TRUE(cut) << cut.error().render();
  EXPECT_FALSE(cut->has_grid());
  ASSERT_EQ(cut->cut_along_one.size(), 1U);
  EXPECT_THAT(cut->cut_along_one[0], HasSubstr("has no two loops"));
  EXPECT_EQ(touch_of(*cut, "out", 1).written, (Region{{16, 32}}));
}

TEST(Grid, SaysHowFewIterationsThereAre) {
  ir::Arena arena;
  const auto cut = tasks::cut(plan_of(stencil, {{"H", 64}, {"W", 3}}), grid_of(2, 4));
  ASSERT_TRUE(cut) << cut.error().render();
  ASSERT_EQ(cut->cut_along_one.size(), 1U);
  EXPECT_THAT(cut->cut_along_one[0], HasSubstr("they have 64 and 3 iterations"));
}

}  // namespace
}  // namespace hoist::tasks
