// Reductions of a range of elements, and arrays with an element replaced.
#include "lowered.hpp"

namespace hoist::lower {
namespace {

using testing::HasSubstr;
using testing::Not;

class Range : public Lowering {};

TEST_F(Range, TriangularLoops) {
  const std::string text =
      "def f(A: [17][17]f32, x: [17]f32) =\n"
      "  zip(iota(17), A) |> mapGlb(0, (i, row) => zip(row, x) |> map(*) |> reduceUpTo(+, 0, i))";
  EXPECT_THAT(loops_of(text), HasSubstr("[0, g) step 1"));
  expect_right(text);
  const std::string upper =
      "def f(A: [17][17]f32, x: [17]f32) =\n"
      "  zip(iota(17), A) |> mapGlb(0, (i, row) => zip(row, x) |> map(*) |> reduceFrom(+, 0, i + 1))";
  EXPECT_THAT(loops_of(upper), HasSubstr("[g + 1, 17) step 1"));
  expect_right(upper);
}

TEST_F(Range, EndsAreDataAndCutToTheArray) {
  // Random integers are below 0, inside and beyond the end; some ranges are empty.
  expect_right(
      "def f(x: [7]f32, from: [64]i32, to: [64]i32) =\n"
      "  zip(from, to) |> mapGlb(0, (i, j) => x |> reduceRange(+, 1.5, i, j))");
  expect_right("def f(x: [7]f32, k: i32) = generate(3, i => x |> reduceUpTo(+, 0.0, k - i)) |> mapGlb(0, id)");
  expect_right("def f(x: [7]f32) = iota(2) |> mapGlb(0, i => x |> reduceRange(+, 2.0, 5, 3))");
  expect_right("def f(x: [7]f32) = iota(2) |> mapGlb(0, i => x |> reduceRange(+, 2.0, -5, 300))");
}

TEST_F(Range, IndicesThatDependOnTheRangeNeedNoCheck) {
  const std::string text =
      "def f(r: [9]f32) =\n"
      "  iota(9) |> mapGlb(0, k => generate(9, i => r[k - 1 - i] * r[i]) |> reduceUpTo(+, 0, k))";
  EXPECT_THAT(loops_of(text), Not(HasSubstr(std::string(fault_flag))));
  expect_right(text);
}

TEST_F(Range, AccumulatorsThatAreArrays) {
  expect_right(
      "def f(A: [6][4]f32, k: [5]i32) =\n"
      "  k |> mapGlb(0, n => A |> reduceRange((sums, row) => zip(sums, row) |> mapSeq(+),\n"
      "                                       fill(4, 0.0) |> mapSeq(id), n - 3, n))");
  expect_right(
      "def f(A: [6][4]f32) =\n"
      "  iota(3) |> mapWrg(0, n => A |> reduceUpTo((sums, row) => zip(sums, row) |> mapLcl(0, +),\n"
      "                                            fill(4, 0.0) |> mapLcl(0, id) |> toLocal, n) |> mapLcl(0, id))");
}

TEST_F(Range, WorkItemsWithRangesOfTheirOwnDoNotWait) {
  EXPECT_THAT(message_of("def f(A: [6][4]f32) =\n"
                         "  iota(3) |> mapWrg(0, g => iota(6) |> mapLcl(1, n =>\n"
                         "    A |> reduceUpTo((sums, row) => zip(sums, row) |> mapLcl(0, +),\n"
                         "                    fill(4, 0.0) |> mapLcl(0, id) |> toLocal, n) |> mapLcl(0, id)))"),
              HasSubstr("put reduceRange around mapLcl"));
}

class Update : public Lowering {};

TEST_F(Update, ReplacesOneElement) {
  expect_right("def f(x: [7]f32, e: f32) = x |> update(3, e) |> mapGlb(0, id)");
  expect_right("def f(x: [5][4]f32, row: [4]f32) = x |> update(4, row) |> mapGlb(1, mapGlb(0, id))");
  expect_right("def f(x: [5](f32, i32)) = x |> update(1, (2.5, 7)) |> mapGlb(0, (a, b) => (a, b))");
  expect_right(
      "def f(x: [7]f32) = iota(7) |> mapGlb(0, i =>\n"
      "  x |> update(i, 0.0) |> update(6 - i, 9.0) |> mapSeq(e => e + 1.0))");
}

TEST_F(Update, OfAnAccumulatorCostsOneElement) {
  const std::string text =
      "def f(b: [9]f32, L: [9][9]f32) =\n"
      "  iota(2) |> mapGlb(0, p => iota(9) |> reduceSeq((x, i) =>\n"
      "    x |> update(i, b[i] - (zip(L[i], x) |> map(*) |> reduceUpTo(+, 0, i))), fill(9, 0.0) |> mapSeq(id)))";
  EXPECT_THAT(loops_of(text, [] {
                Options options;
                (void)disable_pass(options, "private-array-unrolling");
                return options;
              }()),
              Not(HasSubstr("next")));
  expect_right(text);
}

TEST_F(Update, ReadsTheOldArray) {
  // Both new elements come from old ones: in place the second would read what the first has written.
  expect_right(
      "def f(x: [6]f32) =\n"
      "  iota(2) |> mapGlb(0, p => iota(5) |> reduceSeq((y, i) =>\n"
      "    y |> update(i, y[i + 1]) |> update(i + 1, y[i]), x |> mapSeq(id)))");
  expect_right(
      "def f(x: [6]f32) =\n"
      "  iota(2) |> mapGlb(0, p => iota(5) |> reduceSeq((y, i) =>\n"
      "    zip(y |> update(i, 2.0 * y[5 - i]), y) |> mapSeq(+), x |> mapSeq(id)))");
}

TEST_F(Update, AnIndexOutsideIsAFault) {
  EXPECT_THAT(loops_of("def f(x: [7]f32, i: i32) = x |> update(i, 1.0) |> mapGlb(0, id)"),
              HasSubstr(std::string(fault_flag)));
}

}  // namespace
}  // namespace hoist::lower
