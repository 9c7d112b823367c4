// Elements that are computed ahead of their use: stages, asynchronous stores, one barrier an element.
#include "unit/lower/lowered.hpp"

namespace hoist::lower {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Sums of the columns of [rows][16], a row at a time through local memory, neighbours exchanged.
std::string sums(int stages, const std::string& copy = "row |> mapLcl(0, id) |> toLocal", int rows = 7) {
  return "def p(x: [3][" + std::to_string(rows) + "][16]f32): [3][16]f32 = x |> mapWrg(0, plane => plane\n" +
         "  |> prefetch(" + std::to_string(stages) + ", row => " + copy + ")\n" +
         "  |> reduceSeq((acc, row) => zip(acc, reverse(row)) |> mapLcl(0, (a, b) => a + b),\n"
         "       fill(16, 0.0) |> mapLcl(0, id) |> toPrivate)\n"
         "  |> mapLcl(0, id))";
}

TEST_F(Lowering, PrefetchCopiesWhileTheGroupWorks) {
  for (int stages : {2, 3, 4}) {
    const std::string text = sums(stages);
    const std::string loops = loops_of(text);
    EXPECT_EQ(barriers_in(plan_of(text)), 1U) << loops;
    EXPECT_THAT(loops, AllOf(HasSubstr("async "), HasSubstr("commit;"),
                             HasSubstr("await(" + std::to_string(stages - 2) + ");")));
    expect_right(text);
    expect_right(text, launched({5, 1, 1}, {10, 1, 1}));
  }
}

TEST_F(Lowering, PrefetchOfFewerElementsThanStages) {
  expect_right(sums(4, "row |> mapLcl(0, id) |> toLocal", 1));
  expect_right(sums(4, "row |> mapLcl(0, id) |> toLocal", 2));
}

TEST_F(Lowering, OnlyPlainCopiesAreAsynchronous) {
  EXPECT_THAT(loops_of(sums(2, "row |> mapLcl(0, e => 2.0 * e) |> toLocal")), Not(HasSubstr("async")));
  // What lies outside is zero: a copy engine can fill that in.
  const std::string padded = "row |> take(13) |> pad(1, 2, 0.0) |> mapLcl(0, id) |> toLocal";
  EXPECT_THAT(loops_of(sums(2, padded)), HasSubstr("async"));
  expect_right(sums(3, padded));
  const std::string other = "row |> take(13) |> pad(1, 2, 1.0) |> mapLcl(0, id) |> toLocal";
  EXPECT_THAT(loops_of(sums(2, other)), Not(HasSubstr("async")));
  expect_right(sums(2, other));
}

// Memory on the way is read at once: nobody would wait for a copy to it.
TEST_F(Lowering, WhatPrefetchItselfReadsIsStoredAtOnce) {
  const std::string text =
      sums(2, "row |> mapLcl(0, id) |> toLocal |> reverse |> mapLcl(0, e => e + 1.0) |> toLocal");
  EXPECT_THAT(loops_of(text), Not(HasSubstr("async")));
  expect_right(text);
}

TEST_F(Lowering, PrefetchIntoRegisters) {
  const std::string text =
      "def p(x: [4][9]f32): [4]f32 = x |> mapGlb(0, row => row |> split(3)\n"
      "  |> prefetch(3, part => part |> mapSeq(id) |> toPrivate)\n"
      "  |> reduceSeq((acc, part) => acc + part[0] * part[2], 0.0))";
  EXPECT_THAT(loops_of(text), AllOf(Not(HasSubstr("async")), Not(HasSubstr("barrier"))));
  expect_right(text);
}

TEST_F(Lowering, PrefetchOfSeveralParts) {
  expect_right(
      "def p(x: [2][6][8]f32, y: [2][6][8]f32): [2][8]f32 = zip(x, y) |> mapWrg(0, (a, b) => zip(a, b)\n"
      "  |> prefetch(2, (u, v) => (u |> mapLcl(0, id) |> toLocal, v |> mapLcl(0, id) |> toLocal))\n"
      "  |> reduceSeq((acc, (u, v)) => zip(acc, reverse(u), reverse(v)) |> mapLcl(0, (s, l, r) => s + l * "
      "r),\n"
      "       fill(8, 0.0) |> mapLcl(0, id) |> toPrivate)\n"
      "  |> mapLcl(0, id))");
}

TEST_F(Lowering, PrefetchWithoutAReductionIsAMap) {
  const std::string text =
      "def p(x: [5][8]f32): [5][8]f32 = x |> mapWrg(0, row => fill(1, row) |> prefetch(2, r => r |> map(e => "
      "e + 1.0))\n"
      "  |> join |> mapLcl(0, id))";
  EXPECT_THAT(loops_of(text), Not(HasSubstr("async")));
  expect_right(text);
}

TEST_F(Lowering, PrefetchSaysWhatItCannotDo) {
  EXPECT_THAT(message_of(sums(2, "row |> map(e => e)")), HasSubstr("prefetch does not know where to keep"));
  EXPECT_THAT(
      message_of("def p(x: [4][8][8]f32): [4][8]f32 = x |> mapWrg(0, plane => plane |> mapLcl(1, row => row\n"
                 "  |> split(2) |> prefetch(2, part => part |> mapLcl(0, id) |> toLocal)\n"
                 "  |> reduceSeq((acc, part) => acc + part[0], 0.0)))"),
      HasSubstr("prefetch to local memory by one work-item of a group"));
}

// What a group stores goes where the layout patterns behind its maps say, in rows as far apart as pitch says.
TEST_F(Lowering, TilesAreStoredTransposed) {
  const std::string text =
      "def p(x: [2][8][4]f32): [2][4][8]f32 = x |> mapWrg(0, t => t |> mapLcl(1, mapLcl(0, id)) |> "
      "transpose\n"
      "  |> pitch(9) |> toLocal |> mapLcl(1, r => r |> reverse |> mapLcl(0, id)))";
  EXPECT_THAT(loops_of(text), AllOf(HasSubstr("local f32[36]"), HasSubstr("[9*l_1 + l] =")));
  expect_right(text);
}

}  // namespace
}  // namespace hoist::lower
