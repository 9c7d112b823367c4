// Tests that become bounds of loops: which do, what happens to indices, and that the meaning stays.
#include "unit/lower/lowered.hpp"

namespace hoist::lower {
namespace {

using testing::HasSubstr;
using testing::Not;

class LoopBounds : public Lowering {};

const char* const in_tiles =
    "def p(x: [21][37]f32): [21][37]f32 = x |> pad2(1, 1, clamp) |> map(pad(0, 3, clamp)) |> pad(0, 3, "
    "clamp)\n"
    "  |> slide2(3, 1) |> split(4) |> map(map(split(8)) >> transpose) |> mapGlb(1, mapGlb(0,\n"
    "    mapSeq(mapSeq(n => n[1][1] + n[0][1] - n[1][2]))))\n"
    "  |> map(transpose >> map(join)) |> join |> map(take(37)) |> take(21)";

TEST_F(LoopBounds, TestsOfTilesThatStickOutAreMadeOnce) {
  const std::string loops = loops_of(in_tiles);
  EXPECT_THAT(loops, HasSubstr("[0, min(-4*g + 21, 4))"));
  EXPECT_THAT(loops, HasSubstr("[0, min(-8*g_1 + 37, 8))"));
  EXPECT_EQ(loops.find("if ("), loops.rfind("if (")) << "only that of the interior: " << loops;
  // What the bounds imply is not clamped any more.
  EXPECT_THAT(loops, HasSubstr("x[148*g + 37*i + 8*g_1 + i_1]"));
  expect_right(in_tiles);
}

TEST_F(LoopBounds, StayWhereControlFlowIsNotSimplified) {
  Options options;
  options.simplify_control_flow = false;
  EXPECT_THAT(loops_of(in_tiles, options), Not(HasSubstr("+ 21, 4)")));
  expect_right(in_tiles, options);
}

/// The number of iterations of a loop over registers is known.
TEST_F(LoopBounds, OfLoopsOverRegistersStay) {
  const std::string text =
      "def p(x: [13]f32): [13]f32 = x |> pad(0, 3, clamp) |> split(4) |> mapGlb(0, r =>\n"
      "  let own = r |> mapSeq(e => e * 2.0) |> toPrivate in own |> mapSeq(id)) |> join |> take(13)";
  EXPECT_THAT(loops_of(text), Not(HasSubstr("+ 13, 4)")));
  expect_right(text);
}

TEST_F(LoopBounds, LowerBoundsStayTests) {
  const std::string text =
      "def p(x: [16]f32): [13]f32 = x |> split(4) |> mapGlb(0, mapSeq(e => e * 2.0)) |> join |> drop(3)";
  EXPECT_THAT(loops_of(text), HasSubstr("if ("));
  expect_right(text);
}

}  // namespace
}  // namespace hoist::lower
