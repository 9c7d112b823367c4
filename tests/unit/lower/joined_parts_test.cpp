// Reductions over joined arrays: which become nests, what their indices are, and that the meaning stays.
#include "unit/lower/lowered.hpp"

namespace hoist::lower {
namespace {

using testing::HasSubstr;
using testing::Not;

const char* const of_windows =
    "def p(x: [6][80]f32, w: [120]f32): [4][2]f32 =\n"
    "  x |> slide(3, 1) |> map(rows => rows |> map(split(40)) |> transpose) |> mapGlb(1, mapGlb(0, n =>\n"
    "    zip(w, n |> join) |> map((a, b) => a * b) |> reduceSeq((a, b) => a + b, 0.0)))";

class JoinedParts : public Lowering {};

TEST_F(JoinedParts, AreNestsOfLoops) {
  const std::string loops = loops_of(of_windows);
  EXPECT_THAT(loops, HasSubstr("for i in sequential [0, 3)"));
  EXPECT_THAT(loops, HasSubstr("for i_1 in sequential [0, 40)"));
  EXPECT_THAT(loops, HasSubstr("w[40*i + i_1]"));
  EXPECT_THAT(loops, Not(HasSubstr("%")));
  expect_right(of_windows);
}

TEST_F(JoinedParts, OfSeveralLevelsAreLoopsOfEach) {
  const std::string text =
      "def p(x: [5][4][16][9]f32): [5]f32 = x |> mapGlb(0, b =>\n"
      "  b |> map(m => m |> transpose |> join) |> join |> reduceSeq((a, e) => a + e, 0.0))";
  const std::string loops = loops_of(text);
  EXPECT_THAT(loops, HasSubstr("x[576*g + 144*i"));
  EXPECT_THAT(loops, Not(HasSubstr("%")));
  expect_right(text);
}

TEST_F(JoinedParts, ThatLieSideBySideAreOneLoop) {
  const std::string text =
      "def p(x: [5][4][60]f32): [5]f32 = x |> mapGlb(0, b => b |> join |> reduceSeq((a, e) => a + e, 0.0))";
  EXPECT_THAT(loops_of(text), HasSubstr("for i in sequential [0, 240)"));
  expect_right(text);
}

TEST_F(JoinedParts, OfFewElementsAreOneLoop) {
  const std::string text =
      "def p(x: [5][9][7]f32): [5]f32 =\n"
      "  x |> mapGlb(0, b => b |> transpose |> join |> reduceSeq((a, e) => a + e, 0.0))";
  EXPECT_THAT(loops_of(text), HasSubstr("for i in sequential [0, 63)"));
  expect_right(text);
}

TEST_F(JoinedParts, OfLengthsThatAreNotKnownAreNests) {
  const std::string text =
      "def p(x: [5][N][M]f32): [5]f32 =\n"
      "  x |> mapGlb(0, b => b |> transpose |> join |> reduceSeq((a, e) => a + e, 0.0))";
  EXPECT_THAT(loops_of(text), Not(HasSubstr("%")));
}

}  // namespace
}  // namespace hoist::lower
