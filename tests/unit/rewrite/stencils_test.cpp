// Stencils as vectors, with windows in registers. Random stencils are in tests/equivalence.
#include "rewrite/strategies/stencils.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "unit/rewrite/macro_rules.hpp"

namespace hoist::rewrite {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(VectorWindows, ReadTheMiddleAsAVectorByEveryBorder) {
  for (const char* rule : {"clamp", "mirror", "wrap", "7"}) {
    for (const auto& [before, rest] : {std::pair(1, 1), {2, 0}, {0, 3}, {4, 4}}) {
      const ir::Arena arena;
      const std::string text = fmt::format("def p(x: [N]i32) = x |> pad({}, {}, {}) |> slide({}, 4)", before,
                                           rest, rule, before + rest + 4);
      const std::string vectors = after(vector_windows(4), text);
      EXPECT_THAT(vectors, HasSubstr("asVector(4)"));
      expect_same(text, vectors, {{"N", 12}});
    }
  }
}

TEST(VectorWindows, DeclineOtherWindows) {
  const ir::Arena arena;
  const auto why = [](const char* text) { return reason(vector_windows(4), text); };
  EXPECT_THAT(why("def p(x: [N]i32) = x |> split(4)"), HasSubstr("it is no slide"));
  EXPECT_THAT(why("def p(x: [N]i32) = x |> pad(1, 1, clamp) |> slide(6, 2)"),
              HasSubstr("its windows do not consist of 4 elements"));
  EXPECT_THAT(why("def p(x: [N]i32, y: [R]i32) = x |> pad(R, R, clamp) |> slide(4 + 2 * R, 4)"),
              HasSubstr("not a known number"));
  EXPECT_THAT(why("def p(x: [N](i32, i32)) = x |> pad(1, 1, clamp) |> slide(6, 4)"),
              HasSubstr("only scalars"));
  // More before than a vector holds.
  EXPECT_THAT(why("def p(x: [N]i32) = x |> pad(5, 0, clamp) |> slide(9, 4)"), HasSubstr("vectorWindows(4)"));
}

constexpr const char* five_points =
    "def p(u: [H][W]i32) = u |> pad2(1, 1, clamp) |> slide2(3, 1)"
    " |> map2(n => n[1][1] - n[0][1] + 2 * n[2][1] + 3 * n[1][0] + 4 * n[1][2])";

TEST(StreamWindows, MovesVectorsAndTheScalarsBesideThemThroughRegisters) {
  const ir::Arena arena;
  const std::string streamed = after(stream_windows(4), five_points, {2});
  EXPECT_THAT(streamed, HasSubstr("mapGlb(1, "));
  EXPECT_THAT(streamed, HasSubstr("mapSeqSlide(3, 1, "));
  EXPECT_THAT(streamed, HasSubstr("|> map(asVector(4))"));
  // Of the rows above and below, vectors alone are read.
  EXPECT_THAT(streamed, HasSubstr("asScalar(generate(1, i => window[0].1))"));
  EXPECT_THAT(streamed, Not(HasSubstr("window[0].0")));
  expect_same(five_points, streamed, {{"H", 6}, {"W", 12}});
}

TEST(StreamWindows, WithoutVectors) {
  const ir::Arena arena;
  const std::string streamed = after(stream_windows(1), five_points, {3});
  EXPECT_THAT(streamed, Not(HasSubstr("asVector")));
  expect_same(five_points, streamed, {{"H", 6}, {"W", 5}});
}

TEST(StreamWindows, MovesWhatIsComputedOfAPlaceWhereThatIsLess) {
  const ir::Arena arena;
  const char* separable =
      "def line(r) = r[0] + 2 * r[1] + r[2]\n"
      "def p(u: [H][W]i32) = u |> pad2(1, 1, wrap) |> slide2(3, 1)"
      " |> map2(n => line(n[0]) + 2 * line(n[1]) + line(n[2]))";
  const std::string streamed = after(stream_windows(4), separable, {2});
  EXPECT_THAT(streamed, HasSubstr("zip(window[0], window[1], window[2])"));
  expect_same(separable, streamed, {{"H", 4}, {"W", 8}});
}

TEST(StreamWindows, UnrollsReductionsOfAWindow) {
  const ir::Arena arena;
  const char* convolution =
      "def p(u: [H][W]i32, w: [3][3]i32) = u |> pad2(1, 1, mirror) |> slide2(3, 1)"
      " |> map2(n => dotProduct(join(n), join(w)))";
  const std::string streamed = after(stream_windows(2), convolution, {2});
  EXPECT_THAT(streamed, Not(HasSubstr("reduce")));
  expect_same(convolution, streamed, {{"H", 4}, {"W", 6}});
}

TEST(StreamWindows, ReadsArraysBesideAndMakesTuples) {
  const ir::Arena arena;
  const char* both =
      "def p(u: [H][W]i32, q: [H][W]i32, c: [W]i32) ="
      " zip2(u |> pad2(0, 1, clamp) |> slide2(2, 1), q) |> map(row => zip(row, c)"
      " |> map(((n, s), k) => (n[0][0] + k * n[1][1] - s, n[0][1])) |> unzip) |> unzip";
  expect_same(both, after(stream_windows(4), both, {2}), {{"H", 4}, {"W", 8}});
}

TEST(StreamWindows, OneDimensionHasVectorsAlone) {
  const ir::Arena arena;
  const char* line =
      "def p(x: [N]i32) = x |> pad(2, 2, clamp) |> slide(5, 1) |> map(n => n[0] + n[2] - n[4])";
  const std::string vectors = after(stream_windows(4), line);
  EXPECT_THAT(vectors, Not(HasSubstr("mapSeqSlide")));
  expect_same(line, vectors, {{"N", 8}});
}

TEST(StreamWindows, OfAnySizeAreComputedUpToTheNextMultiple) {
  for (const char* rule : {"clamp", "mirror", "wrap", "7"}) {
    const ir::Arena arena;
    const std::string text = fmt::format(
        "def p(u: [19][37]i32, c: [37]i32) = u |> pad2(1, 1, {}) |> slide2(3, 1)"
        " |> map(row => zip(row, c) |> map((n, k) => k * n[1][1] - n[0][1] + 2 * n[2][1] + 3 * n[1][2]))",
        rule);
    const std::string streamed = after(stream_windows(4, true), text, {2});
    EXPECT_THAT(streamed, HasSubstr("mapSeqSlide(3, 1, "));
    EXPECT_THAT(streamed, HasSubstr("take(37)"));
    expect_same(text, streamed, {});
  }
  const ir::Arena arena;
  EXPECT_THAT(reason(stream_windows(4, true),
                     "def p(x: [40]i32) = x |> pad(1, 1, clamp) |> slide(3, 1) |> "
                     "map(n => n[0] + n[2])"),
              HasSubstr("usual widths and rows divide all dimensions"));
}

TEST(StreamWindows, AreSharedOutInsideOfGroups) {
  const ir::Arena arena;
  const char* groups =
      "def p(u: [G][H][W]i32) = u |> mapWrg(0, t => t |> slide2(3, 1) |> map2(n => n[1][1] + n[2][0]))";
  const std::string streamed = after(stream_windows(1), groups, {2});
  EXPECT_THAT(streamed, HasSubstr("mapLcl(1, "));
  expect_same(groups, streamed, {{"G", 2}, {"H", 6}, {"W", 7}});
}

TEST(StreamWindows, SayWhyTheyDecline) {
  const auto why = [](const std::string& rest) {
    const ir::Arena arena;
    return reason(stream_windows(4), "def p(u: [H][W]i32, k: i32) = u" + rest);
  };
  EXPECT_THAT(why(""), HasSubstr("it is no map"));
  EXPECT_THAT(why(" |> map2(e => e + 1)"), HasSubstr("it reads no windows"));
  EXPECT_THAT(why(" |> slide2(3, 1) |> map2(n => n[k][0])"), HasSubstr("indices that are not constant"));
  EXPECT_THAT(why(" |> slide2(3, 2) |> map2(n => n[0][0])"), HasSubstr("neither of scalars nor of windows"));
  EXPECT_THAT(why(" |> slide2(3, 1) |> map2(n => n[0][0] + reduce(+, 0, u[0]))"), HasSubstr("a loop"));
  EXPECT_THAT(why(" |> slide2(3, 1) |> map2(n => n[0])"), HasSubstr("indices that are not constant"));
  EXPECT_THAT(why(" |> slide2(3, 1) |> mapGlb(0, mapSeq(n => n[0][0]))"), HasSubstr("no map"));
}

TEST(StreamWindows, OfSizesThatDoNotDivideAreRefused) {
  const ir::Arena arena;
  const auto streamed = rewrite(program_of(five_points), stream_windows(4), {2});
  ASSERT_TRUE(streamed);
  const auto assumptions = ir::size_assumptions(streamed->program.function);
  for (const auto& [h, w, holds] : {std::tuple(6, 8, true), {5, 8, false}, {6, 10, false}}) {
    bool all = true;
    for (const ir::SizeAssumption& each : assumptions) {
      arith::Bindings values;
      for (const arith::Expr& size : streamed->program.sizes)
        values[size.get()] = arith::to_string(size) == "H" ? h : w;
      all = all && arith::evaluate(each.predicate, values).value_or(false);
    }
    EXPECT_EQ(all, holds) << h << " x " << w;
  }
}

}  // namespace
}  // namespace hoist::rewrite
