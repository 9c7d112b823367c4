// Loops that become straight code, and barriers: as many as needed, none that a part of a group misses.
#include "unit/lower/lowered.hpp"

namespace hoist::lower {
namespace {

using testing::HasSubstr;
using testing::Not;

const char* const rows = "def p(x: [8][16]f32): [8][16]f32 = x |> mapWrg(0, r => r |> mapLcl(0, id))";

TEST_F(Lowering, LoopsAreComparedWithTheLaunch) {
  Options once = launched({16, 1, 1}, {128, 1, 1});
  EXPECT_THAT(loops_of(rows, once), HasSubstr("for l in local(0) [0, 16) step 1 : exactly_once"));
  EXPECT_THAT(loops_of(rows, once), HasSubstr("for wg in group(0) [0, 8) step 1 : exactly_once"));
  Options at_most_once = launched({32, 1, 1}, {512, 1, 1});
  EXPECT_THAT(loops_of(rows, at_most_once), HasSubstr("for l in local(0) [0, 16) step 1 : at_most_once"));
  EXPECT_THAT(loops_of(rows, at_most_once), HasSubstr("for wg in group(0) [0, 8) step 1 : at_most_once"));
  Options several = launched({8, 1, 1}, {32, 1, 1});
  EXPECT_THAT(loops_of(rows, several), HasSubstr("for l in local(0) [0, 16) step 1 {"));
  EXPECT_THAT(loops_of(rows, several), HasSubstr("for wg in group(0) [0, 8) step 1 {"));
  Options kept = once;
  kept.simplify_control_flow = false;
  EXPECT_THAT(loops_of(rows, kept), Not(HasSubstr("once")));
  for (const Options& options : {once, at_most_once, several, kept, launched({1, 1, 1}, {1, 1, 1})}) {
    expect_right(rows, options);
  }
}

TEST_F(Lowering, LoopsOfOneIterationDisappear) {
  EXPECT_THAT(loops_of("def p(x: [N][1]f32): [N][1]f32 = x |> mapGlb(0, r => r |> mapSeq(e => e * 2.0))"),
              testing::AllOf(HasSubstr("out[g] = x[g] * 2.0"), Not(HasSubstr("sequential"))));
}

// Two maps that are arguments of one zip need one barrier (thesis, Figure 4.7).
TEST_F(Lowering, IndependentStagesShareOneBarrier) {
  std::string text =
      "def p(x: [4][16]f32, y: [4][16]f32): [4][16]f32 = zip(x, y) |> mapWrg(0, (a, b) =>\n"
      "  zip(a |> mapLcl(0, e => e * 2.0) |> toLocal, b |> mapLcl(0, e => e * 3.0) |> toLocal)\n"
      "    |> reverse |> mapLcl(0, (u, v) => u + v))";
  EXPECT_EQ(barriers_in(plan_of(text)), 1U);
  expect_right(text);
}

// No barrier inside nested local maps (thesis, Figure 4.8).
TEST_F(Lowering, NestedLocalMapsHaveNoBarrierInside) {
  std::string text =
      "def p(x: [4][8][16]f32): [4][8][16]f32 = x |> mapWrg(0, plane =>\n"
      "  plane |> mapLcl(1, r => r |> mapLcl(0, e => e * 2.0)) |> toLocal |> reverse |> mapLcl(1, r => r |> "
      "mapLcl(0, id)))";
  EXPECT_EQ(barriers_in(plan_of(text)), 1U);
  expect_right(text);
  Options uneven = launched({5, 3, 1}, {20, 3, 1});
  EXPECT_EQ(barriers_in(plan_of(text, uneven)), 1U);
  expect_right(text, uneven);
}

// A second barrier only where a group takes several rounds through the same memory (thesis, Figure 4.9).
TEST_F(Lowering, MemoryThatIsUsedAgainNeedsASecondBarrier) {
  std::string text =
      "def p(x: [1024]f32): [1024]f32 = x |> split(128) |> mapWrg(0, r =>\n"
      "  r |> mapLcl(0, e => e * 2.0) |> toLocal |> reverse |> mapLcl(0, id)) |> join";
  EXPECT_EQ(barriers_in(plan_of(text, launched({128, 1, 1}, {1024, 1, 1}))), 1U);
  EXPECT_EQ(barriers_in(plan_of(text, launched({128, 1, 1}, {256, 1, 1}))), 2U);
  expect_right(text, launched({128, 1, 1}, {1024, 1, 1}));
  expect_right(text, launched({128, 1, 1}, {256, 1, 1}));
}

TEST_F(Lowering, TilesThatFollowEachOtherThroughLocalMemoryAreKeptApart) {
  std::string text =
      "def p(x: [4][5][16]f32): [4][5][16]f32 =\n"
      "  x |> mapWrg(0, plane => plane |> mapSeq(r => r |> mapLcl(0, e => e * 2.0) |> toLocal |> reverse |> "
      "mapLcl(0, id)))";
  EXPECT_EQ(barriers_in(plan_of(text)), 2U);
  expect_right(text);
}

TEST_F(Lowering, StagesThatReadTheirOwnElementsNeedNoBarrier) {
  std::string text =
      "def p(x: [4][16]f32): [4][16]f32 = x |> mapWrg(0, r => r |> mapLcl(0, e => e * 2.0) |> toLocal |> "
      "mapLcl(0, e => e + 1.0))";
  EXPECT_EQ(barriers_in(plan_of(text)), 0U);
  expect_right(text);
  Options all;
  all.eliminate_barriers = false;
  EXPECT_GE(barriers_in(plan_of(text, all)), 1U);
  expect_right(text, all);
}

TEST_F(Lowering, RowsOfTheOutputNeedNoBarrierBetweenRounds) {
  EXPECT_EQ(barriers_in(plan_of(rows, launched({8, 1, 1}, {32, 1, 1}))), 0U);
}

// The barrier inside the outer local map is reached by every work-item, also by those without a row in the
// last round.
TEST_F(Lowering, BarriersInsideLocalMapsAreReachedByAll) {
  std::string text =
      "def p(x: [2][5][16]f32): [2][5][16]f32 = x |> mapWrg(0, plane => plane |> mapLcl(1, r =>\n"
      "  r |> mapLcl(0, e => e * 2.0) |> toLocal |> reverse |> mapLcl(0, id)))";
  for (std::int64_t height : {1, 2, 3, 4, 5, 8}) {
    for (std::int64_t width : {3, 16, 20}) {
      Options options = launched({width, height, 1}, {2 * width, height, 1});
      EXPECT_GE(barriers_in(plan_of(text, options)), 1U);
      expect_right(text, options);
    }
  }
}

}  // namespace
}  // namespace hoist::lower
