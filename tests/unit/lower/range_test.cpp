// Reductions of a range of elements, and arrays with an element replaced.
#include "ir/print.hpp"
#include "rewrite/default_mapping.hpp"
#include "unit/lower/lowered.hpp"

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

TEST_F(Range, ComparisonsOfIndicesSayWhatIsRead) {
  for (const std::string op : {"<", "<=", ">", ">=", "==", "!="}) {
    expect_right("def f(x: [9]f32) = iota(9) |> mapGlb(0, i => if i " + op +
                 " 4 then x[i] else 2.0 * x[8 - i])");
    expect_right("def f(x: [9]f32) = iota(9) |> mapGlb(0, i => if 4 " + op +
                 " i then x[i] else 2.0 * x[8 - i])");
    for (const std::string both : {" && ", " || "}) {
      expect_right("def f(x: [9]f32, k: i32) = iota(9) |> mapGlb(0, i =>\n  if i " + op + " 4" + both + "k " +
                   op + " i then x[i] else 2.0 * x[8 - i])");
      expect_right("def f(x: [9]f32, k: [9]i32) = zip(iota(9), k) |> mapGlb(0, (i, e) =>\n  if i " + op +
                   " 4" + both + "e " + op + " i then x[i] else 2.0 * x[8 - i])");
    }
  }
}

TEST_F(Range, EndsAreDataAndCutToTheArray) {
  // Random integers are below 0, inside and beyond the end; some ranges are empty.
  expect_right(
      "def f(x: [7]f32, from: [64]i32, to: [64]i32) =\n"
      "  zip(from, to) |> mapGlb(0, (i, j) => x |> reduceRange(+, 1.5, i, j))");
  expect_right(
      "def f(x: [7]f32, k: i32) = generate(3, i => x |> reduceUpTo(+, 0.0, k - i)) |> mapGlb(0, id)");
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
      "                                            fill(4, 0.0) |> mapLcl(0, id) |> toLocal, n) |> mapLcl(0, "
      "id))");
}

