// Every definition of the prelude: what it makes of its arguments.
#include "lang/names.hpp"
#include "lang/parser.hpp"
#include "support.hpp"

namespace hoist::lang {
namespace {

std::string result(const std::string& parameters, const std::string& body) {
  const ir::Arena arena;
  const ir::Program program = program_of("def f(" + parameters + ") = " + body);
  expect_round_trip(program);
  return ir::to_string(program.result());
}

TEST(Prelude, ParsesAndNamesNothingTwice) {
  Diagnostics diagnostics;
  const auto file = parse(prelude(), diagnostics);
  const syntax::File none;
  Globals globals(none, *file);
  resolve(*file, globals, diagnostics);
  const Source source{"prelude", prelude()};
  EXPECT_TRUE(diagnostics.empty()) << diagnostics.take().render(&source);
  EXPECT_GT(file->definitions.size(), 30U);
  for (const syntax::Definition& definition : file->definitions) {
    EXPECT_FALSE(definition.documentation.empty()) << definition.name;
    EXPECT_TRUE(definition.documentation.ends_with(".")) << definition.name;
  }
}

TEST(Prelude, ListsItsDefinitions) {
  const std::vector<PreludeDefinition> definitions = prelude_definitions();
  ASSERT_GT(definitions.size(), 30U);
  EXPECT_EQ(definitions[0].name, "zipWith");
  EXPECT_EQ(definitions[0].header, "zipWith(f, x, y)");
  EXPECT_EQ(definitions[0].documentation, "f on every pair of elements of two arrays.");
}

TEST(Prelude, MapsAndZips) {
  EXPECT_EQ(result("x: [N]f32, y: [N]f32", "zipWith(+, x, y)"), "[N]f32");
  EXPECT_EQ(result("x: [N]f32, y: [N]f32", "zipWith((a, b) => a > b, x, y)"), "[N]bool");
  EXPECT_EQ(result("x: [N][M]f32", "x |> map2(e => e > 0)"), "[N][M]bool");
  EXPECT_EQ(result("x: [N][M][K]f32", "x |> map3(i32)"), "[N][M][K]i32");
  EXPECT_EQ(result("x: [N][M]f32, y: [N][M]i32", "zip2(x, y)"), "[N][M](f32, i32)");
  EXPECT_EQ(result("x: [N][M][K]f32, y: [N][M][K]i32", "zip3(x, y)"), "[N][M][K](f32, i32)");
  EXPECT_EQ(result("x: [N]f32, y: [M]f32", "outerProduct(*, x, y)"), "[N][M]f32");
}

TEST(Prelude, Ranges) {
  EXPECT_EQ(result("x: [N]f32, k: i32", "x |> reduceUpTo(+, 0, k)"), "f32");
  EXPECT_EQ(result("x: [N]f64, k: i32", "x |> reduceFrom(max, 0, k + 1)"), "f64");
  EXPECT_EQ(result("x: [N]f32, k: i32", "x |> mapRange(e => e > 0, e => false, 1, k)"), "[N]bool");
}

TEST(Prelude, ArraysFromNothing) {
  EXPECT_EQ(result("x: [N]f32", "iota(N + 1)"), "[N + 1]i32");
  EXPECT_EQ(result("x: [N]f32", "fill(N, 2u8)"), "[N]u8");
  EXPECT_EQ(result("x: [N]f32", "fill(3, x)"), "[3][N]f32");
}

TEST(Prelude, Reductions) {
  for (const char* type : {"f32", "f64", "i32", "u8"}) {
    const std::string x = std::string("x: [N]") + type;
    for (const char* name : {"sum", "product", "maximum", "minimum", "head", "last"}) {
      EXPECT_EQ(result(x, std::string(name) + "(x)"), type) << name;
    }
    EXPECT_EQ(result(x, "dotProduct(x, x)"), type);
    EXPECT_EQ(result(x, "x |> scanExclusive(+, 0)"), std::string("[N]") + type);
  }
}

TEST(Prelude, PartsAndOrders) {
  EXPECT_EQ(result("x: [N](f32, i32)", "reverse(x)"), "[N](f32, i32)");
  EXPECT_EQ(result("x: [8][9]f32", "x |> take2(2, 3)"), "[2][3]f32");
  EXPECT_EQ(result("x: [8][9]f32", "x |> drop2(2, 3)"), "[6][6]f32");
  EXPECT_EQ(result("x: [A][B][C]f32", "transposeInner(x)"), "[A][C][B]f32");
}

TEST(Prelude, WhereElementsGo) {
  EXPECT_EQ(result("x: [N](f32, i32), t: [M]i32, v: [M](f32, i32)", "x |> scatterTo(t, v)"), "[N](f32, i32)");
  EXPECT_EQ(result("x: [N]f32", "x |> partition(e => e > 0)"), "(i32, [N]f32)");
  EXPECT_EQ(result("x: [N](f32, i32)", "x |> partition((e, i) => i % 2 == 0)"), "(i32, [N](f32, i32))");
  EXPECT_EQ(result("x: [N]f32", "x |> filter(e => e > 0, -1)"), "(i32, [N]f32)");
  EXPECT_EQ(result("x: [N]f64", "sort(x)"), "[N]f64");
  EXPECT_EQ(result("x: [N](f32, u8)", "x |> sortBy((e, b) => b)"), "[N](f32, u8)");
  EXPECT_EQ(result("x: [N]f32, s: [N]bool", "x |> segmentedScan(+, 0.0, s)"), "[N]f32");
  EXPECT_EQ(result("x: [N]i32, s: [N]bool", "x |> segmentedReduce(max, -1, 2 * N, s)"), "[2*N]i32");
}

TEST(Prelude, RandomNumbers) {
  EXPECT_EQ(result("s: u32", "random(12, s)"), "[12]f32");
  EXPECT_EQ(result("k: (u32, u32), c: [N](u32, u32, u32, u32)", "c |> map(each => philox(k, each))"),
            "[N](u32, u32, u32, u32)");
}

TEST(Prelude, Neighbourhoods) {
  EXPECT_EQ(result("x: [N]f32", "x |> windows(3)"), "[N - 2][3]f32");
  EXPECT_EQ(result("x: [H][W]f32", "x |> pad2(1, 2, mirror)"), "[H + 3][W + 3]f32");
  EXPECT_EQ(result("x: [D][H][W]f32", "x |> pad3(1, 2, wrap)"), "[D + 3][H + 3][W + 3]f32");
  EXPECT_EQ(result("x: [D][H][W]f32", "x |> pad3(1, 1, 0)"), "[D + 2][H + 2][W + 2]f32");
  EXPECT_EQ(result("x: [H][W]f32", "x |> slide2(3, 1)"), "[H - 2][W - 2][3][3]f32");
  EXPECT_EQ(result("x: [D][H][W]f32", "x |> slide3(3, 1)"), "[D - 2][H - 2][W - 2][3][3][3]f32");
}

TEST(Prelude, Tiles) {
  EXPECT_EQ(result("x: [8][12]f32", "x |> tile2(4, 3)"), "[2][4][4][3]f32");
  EXPECT_EQ(result("x: [8][12]f32", "x |> tile2(4, 3) |> untile2"), "[8][12]f32");
  EXPECT_EQ(result("x: [H][W]f32", "x |> tile2(?h, ?w) |> untile2"), "[H][W]f32");
  EXPECT_EQ(result("x: [10]f32", "x |> splitGuarded(4)"), "[3][4]f32");
  EXPECT_EQ(result("x: [N]f32", "x |> splitGuarded(?t) |> map(map(abs)) |> joinGuarded(N)"), "[N]f32");
}

TEST(Prelude, LowLevelMaps) {
  for (const char* name : {"mapGlb2", "mapWrg2", "mapLcl2", "mapSeq2"}) {
    EXPECT_EQ(result("x: [N][M]f32", std::string("x |> ") + name + "(i32)"), "[N][M]i32");
  }
}

TEST(Prelude, AFileMayUseItsNames) {
  EXPECT_EQ(result("x: [N]f32", "head(x)"), "f32");
  const ir::Arena arena;
  // A definition of the file comes before the prelude's.
  EXPECT_EQ(ir::to_string(program_of("def map2(f, x) = x\ndef f(x: [N]f32): [N]f32 = map2(abs, x)")),
            "def f(x: [N]f32): [N]f32 = x\n");
}

}  // namespace
}  // namespace hoist::lang
