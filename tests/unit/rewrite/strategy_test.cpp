// Combinators, traversals, normal forms and tiling.
#include "rewrite/strategy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/print.hpp"
#include "lang/lang.hpp"
#include "rewrite/strategies/catalogue.hpp"
#include "rewrite/strategies/nests.hpp"
#include "rewrite/strategies/normal_forms.hpp"

namespace hoist::rewrite {
namespace {

using testing::HasSubstr;

ir::Program program_of(const std::string& text) {
  auto program = lang::parse_program({"test", text});
  if (!program) throw std::runtime_error(program.error().render());
  return *program;
}

/// The program after the strategy, as text that reads back, or why it declined.
std::string after(const Strategy& strategy, const std::string& text, std::vector<arith::Expr> choices = {}) {
  const auto result = rewrite(program_of(text), strategy, std::move(choices));
  if (!result) return "declined: " + result.error().reason;
  const std::string printed = ir::to_string(result->program);
  EXPECT_EQ(program_of(printed).function, result->program.function) << printed;
  return printed;
}

bool mean_the_same(const std::string& a, const std::string& b) {
  return program_of(a).function == program_of(b).function;
}

constexpr const char* two_maps = "def p(x: [N]f32) = x |> map(e => e + 1.0) |> map(e => 2.0 * e)";
constexpr const char* nest = "def p(x: [M][N]f32) = x |> map(map(e => e + 1.0))";
constexpr const char* product =
    "def p(A: [M][K]f32, B: [K][N]f32) = A |> map(row => transpose(B) |> map(col => zip(row, col) |> map((a, "
    "b) => a * b)"
    " |> reduce(+, 0.0)))";

TEST(Strategy, ThenDeclinesAsAWhole) {
  const ir::Program program = program_of(two_maps);
  Context context(program.function);
  const ir::Term body = program.function.as<ir::Lambda>()->body;
  const Outcome result = then(rule("map_fusion"), rule("map_fusion"))(body, context);
  EXPECT_FALSE(result);
  EXPECT_TRUE(context.trace.empty());
}

TEST(Strategy, AttemptAndOrElse) {
  EXPECT_EQ(after(attempt(rule("reduce_seq")), two_maps), after(identity(), two_maps));
  EXPECT_EQ(after(or_else(rule("reduce_seq"), rule("map_fusion")), two_maps),
            after(rule("map_fusion"), two_maps));
  EXPECT_THAT(after(or_else(decline("one"), decline("two")), two_maps), HasSubstr("one; two"));
}

TEST(Strategy, RepeatIsBounded) {
  const std::string once = after(repeat(rule("split_join"), 1), two_maps);
  EXPECT_THAT(once, HasSubstr("split(?t)"));
  EXPECT_THAT(after(repeat(top_down(rule("split_join")), 3), two_maps), HasSubstr("split(?t3)"));
}

TEST(Strategy, TraversalsFindTheOutermostOrTheInnermost) {
  EXPECT_THAT(after(top_down(rule("map_seq")), nest), HasSubstr("mapSeq(map("));
  EXPECT_THAT(after(bottom_up(rule("map_seq")), nest), HasSubstr("map(mapSeq("));
  EXPECT_THAT(after(everywhere(rule("map_seq")), nest), HasSubstr("mapSeq(mapSeq("));
  EXPECT_THAT(after(under_maps(1, rule("map_seq")), nest), HasSubstr("map(mapSeq("));
  EXPECT_THAT(after(at_path({0, 0}, rule("map_seq")), nest), HasSubstr("map(mapSeq("));
  EXPECT_THAT(after(under_maps(3, rule("map_seq")), nest), HasSubstr("more maps are needed"));
}

TEST(Strategy, PlacesAreListed) {
  const ir::Program program = program_of(nest);
  const auto found =
      redexes(program.function.as<ir::Lambda>()->body, rule("map_seq"), Context(program.function));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(to_string(found[0].path), "root");
  EXPECT_EQ(to_string(found[1].path), "0.0");
}

TEST(Strategy, ThreadHierarchyIsRespected) {
  const Strategy local = top_down(rule("map_local_0"));
  EXPECT_THAT(after(local, nest), HasSubstr("mapLcl needs a mapWrg around it"));
  EXPECT_THAT(after(then(rule("map_group_0"), local), nest), HasSubstr("mapWrg(0, mapLcl(0"));
  EXPECT_THAT(after(then(rule("map_global_0"), top_down(rule("map_group_0"))), nest),
              HasSubstr("cannot stand inside mapGlb"));
  EXPECT_THAT(after(then(rule("map_seq"), top_down(rule("map_global_0"))), nest), HasSubstr("sequential"));
  EXPECT_THAT(after(then(rule("map_global_0"), top_down(rule("map_global_0"))), nest),
              HasSubstr("same dimension"));
  EXPECT_THAT(after(then(rule("map_global_1"), top_down(rule("map_global_0"))), nest),
              HasSubstr("mapGlb(1, mapGlb(0"));
}

TEST(Strategy, TraceSaysWhereAndWhat) {
  const auto result = rewrite(program_of(nest), bottom_up(rule("map_seq")));
  ASSERT_TRUE(result);
  ASSERT_EQ(result->trace.size(), 1U);
  EXPECT_EQ(result->trace[0].rule, "map_seq");
  EXPECT_EQ(result->trace[0].path, (Path{0, 0}));
}

TEST(NormalForms, Fuse) {
  EXPECT_TRUE(mean_the_same(after(fuse(),
                                  "def p(x: [N]f32, y: [N]f32) = zip(x |> map(e => e + 1.0), y) |> map((a, "
                                  "b) => a * b) |> map(sqrt)"),
                            "def p(x: [N]f32, y: [N]f32) = zip(x, y) |> map(e => sqrt((e.0 + 1.0) * e.1))"));
}

TEST(NormalForms, Simplify) {
  EXPECT_TRUE(mean_the_same(
      after(
          simplify(),
          "def p(x: [M][N]f32) = x |> transpose |> map(id) |> transpose |> join |> split(N) |> map(map(id))"),
      "def p(x: [M][N]f32) = x"));
  EXPECT_THAT(after(simplify(), two_maps), HasSubstr("declined"));
}

TEST(NormalForms, AreNormal) {
  const std::string once = after(normalize(), product);
  EXPECT_THAT(after(normalize(), once), HasSubstr("declined"));
}

TEST(Iterations, OfTreesComeApart) {
  const ir::Arena arena;
  const char* tree =
      "def p(x: [1024]i32) = x |> iterate(10, v => v |> split(2) |> map(reduce(+, 0))) |> reduce(+, 0)";
  const Strategy apart = top_down(rule("iterate_decomposition"));
  EXPECT_THAT(after(apart, tree, {3}), HasSubstr("iterate(7"));
  // With the number of steps left open, too: 2 ** i * 2 ** (10 - i) is known to be 1024.
  EXPECT_THAT(after(apart, tree), HasSubstr("iterate(?i"));
}

TEST(Tiling, KeepsTheNestAndItsType) {
  EXPECT_THAT(after(tile_nest(2), product, {4, 8}), HasSubstr("split(8)"));
  EXPECT_THAT(after(tile_nest(2), two_maps), HasSubstr("declined"));
}

TEST(Catalogue, ReadsStrategies) {
  EXPECT_TRUE(strategy_from_text("fuse"));
  const auto tiled = strategy_from_text("tile(2, [?a, 16])");
  ASSERT_TRUE(tiled);
  EXPECT_EQ(tiled->choices.size(), 2U);
  for (const char* wrong : {"tyle", "tile", "tile(7)", "tile(2,[4])", "tile(1,[x])", "tile(1,4)", "tile(1",
                            "fuse(2)", "tile(1,[0])"}) {
    EXPECT_FALSE(strategy_from_text(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace hoist::rewrite
