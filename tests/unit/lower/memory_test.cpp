// Where values live, how much memory they get, and how many kernels there are.
#include "target/kinds.hpp"
#include "unit/lower/lowered.hpp"

namespace hoist::lower {
namespace {

using testing::HasSubstr;
using testing::Not;

const char* const local_stage =
    "def p(x: [8][16]f32): [8][16]f32 =\n"
    "  x |> mapWrg(0, r => r |> mapLcl(0, e => e * 2.0) |> reverse |> mapLcl(0, e => e + 1.0))";

TEST_F(Lowering, WhatAGroupMakesIsKeptInLocalMemory) {
  EXPECT_THAT(loops_of(local_stage), HasSubstr("allocate tile: local f32[16]"));
  expect_right(local_stage);
}

TEST_F(Lowering, WhatAWorkItemMakesIsKeptInPrivateMemory) {
  std::string text =
      "def p(x: [8][16]f32): [8][16]f32 =\n"
      "  x |> mapGlb(0, r => r |> mapSeq(e => e * 2.0) |> reverse |> mapSeq(e => e + 1.0))";
  Options options;
  options.unroll_private_arrays = false;
  EXPECT_THAT(loops_of(text, options), HasSubstr("allocate reg: private f32[16]"));
  expect_right(text, options);
  EXPECT_THAT(loops_of(text), Not(HasSubstr("allocate"))) << "constant indices make variables of it";
  EXPECT_THAT(loops_of(text), HasSubstr("out[16*g + 15] = reg_0 + 1.0"));
  expect_right(text);
}

TEST_F(Lowering, PrivateArraysThatAreTooLargeGoToGlobalMemoryOncePerWorkItem) {
  std::string text =
      "def p(x: [3][2000]f32): [3][2000]f32 =\n"
      "  x |> mapGlb(0, r => r |> mapSeq(e => e * 2.0) |> reverse |> mapSeq(e => e + 1.0))";
  EXPECT_THAT(loops_of(text), HasSubstr("temporary tmp: global f32[6000]"));
  EXPECT_THAT(loops_of(text), HasSubstr("tmp[2000*g + i] = x[2000*g + i] * 2.0"));
  expect_right(text);
}

TEST_F(Lowering, WhatSeveralKernelsShareIsKeptInGlobalMemory) {
  std::string text =
      "def p(x: [70]f32): [70]f32 = let y = x |> mapGlb(0, e => e * 2.0) in "
      "zip(y, y |> reverse) |> mapGlb(0, (a, b) => a + b)";
  loop::Plan plan = plan_of(text);
  EXPECT_EQ(plan.kernels.size(), 2U);
  EXPECT_EQ(plan.steps.size(), 2U);
  ASSERT_EQ(plan.temporaries.size(), 1U);
  EXPECT_TRUE(plan.temporaries[0]->scalars.is_constant(70));
  EXPECT_THAT(loop::to_string(plan), HasSubstr("out[g_1] = tmp[g_1] + tmp[-g_1 + 69]"));
  expect_right(text);
}

TEST_F(Lowering, AnnotationsDecideTheMemory) {
  std::string text =
      "def p(x: [8][16]f32): [8][16]f32 =\n"
      "  x |> mapWrg(0, r => r |> mapLcl(0, e => e * 2.0) |> toGlobal |> reverse |> mapLcl(0, e => e + 1.0))";
  EXPECT_THAT(loops_of(text), HasSubstr("temporary tmp: global f32[128]")) << "16 for each of 8 groups";
  EXPECT_THAT(loops_of(text), HasSubstr("tmp[16*wg - l_1 + 15]"));
  EXPECT_THAT(loops_of(text), Not(HasSubstr("local f32")));
  expect_right(text);
}

TEST_F(Lowering, LocalMemoryIsMultipliedByTheWorkItemsThatHoldTheirOwn) {
  std::string text =
      "def p(x: [4][8][16]f32): [4][8][16]f32 =\n"
      "  x |> mapWrg(0, plane => plane |> mapLcl(1, r =>\n"
      "    r |> mapLcl(0, e => e * 2.0) |> reverse |> mapLcl(0, e => e + 1.0)))";
  EXPECT_THAT(loops_of(text), HasSubstr("allocate tile: local f32[128]"))
      << "16 for each of 8 rows, none for groups";
  EXPECT_THAT(loops_of(text), HasSubstr("tile[16*l - l_2 + 15]"));
  expect_right(text);
}

TEST_F(Lowering, AccumulatorsBelongToTheWorkItemsThatUpdateThem) {
  // They start from a value that nobody stored, and the operator first makes a tile.
  const std::string text =
      "def p(x: [7][4]f32, c: [4][5]f32): [7]f32 =\n"
      "  x |> mapWrg(0, r =>\n"
      "    zip(r, c) |> reduceSeq((acc, (e, row)) =>\n"
      "      let tile = row |> mapLcl(0, id) |> toLocal in\n"
      "      zip(acc, split(1, tile)) |> mapLcl(0, (a, t) => zip(a, t) |> map((p, q) => p + e * q)),\n"
      "      generate(5, i => 0.0) |> split(1))\n"
      "    |> mapLcl(0, mapSeq(id)) |> join |> reduceSeq(+, 0.0))";
  EXPECT_THAT(loops_of(text), HasSubstr("acc_0 = acc_0 + v")) << "one a work-item, updated where it is";
  EXPECT_THAT(loops_of(text), Not(HasSubstr("next")));
  expect_right(text);
}

TEST_F(Lowering, SequentialLoopsUseTheSameMemoryAgain) {
  std::string text =
      "def p(x: [4][5][16]f32): [4][5][16]f32 =\n"
      "  x |> mapWrg(0, plane => plane |> mapSeq(r => r |> mapLcl(0, e => e * 2.0) |> toLocal |> reverse |> "
      "mapLcl(0, id)))";
  EXPECT_THAT(loops_of(text), HasSubstr("allocate tile: local f32[16]"));
  expect_right(text);
}

const char* const private_of_local =
    "def p(x: [8][16]f32): [8][16]f32 =\n"
    "  x |> mapWrg(0, r => r |> mapLcl(0, e => e * 2.0) |> toPrivate |> mapLcl(0, e => e + 1.0))";

TEST_F(Lowering, PrivateValuesOfLocalMapsStayWithTheirWorkItem) {
  std::string loops = loops_of(private_of_local);
  EXPECT_THAT(loops, HasSubstr("reg_0 = x[16*wg + l] * 2.0"));
  EXPECT_THAT(loops, HasSubstr("out[16*wg + l_1] = reg_0 + 1.0"));
  EXPECT_EQ(barriers_in(plan_of(private_of_local)), 0U);
  expect_right(private_of_local);
}

TEST_F(Lowering, PrivateValuesAreNumberedByRoundWhereTheGroupIsShorter) {
  Options options = launched({8, 1, 1}, {64, 1, 1});
  std::string loops = loops_of(private_of_local, options);
  EXPECT_THAT(loops, HasSubstr("reg_1 = x[16*wg + l_3 + 8] * 2.0"));
  expect_right(private_of_local, options);
  expect_right(private_of_local, launched({5, 1, 1}, {40, 1, 1}));
  expect_right(private_of_local, launched({32, 1, 1}, {256, 1, 1}));
}

TEST_F(Lowering, PrivateValuesOfAnotherWorkItemAreRefused) {
  EXPECT_THAT(
      message_of(
          "def p(x: [8][16]f32): [8][16]f32 =\n"
          "  x |> mapWrg(0, r => r |> mapLcl(0, e => e * 2.0) |> toPrivate |> reverse |> mapLcl(0, id))"),
      testing::AllOf(
          HasSubstr("a value that mapLcl(0, ...) keeps in private memory is used by another work-item"),
          HasSubstr("keep it in local memory with toLocal")));
}

TEST_F(Lowering, IterateExchangesTwoBuffers) {
  std::string text =
      "def p(x: [4][32]f32): [4][1]f32 = x |> mapWrg(0, r => r |> mapLcl(0, id) |> toLocal\n"
      "  |> iterate(5, v => v |> split(2) |> mapLcl(0, reduceSeq(+, 0.0)) |> toLocal) |> mapLcl(0, id))";
  std::string loops = loops_of(text);
  EXPECT_THAT(loops, HasSubstr("local f32[32]"));
  EXPECT_THAT(loops, HasSubstr("local f32[16]"));
  EXPECT_THAT(loops, HasSubstr("swap("));
  EXPECT_THAT(loops, Not(HasSubstr("barrier(global)")));
  expect_right(text);
  expect_right(text, launched({7, 1, 1}, {28, 1, 1}));
}

TEST_F(Lowering, IterateOutsideKernelsRepeatsLaunches) {
  std::string text =
      "def p(x: [37]f32): [37]f32 = x |> iterate(3, v => v |> reverse |> mapGlb(0, e => e * 2.0))";
  loop::Plan plan = plan_of(text);
  bool repeats = false;
  for (const loop::PlanStep& step : plan.steps)
    repeats |= std::holds_alternative<loop::RepeatStep>(step.node);
  EXPECT_TRUE(repeats);
  expect_right(text);
}

TEST_F(Lowering, TuplesAreOneOutputForEachComponent) {
  std::string both =
      "def p(x: [9]f32): ([9]f32, [9]f32) = (x |> mapGlb(0, e => e + 1.0), x |> mapGlb(0, e => e * 2.0))";
  EXPECT_EQ(plan_of(both).outputs.size(), 2U);
  expect_right(both);
  std::string pairs =
      "def p(x: [9]f32): [9](f32, i32) = x |> mapGlb(0, e => (e * 2.0, if e < 0.0 then 1 else 2))";
  EXPECT_EQ(plan_of(pairs).kernels.size(), 1U);
  EXPECT_EQ(plan_of(pairs).outputs.size(), 2U);
  expect_right(pairs);
}

// What is computed where only some dimensions of work-items have been shared out is not shared by the others:
// each has its own.
TEST_F(Lowering, WhatEveryWorkItemComputesBelongsToEach) {
  Options options;
  options.max_private_bytes = 64;
  options.unroll_private_arrays = false;
  const std::string text =
      "def p(x: [3][100]f32): [3][100]f32 =\n"
      "  x |> mapGlb(1, r => zip(r |> mapSeq(e => e * 2.0) |> reverse, r) |> mapGlb(0, (a, b) => a + b))";
  EXPECT_THAT(loops_of(text, options), HasSubstr("allocate reg: private f32[100]")) << "though it is large";
  EXPECT_TRUE(plan_of(text, options).temporaries.empty());
  expect_right(text, options);
  const std::string groups =
      "def p(x: [3][100]f32): [3][100]f32 =\n"
      "  x |> mapWrg(1, r => zip(r |> mapSeq(e => e * 2.0) |> reverse, r) |> split(10)\n"
      "    |> mapWrg(0, mapLcl(0, (a, b) => a + b)) |> join)";
  EXPECT_THAT(loops_of(groups, options), HasSubstr("private f32[100]"));
  expect_right(groups, options);
}

TEST_F(Lowering, PrivateArraysThatAreTooLargeBelongToEachWorkItemInGlobalMemory) {
  const std::string text =
      "def p(x: [3][20000]f32): [3][20000]f32 =\n"
      "  x |> mapGlb(0, r => r |> mapSeq(e => e * 2.0) |> toPrivate |> reverse |> mapSeq(e => e + 1.0))";
  EXPECT_THAT(loops_of(text), HasSubstr("temporary tmp: global f32[60000]"));
  expect_right(text);
}

// Hundreds of scalars are no registers, and take their compilers minutes.
TEST_F(Lowering, PrivateArraysBecomeVariablesAsFarAsRegistersGo) {
  const auto text = [](int elements) {
    return fmt::format(
        "def p(x: [3][{0}]f32): [3][{0}]f32 =\n"
        "  x |> mapGlb(0, r => r |> mapSeq(e => e * 2.0) |> reverse |> mapSeq(e => e + 1.0))",
        elements);
  };
  EXPECT_THAT(loops_of(text(64)), Not(HasSubstr("allocate")));
  EXPECT_THAT(loops_of(text(1000)), HasSubstr("allocate reg: private f32[1000]"));
  expect_right(text(1000));
  const std::string two =
      "def p(x: [3][400]f32): [3][10]f32 = x |> mapGlb(0, r =>\n"
      "  let long = r |> mapSeq(e => e * 2.0) |> reverse in let short = long |> take(10) |> mapSeq(e => e + "
      "1.0) in\n"
      "  let other = r |> mapSeq(e => e * 3.0) in\n"
      "  zip(short, long |> drop(390), other |> drop(390)) |> mapSeq((a, b, c) => a * b + c))";
  EXPECT_THAT(loops_of(two), testing::AllOf(HasSubstr("private f32[400]"), Not(HasSubstr("private f32[10]"))))
      << "the shortest first";
  expect_right(two);
}

// ---- Refusals.

TEST_F(Lowering, WhatIsTooLargeForEachWorkItemIsRefused) {
  for (const char* text :
       {"def p(x: [3][100000]f32): [3][100000]f32 =\n"
        "  x |> mapGlb(1, r => zip(r |> mapSeq(e => e * 2.0) |> reverse, r) |> mapGlb(0, (a, b) => a + b))",
        "def p(x: [W][H]f32): [W][H]f32 =\n"
        "  x |> mapGlb(1, r => zip(r |> mapSeq(e => e * 2.0) |> reverse, r) |> mapGlb(0, (a, b) => a + "
        "b))"}) {
    EXPECT_THAT(message_of(text),
                testing::AllOf(HasSubstr("is computed by every work-item, and is too large"),
                               HasSubstr("bind it with `let` outside the parallel map that reads it")));
  }
}

TEST_F(Lowering, WhatCannotBeSharedOutIsRefused) {
  EXPECT_THAT(message_of("def p(x: [N][4]f32): [N][4]f32 = x |> mapGlb(0, r => r |> mapLcl(0, id))"),
              HasSubstr("one kernel mixes mapGlb with mapWrg or mapLcl"));
  EXPECT_THAT(message_of("def p(x: [N][4]f32): [N][4]f32 = x |> mapLcl(0, r => r |> mapWrg(1, id))"),
              HasSubstr("mapWrg inside mapLcl"));
  EXPECT_THAT(
      message_of("def p(x: [N][4]f32): [N][4]f32 = x |> mapWrg(0, r => r |> toLocal |> mapLcl(0, id))"),
      testing::AllOf(HasSubstr("nothing says which work-items copy this array to local memory"),
                     HasSubstr("mapLcl(0, id) |> toLocal")));
  EXPECT_THAT(message_of("def p(x: [N][4]f32): [N][4]f32 = x |> mapGlb(0, r => r |> mapGlb(0, id))"),
              HasSubstr("mapGlb(0, ...) inside mapGlb(0, ...)"));
  EXPECT_THAT(
      message_of("def p(x: [N][4]f32): [N][4]f32 = x |> mapWrg(0, mapLcl(1, e => e)) |> map(mapLcl(1, id))"),
      HasSubstr("map"));
}

TEST_F(Lowering, LocalMemoryOfUnknownLengthIsRefused) {
  EXPECT_THAT(
      message_of("def p(x: [N][M]f32): [N][M]f32 = x |> mapWrg(0, r => r |> mapLcl(0, id) |> toLocal |> "
                 "mapLcl(0, id))"),
      testing::AllOf(
          HasSubstr("the length of an array in local memory must be known when compiling, but it is M"),
          HasSubstr("NAME=SIZE")));
}

TEST_F(Lowering, OpenTuningParametersAreRefused) {
  EXPECT_THAT(message_of("def p(x: [N]f32): [N]f32 = x |> split(?t) |> mapWrg(0, mapLcl(0, id)) |> join"),
              HasSubstr("the tuning parameter ?t is still open"));
}

TEST_F(Lowering, UnknownPassesAreListed) {
  Options options;
  auto disabled = disable_pass(options, "vectorise");
  ASSERT_FALSE(disabled);
  for (const std::string& pass : optional_passes()) EXPECT_THAT(disabled.error().render(), HasSubstr(pass));
}

// On processors a group's work-items lie on one stack.
TEST_F(Lowering, GroupsAreAsLargeAsWhatEachWorkItemKeepsAllows) {
  Options options;
  options.target = target::usual_device(target::Language::OpenCL, target::Type::Cpu);
  const auto group = [&](const std::string& length) {
    const loop::Plan plan =
        plan_of("def f(x: [2][" + length +
                    "]f64) = x |> mapWrg(0, r =>\n"
                    "  let t = r |> scan(max, 0.0) in zip(t, r) |> mapLcl(0, (a, b) => a + b))",
                options);
    return *plan.kernels.front().launch.local[0].constant();
  };
  EXPECT_EQ(group("512"), 512);
  EXPECT_LE(group("2100") * 2100 * 8, 4 << 20);
  EXPECT_GT(group("2100"), 64);
}

}  // namespace
}  // namespace hoist::lower