TEST_F(Range, WorkItemsWithRangesOfTheirOwnDoNotWait) {
  EXPECT_THAT(
      message_of("def f(A: [6][4]f32) =\n"
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
      "    x |> update(i, b[i] - (zip(L[i], x) |> map(*) |> reduceUpTo(+, 0, i))), fill(9, 0.0) |> "
      "mapSeq(id)))";
  EXPECT_THAT(loops_of(text,
                       [] {
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

TEST_F(Update, ElementsThatChangePlacesAreThoseOfTheOldArray) {
  expect_right(
      "def f(x: [3][6]f32) = x |> mapGlb(0, row => row |> mapSeq(id) |> iterate(5, (i, a) =>\n"
      "  a |> update(i, a[i + 1]) |> update(i + 1, a[i])) |> mapSeq(id))");
  expect_right(
      "def f(x: [3][9]f32) = x |> mapGlb(0, row => row |> reduceSeq((a, e) =>\n"
      "  a |> update(2, a[3] + e) |> update(3, a[2]), fill(4, 1.0) |> mapSeq(id)) |> mapSeq(id))");
  expect_right(
      "def f(x: [3][9]f32, k: [9]i32) = x |> mapGlb(0, row => zip(row, k) |> reduceSeq((a, (e, i)) =>\n"
      "  let j = abs(i) % 400\n"
      "  a |> update(j, a[399 - j] + e) |> update(399 - j, a[j]), fill(400, 1.0) |> mapSeq(id)) |> "
      "mapSeq(id))");
}

/// The steps of the host, of a program as the default mapping shares it out; checked against the interpreter.
class UpdateOnHost : public Update {
 protected:
  std::string steps_of(const std::string& text) {
    ir::Program program = testing_support::program_of(text);
    auto mapped = rewrite::default_mapping(program, target::Processor::Gpu);
    if (!mapped) throw std::runtime_error(mapped.error().render());
    const std::string low = ir::to_string(mapped->program);
    expect_right(low);
    const std::string loops = loops_of(low);
    return loops.substr(loops.find("steps {"));
  }
};

TEST_F(UpdateOnHost, ARowOfTheStateIsWrittenWhereItLies) {
  // The new row is made of those before it.
  const std::string steps = steps_of(
      "def f(A: [6][5]f32) = A |> iterate(5, (i, x) =>\n"
      "  let row = zip(x[i], x[i + 1]) |> map(+)\n"
      "  update(i + 1, row, x))");
  EXPECT_THAT(steps, Not(HasSubstr("exchange"))) << steps;
}

TEST_F(UpdateOnHost, AnElementThatIsReducedOfTheStateIsWrittenWhereItLies) {
  const std::string steps = steps_of(
      "def f(b: [9]f32, L: [9][9]f32) = fill(9, 0.0) |> iterate(9, (i, x) =>\n"
      "  x |> update(i, b[i] - (zip(L[i], x) |> map(*) |> reduceUpTo(+, 0, i))))");
  EXPECT_THAT(steps, Not(HasSubstr("exchange"))) << steps;
}

TEST_F(UpdateOnHost, SeveralPartsAndSeveralElements) {
  const std::string steps = steps_of(
      "def f(A: [6][5]f32, c: [6]f32) = (A, c) |> iterate(5, (i, x, y) =>\n"
      "  let row = zip(x[i], x[i + 1]) |> map(+)\n"
      "  let s = sum(row)\n"
      "  (update(i + 1, row, update(0, row, x)), update(i, s, y)))");
  EXPECT_THAT(steps, Not(HasSubstr("exchange"))) << steps;
}

TEST_F(UpdateOnHost, WhatIsReadAfterwardsIsKept) {
  // Each needs the other's old elements: the first cannot be written in place.
  const std::string both = steps_of(
      "def f(x: [6]f32, y: [6]f32) = (x, y) |> iterate(5, (i, a, b) =>\n"
      "  (update(i, 2.0 * b[i], a), update(i, a[i] + 1.0, b)))");
  EXPECT_THAT(both, HasSubstr("exchange")) << both;
  // The second reads what the first replaces.
  steps_of("def f(x: [6]f32) = x |> iterate(5, (i, a) => a |> update(i, a[i + 1]) |> update(i + 1, a[i]))");
  steps_of("def f(x: [6]f32) = x |> iterate(5, (i, a) => a |> update(i, 7.0) |> update(5, a[i] + 1.0))");
  steps_of("def f(x: [6]f32) = x |> iterate(5, (i, a) => a |> update(5 - i, 7.0) |> update(i, a[i] + 1.0))");
  // What is left of the state is read by all.
  steps_of(
      "def f(A: [6][5]f32) = A |> iterate(5, (i, x) => zip(update(i, x[i + 1], x), x) |> map((a, b) =>\n"
      "  zip(a, b) |> map(+)))");
}

TEST_F(UpdateOnHost, WhereDataSay) {
  steps_of("def f(x: [6]f32, p: [5]i32) = x |> iterate(5, (i, a) => a |> update(abs(p[i]) % 6, 0.5 * a[i]))");
  steps_of(
      "def f(A: [6][5]f32, p: [5]i32) = A |> iterate(5, (i, x) =>\n"
      "  update(abs(p[i]) % 6, x[i] |> map(e => 0.5 * e), x))");
}

/// What a result has a copy of is computed in the result's place.
TEST_F(UpdateOnHost, AStageThatTheResultHoldsIsComputedThere) {
  const auto launches = [](const std::string& steps) {
    std::size_t count = 0;
    for (std::size_t at = steps.find("launch"); at != std::string::npos; at = steps.find("launch", at + 1))
      ++count;
    return count;
  };
  const std::string both =
      steps_of("def f(x: [60]f32) = let y = x |> scan(+, 0.0)\n  (reverse(y) |> map(e => e * e), y)");
  EXPECT_EQ(launches(both), 2U) << both;
  const std::string twice =
      steps_of("def f(x: [60]f32) = let y = x |> scan(+, 0.0)\n  (y, reverse(y) |> map(e => e * e), y)");
  EXPECT_EQ(launches(twice), 3U) << twice;
  const std::string exchanged = steps_of(
      "def f(x: [60]f32, y: [60]f32) = (x, y) |> iterate(3, (a, b) =>\n"
      "  let c = zip(a, reverse(b)) |> scan((s, (u, v)) => s + u * v, 0.0)\n"
      "  (reverse(c) |> map(e => 0.5 * e), c))");
  EXPECT_EQ(launches(exchanged), 2U) << exchanged;
}

TEST_F(Update, AnIndexOutsideIsAFault) {
  EXPECT_THAT(loops_of("def f(x: [7]f32, i: i32) = x |> update(i, 1.0) |> mapGlb(0, id)"),
              HasSubstr(std::string(fault_flag)));
}

}  // namespace
}  // namespace hoist::lower
