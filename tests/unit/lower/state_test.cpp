// What reduce, scan and iterate carry from step to step: arrays, tuples that hold arrays, in place or in two
// memories.
#include "ir/print.hpp"
#include "rewrite/default_mapping.hpp"
#include "unit/lower/lowered.hpp"

namespace hoist::lower {
namespace {

using testing::HasSubstr;
using testing::Not;

class States : public Lowering {
 protected:
  /// The same, as the default mapping shares it out.
  void expect_right_by_default(const std::string& text) {
    ir::Program program = testing_support::program_of(text);
    auto mapped = rewrite::default_mapping(program, target::Processor::Gpu);
    ASSERT_TRUE(mapped) << mapped.error().render();
    expect_right(ir::to_string(mapped->program));
  }
  std::string mapped(const std::string& text) {
    return loops_of(ir::to_string(
        rewrite::default_mapping(testing_support::program_of(text), target::Processor::Gpu)->program));
  }
};

// ---- Reductions and scans.

TEST_F(States, ReductionsToTuplesThatHoldArrays) {
  expect_right_by_default(
      "def p(x: [5]i32, z: [5]i32): ([5]i32, [5]i32) =\n"
      "  iota(4) |> reduce(((y, c), k) => (zip(y, c) |> map((a, b) => a + b), y), (x, z))");
  expect_right_by_default(
      "def p(x: [5]f32): ([5]f32, i32) =\n"
      "  iota(4) |> reduce(((y, n), k) => (y |> map(e => e * 0.5 + f32(n)), n + k), (x, 1))");
  expect_right_by_default(
      "def p(x: [600]i32, z: [600]i32): ([600]i32, [600]i32) =\n"
      "  iota(4) |> reduce(((y, c), k) => (zip(y, c) |> map((a, b) => a + b + k), y), (x, z))");
}

TEST_F(States, ReductionsOfRows) {
  expect_right_by_default(
      "def p(a: [3][6][4]i32): [3][4]i32 = a |> map(m => m |> reduceSeq((s, r) => zip(s, r) |> map(+), "
      "fill(4, 0)))");
  expect_right_by_default(
      "def p(a: [3][6][4]i32): [3]i32 =\n"
      "  a |> map(m => let (s, n) = m |> reduce(((s, n), r) => (zip(s |> reverse, r) |> map(+), n + 1), "
      "(fill(4, 0), 0))\n"
      "    (s |> reduce(+, n)))");
}

TEST_F(States, ScansWithArrays) {
  expect_right_by_default(
      "def p(a: [7][5]i32): [7][5]i32 = a |> scan((above, here) => zip(above, here) |> map(+), a[0])");
  expect_right_by_default(
      "def p(x: [6]i32): [6][3]i32 = x |> scan((a, b) => a |> map(e => e + b), fill(3, 0))");
  expect_right_by_default(
      "def p(a: [4][6]i32): [4][6][3]i32 = a |> map(x => x |> scan((a, b) => a |> reverse |> map(e => e + "
      "b), iota(3)))");
}

// ---- Iterations.

TEST_F(States, IterationsOfTuples) {
  const std::string fixed =
      "def p(a: [9]f32): ([9]f32, i32) = (a, 0) |> iterate(3, (x, z) => (x |> map(e => 2.0 * e), z + 1))";
  expect_right_by_default(fixed);
  EXPECT_THAT(mapped(fixed), HasSubstr("exchange"));
  expect_right_by_default(
      "def p(a: [9]i32, b: [9]i32): ([9]i32, [9]i32) =\n"
      "  (a, b) |> iterate(3, (x, y) => (zip(x, y |> reverse) |> map(+), x))");
  expect_right_by_default(
      "def p(a: [4][9]i32): [4][9]i32 = a |> map(r =>\n"
      "  let (x, y) = (r, r |> reverse) |> iterate(3, (x, y) => (zip(x, y |> reverse) |> map(+), x))\n"
      "  y)");
}

TEST_F(States, WhatAStepGivesBackAsItGotItIsNotCopied) {
  const std::string loops = mapped(
      "def p(a: [9]i32, b: [9]i32): ([9]i32, [9]i32) = (a, b) |> iterate(3, (x, y) => (zip(x, y) |> map(+), "
      "y))");
  EXPECT_EQ(loops.find("exchange"), loops.rfind("exchange")) << loops;
}

TEST_F(States, StepsInPlaceNeedOneMemory) {
  const char* const pointwise =
      "def p(a: [4][2000]i32): [4][2000]i32 = a |> mapGlb(0, r => r |> iterate(3, v => v |> map(e => e * "
      "3)))";
  EXPECT_THAT(loops_of(pointwise), Not(HasSubstr("swap")));
  expect_right(pointwise);
  const char* const moving =
      "def p(a: [4][2000]i32): [4][2000]i32 = a |> mapGlb(0, r => r |> iterate(3, v => v |> reverse |> map(e "
      "=> e * 3)))";
  EXPECT_THAT(loops_of(moving), HasSubstr("swap"));
  expect_right(moving);
}

TEST_F(States, GroupsReadAllOfAStateBeforeTheyOverwriteIt) {
  for (const char* const step :
       {"let s = v |> reduceSeq(+, 0) in v |> mapLcl(0, e => e + s)",
        "v |> mapLcl(0, e => e + (v |> reduceSeq(+, 0)))", "v |> reverse |> mapLcl(0, e => e + v[0])"}) {
    expect_right(std::string("def p(a: [4][16]i32): [4][16]i32 =\n  a |> mapWrg(0, r => r |> mapLcl(0, id) "
                             "|> toLocal |> iterate(3, v => ") +
                 step + ") |> mapLcl(0, id))");
  }
}

TEST_F(States, ArraysThatChangePlacesAreNotOverwrittenTooEarly) {
  expect_right_by_default(
      "def p(a: [3][5]i32, b: [5]i32): [3][5]i32 =\n"
      "  a |> map(r => let (x, y) = (r, b) |> iterate(3, (x, y) => (y, x)) in zip(x, y) |> map((e, w) => 10 "
      "* e + w))");
  expect_right_by_default(
      "def p(a: [9]i32, m: i32): ([9]i32, i32) =\n"
      "  (a, 0) |> iterate(3, (i, v, s) =>\n"
      "    let (w, t) = (v, s) |> iterateWhile((w, t) => t < 20, 5, (j, w, t) => (w |> reverse |> map(e => e "
      "+ j), t + i + 1))\n"
      "    (w, t - 3))");
}

TEST_F(States, LengthsThatChangeInPrivateMemory) {
  expect_right_by_default(
      "def p(a: [4][8]f32): [4][8]f32 = a |> map(r => r |> iterate(4, v => generate(8, i => 0.5 * v[i])))");
  expect_right_by_default(
      "def p(a: [4][8]f32): [4][5]f32 = a |> map(r => r |> iterate(4, v => generate(5, i => 0.5 * v[i])))");
  expect_right_by_default(
      "def p(a: [4][8]f32): [4][1]f32 = a |> map(r => r |> iterate(3, v => v |> split(2) |> map(sum)))");
  expect_right_by_default(
      "def p(a: [4][64]f32): [4][44]f32 = a |> map(r => r |> iterate(20, v => v |> slide(2, 1) |> map(w => "
      "0.5 * (w[0] + w[1]))))");
  expect_right_by_default(
      "def p(a: [4][3]i32): [4][23]i32 = a |> map(r => r |> iterate(20, v => v |> pad(1, 0, clamp) |> map(e "
      "=> e + 1)))");
}

TEST_F(States, NoStepGivesTheStartWhichOthersOwn) {
  expect_right_by_default(
      "def p(a: [100]i64, b: i64): ([100]i64, i64) =\n"
      "  (if b >= 0i64 then (a |> iterate(0, v => v |> reverse)) |> iterate(2, v => v |> map(e => 2 * e) |> "
      "reverse)\n"
      "   else a |> scan((s, e) => b, 3 * b), a[44])");
}

TEST_F(States, AStepMayKnowItsNumber) {
  expect_right_by_default(
      "def p(a: [9]i32): [9]i32 = a |> iterate(4, (i, v) => v |> reverse |> map(e => e * 2 + i))");
  expect_right_by_default(
      "def p(a: [9]i32): ([9]i32, i32) = (a, 5) |> iterate(4, (i, (v, s)) => (v |> map(e => e * s + i), s - "
      "i))");
  expect_right_by_default(
      "def p(a: [3][9]i32): [3][9]i32 = a |> map(r => r |> iterate(4, (i, v) => v |> reverse |> map(e => e * "
      "2 + i)))");
  expect_right_by_default("def p(s: i32): i32 = s |> iterate(7, (i, v) => v * 2 + i)");
}

TEST_F(States, TheNumberOfStepsMayBeComputed) {
  expect_right_by_default(
      "def p(a: [9]i32, y: [4]i32): [9]i32 = a |> iterate(y[1] % 5, v => v |> reverse |> map(e => e * 2 + "
      "1))");
  expect_right_by_default(
      "def p(a: [9]i32, m: i32): [9]i32 = a |> iterate(m % 4, (i, v) => v |> map(e => e * 2 + i))");
  expect_right_by_default(
      "def p(a: [5][9]i32): [5][9]i32 = a |> map(r => r |> iterate(r[0] % 4, (i, v) => v |> map(e => e * 2 + "
      "i)))");
  expect_right_by_default("def p(a: [5]i32): [5]i32 = a |> map(e => e |> iterate(e % 4, s => s * 3 + 1))");
}

TEST_F(States, TheDataMayEndAnIteration) {
  expect_right_by_default(
      "def p(a: [9]i32): [9]i32 = a |> iterateWhile(v => v[0] < 1000, 20, v => v |> map(e => abs(e % 100) * "
      "2 + 1))");
  expect_right_by_default(
      "def p(a: [9]i32): ([9]i32, i32) =\n"
      "  (a, 0) |> iterateWhile((v, s) => s < 50, 30, (i, (v, s)) => (v |> reverse |> map(e => e + i), s + "
      "7))");
  expect_right_by_default(
      "def p(a: [50]i32): [50]i32 = a |> map(e => e |> iterateWhile(s => abs(s) > 3, 100, s => s / 2))");
  expect_right_by_default(
      "def p(a: [5][9]i32): [5][9]i32 =\n"
      "  a |> map(r => r |> iterateWhile(v => abs(v[1]) > 10, 50, v => v |> map(e => e / 2) |> reverse))");
  expect_right_by_default(
      "def p(a: [9]i32): [9]i32 = a |> iterateWhile(v => false, 20, v => v |> map(e => e + 1))");
}

TEST_F(States, AGroupThatGoesOnTogetherIsRefused) {
  EXPECT_THAT(message_of("def p(a: [4][9]i32): [4][9]i32 =\n"
                         "  a |> mapWrg(0, r => r |> iterateWhile(v => v[0] < 9, 20, v => v |> mapLcl(0, e "
                         "=> e * 2)) |> mapLcl(0, id))"),
              HasSubstr("known only when the kernel runs"));
}

TEST_F(States, WholeArraysPerStepAreSharedOut) {
  const std::string text =
      "def p(a: [20]f32, x: [900]f32): [900]f32 = iota(20) |> reduce((s, i) => s |> map(e => e * 0.5 + "
      "a[i]), x)";
  EXPECT_THAT(mapped(text), HasSubstr("repeat (20) number"));
  expect_right_by_default(text);
}

}  // namespace
}  // namespace hoist::lower
