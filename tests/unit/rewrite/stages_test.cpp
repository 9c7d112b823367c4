// What the default mapping stores and what it computes again; that it computes the same is tested on random
// programs in tests/equivalence.
#include "rewrite/stages.hpp"

#include <gmock/gmock.h>

#include "rewrite/default_mapping.hpp"
#include "unit/rewrite/macro_rules.hpp"

namespace hoist::rewrite {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

struct Mapped {
  std::string text;
  std::vector<std::string> notes;
};

/// With sizes put in, as a run does.
Mapped mapped(const std::string& text, const std::map<std::string, std::int64_t>& sizes) {
  ir::Program program = program_of(text);
  arith::Substitution values;
  for (const auto& [name, value] : sizes) values.emplace(arith::size(name).get(), arith::constant(value));
  program.function = ir::substitute_sizes(program.function, values);
  for (auto& parameter : program.parameters) parameter.type = ir::substitute(parameter.type, values);
  program.sizes.clear();
  const auto result = default_mapping(program, target::Processor::Gpu);
  if (!result) throw std::runtime_error(result.error().render() + text);
  std::string printed = ir::to_string(result->program);
  const auto comparison =
      interpret::compare(value_of(text, sizes), value_of(result->program, {}), {1e-5, false});
  EXPECT_TRUE(comparison && comparison->agrees()) << printed;
  return {std::move(printed), result->notes};
}

int kernels(const std::string& text) {
  int count = 0;
  for (std::size_t at = text.find("let shared"); at != std::string::npos;
       at = text.find("let shared", at + 1))
    ++count;
  return count + 1;
}

const std::string sums = "def f(u) = u |> pad2(1, 1, clamp) |> slide2(3, 1) |> map2(w => w |> join |> sum)\n";

TEST(Stages, ChainsOfStencilsAreStoredPointByPoint) {
  const ir::Arena arena;
  const Mapped plain = mapped(sums + "def p(u: [N][N]f32) = u |> f |> f", {{"N", 16}});
  EXPECT_EQ(kernels(plain.text), 2);
  // The windows are not stored: a let at the end of the definition makes the same.
  const std::string bound =
      "def f(u) =\n  let v = u |> pad2(1, 1, clamp) |> slide2(3, 1) |> map2(w => w |> join |> sum)\n  v\n";
  EXPECT_EQ(mapped(bound + "def p(u: [N][N]f32) = u |> f |> f", {{"N", 16}}).text, plain.text);
  EXPECT_EQ(mapped(sums + "def p(u: [N][N]f32) =\n  let v = f(u)\n  f(v)", {{"N", 16}}).text, plain.text);
}

TEST(Stages, ChainsInsideOfMapsToo) {
  const ir::Arena arena;
  const Mapped planes = mapped(sums + "def p(u: [P][N][N]f32) = u |> map(f >> f >> f)", {{"P", 3}, {"N", 8}});
  EXPECT_EQ(kernels(planes.text), 3);
  EXPECT_THAT(planes.text, HasSubstr("mapGlb(2, mapGlb(1, mapGlb(0, id)))"));
}

TEST(Stages, ScansOfRowsAreStoredWhereTheirElementsAreReadAlone) {
  const ir::Arena arena;
  const Mapped twice = mapped(
      "def p(u: [P][N][N]f32) = u |> map(plane => plane |> map(scan(+, 0.0)) |> transpose |> map(scan(+, "
      "0.0)))",
      {{"P", 2}, {"N", 40}});
  EXPECT_EQ(kernels(twice.text), 2);
  EXPECT_THAT(twice.text, HasSubstr("mapGlb(1, mapGlb(0, scan(+, 0.0)))"));
  EXPECT_THAT(twice.notes, IsEmpty());
}

TEST(Stages, RowsThatAreShortStayInRegisters) {
  const ir::Arena arena;
  const Mapped rows = mapped("def p(x: [N][M]f32) = x |> map(r => zip(r |> scan(+, 0.0), r) |> map(+))",
                             {{"N", 64}, {"M", 8}});
  EXPECT_EQ(kernels(rows.text), 1);
  EXPECT_THAT(rows.text, Not(HasSubstr("mapGlb(1")));
}

TEST(Stages, ProductsOfProductsAreComputedOnce) {
  const ir::Arena arena;
  const Mapped product = mapped(
      "def matmul(A, B) = A |> map(row => B |> transpose |> map(col => dotProduct(row, col)))\n"
      "def p(A: [N][N]i32, B: [N][N]i32, C: [N][N]i32, D: [N][N]i32) = matmul(matmul(A, B), matmul(C, D))",
      {{"N", 8}});
  EXPECT_EQ(kernels(product.text), 3);
}

TEST(Stages, WhatOneOperationMakesIsComputedAgain) {
  const ir::Arena arena;
  EXPECT_EQ(
      kernels(
          mapped("def p(x: [N]f32) = x |> map(e => 2.0 * e) |> slide(3, 1) |> map(sum)", {{"N", 64}}).text),
      1);
  // A square root for each of nine neighbours is not.
  const Mapped roots =
      mapped("def p(x: [N]f32) = x |> map(e => sqrt(e * e)) |> slide(9, 1) |> map(sum)", {{"N", 64}});
  EXPECT_EQ(kernels(roots.text), 2);
}

TEST(Stages, AScalarOfARowIsStoredForItsElements) {
  const ir::Arena arena;
  const Mapped scaled =
      mapped("def p(x: [N][M]f32) = x |> map(row =>\n  let s = sum(row)\n  row |> map(e => e * s))",
             {{"N", 4}, {"M", 64}});
  EXPECT_EQ(kernels(scaled.text), 2);
  EXPECT_THAT(scaled.text, HasSubstr("mapGlb(1, mapGlb(0, id))"));
}

TEST(Stages, AnIterationOfOneStepIsWhatTheStepMakes) {
  const ir::Arena arena;
  const std::string step = "def step(u) = u |> pad(1, 1, clamp) |> slide(3, 1) |> map(sum)\n";
  const std::map<std::string, std::int64_t> sizes{{"N", 16}};
  EXPECT_EQ(mapped(step + "def p(u: [N]f32) = u |> iterate(1, step)", sizes).text,
            mapped(step + "def p(u: [N]f32) = step(u)", sizes).text);
  const std::string of_two = "def p(u: [N]f32, v: [N]f32) = (u, v) |> ";
  EXPECT_THAT(mapped(step + of_two + "iterate(1, (a, b) => (step(b), step(a)))", sizes).text,
              Not(HasSubstr("iterate")));
  EXPECT_THAT(mapped(step + of_two + "iterate(2, (a, b) => (step(b), step(a)))", sizes).text,
              HasSubstr("iterate"));
  EXPECT_THAT(mapped(step + "def p(u: [N]f32) = step(u) |> iterate(1, step)", sizes).text,
              Not(HasSubstr("iterate")));
}

TEST(Stages, RowsTakeTheStepsOfAnIterationSideBySide) {
  const ir::Arena arena;
  const Mapped steps = mapped(
      "def p(x: [N][M]f32) = x |> map(r => r |> iterate(3, v => v |> pad(1, 1, clamp) |> slide(3, 1) |> "
      "map(sum)))",
      {{"N", 4}, {"M", 64}});
  EXPECT_THAT(steps.text, HasSubstr("mapGlb(1, mapGlb(0, id))"));
}

TEST(Stages, RowsOfGeneratedArraysAreSharedOut) {
  const ir::Arena arena;
  const Mapped rows =
      mapped("def p(x: [N][M]f32) = generate(N, i => x[i] |> scan(+, 0.0))", {{"N", 8}, {"M", 64}});
  EXPECT_THAT(rows.text, HasSubstr("mapGlb(0"));
  EXPECT_THAT(rows.notes, IsEmpty());
}

TEST(Stages, TuplesOfRowsAreComputedOnceForAllComponents) {
  const ir::Arena arena;
  const Mapped pairs =
      mapped("def p(x: [N][M]f32) = x |> map(row => row |> map(e => (e + 1.0, e * 2.0)) |> unzip) |> unzip",
             {{"N", 8}, {"M", 8}});
  EXPECT_EQ(kernels(pairs.text), 1);
  EXPECT_THAT(pairs.text, HasSubstr("mapGlb(1, mapGlb(0, id))"));
}

// Numbers in x are from -8 to 15: what has t[e] in it fails where it is computed though the condition does
// not hold.
constexpr const char* never_right = "(r |> map(e => t[e - 100]) |> scan(+, 0))";

TEST(Stages, WhatCannotFailIsStoredBeforeTheConditionThatGuardsIt) {
  const ir::Arena arena;
  const Mapped scans = mapped(
      "def p(x: [N][M]i32, s: i32) = x |> map(r => r |> map(e => if e > s then (r |> scan(+, 0))[3] else e))",
      {{"N", 3}, {"M", 64}});
  EXPECT_EQ(kernels(scans.text), 2);
  EXPECT_THAT(scans.text, HasSubstr("mapGlb(1, mapGlb(0, id))"));
}

TEST(Stages, WhatMayFailIsStoredUnderTheConditionThatGuardsIt) {
  const ir::Arena arena;
  const Mapped scans = mapped(
      std::string("def p(x: [N][M]i32, t: [M]i32) = x |> map(r => if r[0] > 100 then r |> map(e => e + ") +
          never_right + "[3]) else r)",
      {{"N", 3}, {"M", 64}});
  EXPECT_EQ(kernels(scans.text), 2);
  EXPECT_LT(scans.text.find("if "), scans.text.find("let shared"));
}

TEST(Stages, ChoicesAreStoredAsWholes) {
  const ir::Arena arena;
  const Mapped padded = mapped(
      std::string("def p(x: [N][M]i32, t: [M]i32) = x |> map(r => r |> padValue(1, 0, if r[0] > 100 then ") +
          never_right + "[3] else 0))",
      {{"N", 3}, {"M", 64}});
  EXPECT_THAT(padded.text, HasSubstr("each0 |> pad(1, 0, each1)"));
  EXPECT_THAT(padded.text, HasSubstr("mapGlb(1, mapGlb(0, id))"));
}

TEST(Stages, OneSideOfAChoiceIsLaunched) {
  const ir::Arena arena;
  const std::string choice = std::string("def p(r: [M]i32, t: [M]i32, s: i32) = if s > 100 then ") +
                             never_right + " |> map(e => e * e) else ";
  const Mapped one = mapped(choice + "r", {{"M", 64}});
  EXPECT_THAT(one.text, HasSubstr("condition, 1, (step, state)"));
  EXPECT_THAT(one.notes, IsEmpty());
  const Mapped both = mapped(
      choice + "(r |> scan(+, t[3]) |> map(e => r[max(min(e, M - 1), 0)]) |> scan(max, 0))", {{"M", 64}});
  EXPECT_THAT(both.text, HasSubstr("!condition, 1, (step, state)"));
  EXPECT_THAT(both.notes, IsEmpty());
}

TEST(Stages, SaysWhatIsComputedAgain) {
  const ir::Arena arena;
  const Mapped folded = mapped(
      "def p(x: [N]f32, y: [M][M]f32) = x |> map(e => y |> reduce((acc, row) =>\n"
      "  let far = row |> map(a => exp(acc + a) / sqrt(a * a + 1.0))\n"
      "  row |> map(b => (far |> reduce(max, b)) * e) |> sum, 0.0))",
      {{"N", 3}, {"M", 64}});
  EXPECT_THAT(folded.notes, testing::Contains(HasSubstr("it depends on what a loop has computed so far")));
}

}  // namespace
}  // namespace hoist::rewrite
