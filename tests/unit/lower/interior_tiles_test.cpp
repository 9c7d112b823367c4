// Kernels whose last tiles stick out: the others are computed by a copy of the body without tests.
#include "unit/lower/lowered.hpp"

namespace hoist::lower {
namespace {

using testing::HasSubstr;
using testing::Not;

class InteriorTiles : public Lowering {};

const char* const in_tiles =
    "def p(x: [37]f32): [37]f32 = x |> splitGuarded(8)\n"
    "  |> mapGlb(0, tile => let own = tile |> mapSeq(e => e * 2.0) |> toPrivate in own |> mapSeq(id))\n"
    "  |> joinGuarded(37)";

TEST_F(InteriorTiles, AreComputedWithoutTests) {
  const std::string loops = loops_of(in_tiles);
  const std::size_t interior = loops.find("if (test(g < 4))"), others = loops.find("else", interior);
  ASSERT_NE(interior, std::string::npos) << loops;
  ASSERT_NE(others, std::string::npos) << loops;
  EXPECT_THAT(loops.substr(interior + 16, others - interior - 16), Not(HasSubstr("if (")));
  EXPECT_THAT(loops.substr(interior, others - interior), Not(HasSubstr("min(")));
  EXPECT_THAT(loops.substr(others), HasSubstr("test(8*g + 7 < 37)"));
  expect_right(in_tiles);
}

TEST_F(InteriorTiles, AreThoseOfAllDimensions) {
  const std::string text =
      "def p(x: [13][21]f32): [13][21]f32 = x |> map(splitGuarded(8)) |> splitGuarded(4) |> map(transpose)\n"
      "  |> mapGlb(1, mapGlb(0, tile => let own = tile |> mapSeq(mapSeq(e => e * 2.0)) |> toPrivate in\n"
      "    own |> mapSeq(mapSeq(id)))) |> map(transpose >> map(join)) |> join |> map(take(21)) |> take(13)";
  EXPECT_THAT(loops_of(text), HasSubstr("g < 3"));
  EXPECT_THAT(loops_of(text), HasSubstr("g_1 < 2"));
  expect_right(text);
}

/// Where a test stays in the copy, or work-items wait for each other, there is none.
TEST_F(InteriorTiles, AreNoneWhereTheyWouldBeTestedToo) {
  EXPECT_THAT(loops_of("def p(x: [10]f32): [6]f32 = x |> mapGlb(0, id) |> drop(4)"), Not(HasSubstr("else")));
  const std::string groups =
      "def p(x: [13]f32): [13]f32 = x |> splitGuarded(4) |> mapWrg(0, r => r |> mapLcl(0, e => e * 2.0)) "
      "|> joinGuarded(13)";
  EXPECT_THAT(loops_of(groups), Not(HasSubstr("else")));
  expect_right(groups);
}

}  // namespace
}  // namespace hoist::lower
