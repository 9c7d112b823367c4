// Straight code that reads each place once, and vectors that are read where vectors begin.
#include <regex>

#include "unit/lower/lowered.hpp"

namespace hoist::lower {
namespace {

using testing::HasSubstr;
using testing::Not;

class SharedLoads : public Lowering {
 protected:
  static std::size_t times(const std::string& text, const std::string& what) {
    std::size_t count = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
    return count;
  }
  static Options without(const char* pass) {
    Options options;
    EXPECT_TRUE(disable_pass(options, pass));
    return options;
  }
};

const char* const blocks =
    "def p(x: [66]f32): [64]f32 = x |> slide(3, 1) |> split(4)\n"
    "  |> mapGlb(0, mapSeqUnroll(n => n[0] + n[1] * n[2])) |> join";

TEST_F(SharedLoads, AreOfNeighboursInABlock) {
  EXPECT_EQ(times(loops_of(blocks), "x["), 6U);
  EXPECT_EQ(times(loops_of(blocks, without("shared-loads")), "x["), 12U);
  expect_right(blocks);
}

TEST_F(SharedLoads, AreOfLocalMemoryToo) {
  const char* const text =
      "def p(x: [66]f32): [64]f32 = x |> slide(18, 16) |> mapWrg(0, tile =>\n"
      "  let held = tile |> mapLcl(0, id) |> toLocal in held |> slide(3, 1) |> split(4)\n"
      "    |> mapLcl(0, mapSeqUnroll(n => n[0] + n[1] * n[2])) |> join) |> join";
  EXPECT_EQ(times(loops_of(text), "f32 = tile["), 4U);
  EXPECT_THAT(loops_of(text), HasSubstr("barrier"));
  expect_right(text);
}

TEST_F(SharedLoads, UnderAConditionAreBeforeItWhereTheyAreInside) {
  // Blocks of four stick out of 62; the clamped array that they read has an element wherever they look.
  const char* const text =
      "def p(x: [64]f32): [62]f32 = x |> pad(0, 2, clamp) |> slide(3, 1) |> split(4)\n"
      "  |> mapGlb(0, mapSeqUnroll(n => n[0] + n[1] * n[2])) |> join |> take(62)";
  EXPECT_LT(times(loops_of(text), "x["), times(loops_of(text, without("shared-loads")), "x["));
  expect_right(text);
}

TEST_F(SharedLoads, AreNotOfWhatIsWrittenInBetween) {
  // Each step reads what the step before wrote.
  expect_right(
      "def p(x: [16]f32): [4]f32 = x |> split(4) |> mapGlb(0, row =>\n"
      "  generate(4, i => i) |> reduceSeqUnroll((acc, i) => acc |> mapSeqUnroll(e => e + row[i]),\n"
      "    row |> mapSeq(id) |> toPrivate) |> mapSeq(id) |> reduceSeq(+, 0.0))");
}

const char* const vectors =
    "def p(x: [8][20]f32): [8][4]f32x4 = x |> mapGlb(1, row =>\n"
    "  row |> slide(4, 1) |> map(asVector(4)) |> map(v => v[0]) |> slide(5, 4)\n"
    "    |> mapGlb(0, n => n[0] + n[1] + n[2] + n[4]))";

TEST_F(SharedLoads, VectorsAreReadWhereVectorsBegin) {
  const std::string text = loops_of(vectors), without_pass = loops_of(vectors, without("aligned-vectors"));
  // Elements 0 to 7 of the row, in two vectors.
  EXPECT_EQ(times(text, "x["), 2U) << text;
  EXPECT_EQ(times(without_pass, "x["), 4U) << without_pass;
  expect_right(vectors);
}

TEST_F(SharedLoads, VectorsStayWhereTheyMayBeOutside) {
  // The second vector of the last elements would be behind the array; rows of 18 begin anywhere.
  for (const char* const text :
       {"def p(x: [18]f32): [4]f32x4 = x |> drop(2) |> asVector(4) |> mapGlb(0, v => v + v)",
        "def p(x: [8][18]f32): [8][4]f32x4 = x |> mapGlb(1, row => row |> drop(1) |> take(16) |> "
        "asVector(4)\n"
        "  |> mapGlb(0, v => v + v))"}) {
    EXPECT_EQ(loops_of(text), loops_of(text, without("aligned-vectors")));
    expect_right(text);
  }
}

}  // namespace
}  // namespace hoist::lower
