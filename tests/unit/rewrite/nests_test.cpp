// Macro rules on nests, and what they derive further: hierarchy and copies. Random nests are in
// tests/equivalence.
#include "rewrite/strategies/nests.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "rewrite/lengthening.hpp"
#include "rewrite/nest.hpp"
#include "rewrite/strategies/hierarchy.hpp"
#include "rewrite/strategies/hoisting.hpp"
#include "rewrite/strategies/memory.hpp"
#include "unit/rewrite/macro_rules.hpp"

namespace hoist::rewrite {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* product =
    "def p(A: [M][K]i32, B: [K][N]i32) = A |> map(row => transpose(B) |> map(column => dotProduct(row, "
    "column)))";
constexpr const char* stencil =
    "def p(u: [H][W]i32) = u |> pad2(1, 1, clamp) |> slide2(3, 1) |> map2(n => n[1][1] - 2 * n[0][2] + "
    "n[2][1])";
const std::map<std::string, std::int64_t> product_sizes{{"M", 8}, {"N", 12}, {"K", 6}};

constexpr Tiling in_groups{Dealing::Neighbours, TileOwner::Group};

TEST(Nest, SeesThroughZipsInsideOfMaps) {
  const ir::Arena arena;
  const ir::Program program =
      program_of("def p(x: [N][M]i32, y: [N][M]i32) = zip2(x, y) |> map2((a, b) => a + b)");
  const auto nest = nest_of(program.function.as<ir::Lambda>()->body);
  ASSERT_TRUE(nest);
  EXPECT_EQ(nest->rank(), 2U);
  ASSERT_EQ(nest->inputs.size(), 2U);
  for (const NestInput& input : nest->inputs) EXPECT_NE(input.array.as<ir::Bound>(), nullptr);
}

TEST(TileNest, ByEveryOwnerAndDealing) {
  for (const Dealing dealing : {Dealing::Neighbours, Dealing::Blocks}) {
    for (const TileOwner owner : {TileOwner::Open, TileOwner::WorkItem, TileOwner::Group}) {
      const ir::Arena arena;
      // A tile's size, and a block's where there are blocks.
      const std::vector<arith::Expr> sizes =
          dealing == Dealing::Blocks ? std::vector<arith::Expr>{4, 2, 6, 3} : std::vector<arith::Expr>{4, 6};
      expect_same(product, after(tile_nest(2, {dealing, owner}), product, sizes), product_sizes);
    }
  }
}

TEST(TileNest, WindowsBecomeTilesThatOverlap) {
  const ir::Arena arena;
  const std::string tiled = after(tile_nest(2), stencil, {2, 4});
  EXPECT_THAT(tiled, HasSubstr("slide(4, 2)"));
  EXPECT_THAT(tiled, HasSubstr("slide(6, 4)"));
  expect_same(stencil, tiled, {{"H", 6}, {"W", 8}});
}

TEST(TileNest, RotatedArraysAreCutAsOthersAre) {
  const ir::Arena arena;
  const char* torus =
      "def p(u: [H][W]i32) =\n"
      "  zip(u |> rotate(-1), u |> map(rotate(1))) |> map((above, right) => zip(above, right) |> map((a, b) "
      "=> a - 2 * b))";
  const std::string tiled = after(tile_nest(2, in_groups), torus, {2, 4});
  EXPECT_THAT(tiled, HasSubstr("mapWrg"));
  EXPECT_THAT(tiled, HasSubstr("rotate(-1) |> map(split(4)) |> split(2)"));
  expect_same(torus, tiled, {{"H", 6}, {"W", 8}});
}

TEST(TileNest, GuardedOfAnySize) {
  const Tiling guarded{Dealing::Neighbours, TileOwner::Group, true};
  for (const std::int64_t size : {1, 5, 8}) {
    const ir::Arena arena;
    expect_same(product, after(tile_nest(2, guarded), product, {4, 3}), {{"M", size}, {"N", 7}, {"K", 3}});
    expect_same(stencil, after(tile_nest(2, guarded), stencil, {3, 4}), {{"H", size}, {"W", 7}});
  }
}

TEST(TileNest, GuardsOnlyWhatUsualTilesDoNotDivide) {
  const ir::Arena arena;
  const Tiling guarded{Dealing::Neighbours, TileOwner::Group, true};
  const char* rows = "def p(x: [40][37]i32) = x |> map(map(e => e + 1))";
  const std::string tiled = after(tile_nest(2, guarded), rows, {8, 16});
  EXPECT_THAT(tiled, HasSubstr("pad(0, 11, clamp)"));
  EXPECT_THAT(tiled, HasSubstr("map(take(37))"));
  EXPECT_THAT(tiled, Not(HasSubstr("take(40)")));
  expect_same(rows, tiled, {});
  EXPECT_THAT(reason(tile_nest(2, guarded), "def p(x: [40][64]i32) = x |> map(map(e => e + 1))"),
              HasSubstr("tiles of usual sizes divide all dimensions"));
  EXPECT_TRUE(has_usual_tiles(1000) && has_usual_tiles(13) && has_usual_tiles(1));
  for (const std::int64_t length : {24, 40, 56, 64, 96, 1024, 8 * 25, 2048, 4096})
    EXPECT_TRUE(has_usual_tiles(length)) << length;
  // Divided by 8, but by nothing even between 16 and 32, or between 32 and 64.
  for (const std::int64_t length : {8 * 127, 8 * 19, 16 * 37, 4072})
    EXPECT_FALSE(has_usual_tiles(length)) << length;
  EXPECT_FALSE(has_usual_tiles(4093) || has_usual_tiles(100) || has_usual_tiles(arith::size("N")));
}

/// Borders become longer instead of being clamped once more.
TEST(TileNest, GuardedWindowsHaveOneBorder) {
  const ir::Arena arena;
  const Tiling guarded{Dealing::Neighbours, TileOwner::Group, true};
  for (const char* mode : {"clamp", "mirror", "wrap", "7"}) {
    const std::string text = fmt::format(
        "def p(u: [21][37]i32) = u |> pad2(1, 1, {}) |> slide2(3, 1) |> map2(n => n[1][1] - 2 * n[0][2] + "
        "n[2][1])",
        mode);
    const std::string tiled = after(tile_nest(2, guarded), text, {4, 8});
    expect_same(text, tiled, {});
    const bool is_clamp = mode == std::string("clamp");
    EXPECT_EQ(tiled.find("pad(1, 4, clamp)") != std::string::npos, is_clamp) << tiled;
  }
}

TEST(TileNest, SaysWhyItDeclines) {
  const ir::Arena arena;
  EXPECT_THAT(reason(tile_nest(3), product), HasSubstr("it is no nest of 3 maps"));
  EXPECT_THAT(reason(tile_nest(2, {Dealing::Neighbours, TileOwner::ItemOfGroup}), product),
              HasSubstr("there is no mapWrg around it"));
  EXPECT_THAT(reason(under_maps(1, tile_nest(1, in_groups)),
                     "def p(x: [M][N]i32) = x |> mapGlb(0, row => row |> map(e => e + 1))"),
              HasSubstr("it is inside a work-item"));
}

TEST(TileNest, GivesBackItsSizesWhereItDeclines) {
  const ir::Arena arena;
  // The first strategy takes two sizes before it finds the types to differ.
  const Strategy wrong = step("wrong", [](ir::Term term, Context& context) -> Outcome {
    return ir::call(ir::Op::Split, {context.choose("t")}, {term});
  });
  EXPECT_EQ(after(or_else(wrong, tile_nest(2)), product, {4, 6}), after(tile_nest(2), product, {4, 6}));
}

TEST(ItemsInGroups, HaveTheSameElementsEach) {
  const ir::Arena arena;
  const char* scaled = "def p(x: [24][32]i32) = x |> map(map(e => 3 * e))";
  const Strategy derivation = all_of({top_down(tile_nest(2, {Dealing::Neighbours, TileOwner::WorkItem})),
                                      top_down(items_in_groups()), map_hierarchy()});
  const auto result = rewrite(program_of(scaled), derivation, {2, 4, 3, 8});
  ASSERT_TRUE(result) << result.error().reason;
  const std::string mapped = ir::to_string(result->program);
  for (const char* map : {"mapWrg(1", "mapWrg(0", "mapLcl(1", "mapLcl(0"})
    EXPECT_THAT(mapped, HasSubstr(map));
  EXPECT_THAT(mapped, Not(HasSubstr("mapGlb")));
  expect_same(scaled, mapped, {});
  EXPECT_THAT(reason(items_in_groups(), scaled), HasSubstr("it is no mapGlb"));
}

TEST(TileAccumulation, InsideOfGroups) {
  const ir::Arena arena;
  const Strategy derivation =
      all_of({top_down(tile_nest(2, in_groups)), top_down(hoist_reduce_by_chunks()),
              top_down(tile_accumulation({Dealing::Neighbours, TileOwner::ItemOfGroup})), map_hierarchy()});
  const auto result = rewrite(program_of(product), derivation, {4, 6, 3, 2, 3});
  ASSERT_TRUE(result) << result.error().reason;
  const std::string mapped = ir::to_string(result->program);
  EXPECT_THAT(mapped, HasSubstr("toPrivate"));
  EXPECT_THAT(mapped, Not(HasSubstr(" map(+)")));
  expect_same(product, mapped, product_sizes);
}

TEST(TileAccumulation, SaysWhyItDeclines) {
  const ir::Arena arena;
  EXPECT_THAT(reason(tile_accumulation(), "def p(x: [N][M]i32) = x |> map(sum)"),
              HasSubstr("neither a reduceSeq whose accumulators are arrays"));
  EXPECT_THAT(
      reason(tile_accumulation(),
             "def p(x: [N][M]i32) = x |> reduceSeq((acc, r) => zip(acc, r) |> map((a, e) => a + e + acc[0]),"
             " generate(M, i => 0))"),
      HasSubstr("other than element by element"));
}

TEST(ReorderNest, PutsDimensionsInAnyOrder) {
  const ir::Arena arena;
  const char* cube =
      "def p(x: [A][C]i32, y: [B]i32) = x |> map(r => y |> map(b => r |> map(c => b * c + r[0])))";
  for (const std::vector<std::size_t>& order : {std::vector<std::size_t>{1, 0}, {0, 1}})
    expect_same(product, after(reorder_nest(order), product), product_sizes);
  for (const std::vector<std::size_t>& order : {std::vector<std::size_t>{2, 0, 1}, {1, 2, 0}, {2, 1, 0}})
    expect_same(cube, after(reorder_nest(order), cube), {{"A", 2}, {"B", 3}, {"C", 4}});
  EXPECT_THAT(after(reorder_nest({2, 1, 0}), product), HasSubstr("it is no nest of 3 maps"));
}

TEST(MapHierarchy, LeavesViewsOfWhatIsMappedAlone) {
  const ir::Arena arena;
  const char* fused =
      "def p(x: [N]i32) = x |> map(e => e * e) |> slide(4, 2) |> mapGlb(0, c => c |> mapSeqSlide(3, 1, w => "
      "w[0] + w[2]))";
  EXPECT_EQ(after(map_hierarchy(), fused), after(attempt(rule("map_seq_fusion")), fused));
}

TEST(MapHierarchy, PutsMapsAroundWorkItemsOnFurtherDimensions) {
  const ir::Arena arena;
  EXPECT_EQ(after(map_hierarchy(), "def p(x: [M][N]i32) = x |> map(r => r |> mapGlb(0, e => e + 1))"),
            after(identity(), "def p(x: [M][N]i32) = x |> mapGlb(1, r => r |> mapGlb(0, e => e + 1))"));
}

TEST(MapHierarchy, DealsOutAccumulatorsOfInnerReductionsAlike) {
  const ir::Arena arena;
  const Strategy derivation = all_of({top_down(tile_nest(1, in_groups)), top_down(hoist_reduce_by_chunks()),
                                      top_down(hoist_reduce()), map_hierarchy()});
  const char* sums = "def p(x: [N][K]i32) = x |> map(r => 3 + sum(r))";
  const auto result = rewrite(program_of(sums), derivation, {2, 3});
  ASSERT_TRUE(result) << result.error().reason;
  EXPECT_THAT(ir::to_string(result->program), Not(HasSubstr("mapSeq(id)")));
}

TEST(CopyToLocal, TilesOfThreeDimensionsByThree) {
  const ir::Arena arena;
  const char* cube =
      "def p(u: [D][H][W]i32) = u |> pad3(1, 1, clamp) |> slide3(3, 1) |> map3(n => n[1][1][1] - n[0][2][1])";
  const Strategy derivation = all_of({top_down(tile_nest(3, in_groups)), map_hierarchy(),
                                      bottom_up(copy_to_local({0, 2, 1, CopyOrder::Rows, 2, 0}))});
  const auto result = rewrite(program_of(cube), derivation, {2, 2, 4});
  ASSERT_TRUE(result) << result.error().reason;
  const std::string copied = ir::to_string(result->program);
  EXPECT_THAT(copied, HasSubstr("mapLcl(2, mapLcl(1, mapLcl(0, id))) |> toLocal"));
  expect_same(cube, copied, {{"D", 4}, {"H", 4}, {"W", 8}});
}

TEST(CopyToLocal, SaysWhyItDeclines) {
  const ir::Arena arena;
  const char* groups = "def p(x: [M][N]i32) = x |> mapWrg(0, mapLcl(0, e => e + 1))";
  EXPECT_THAT(reason(copy_to_local({1, 0, 1, CopyOrder::Rows, 0, 0}), groups), HasSubstr("reads no array 1"));
  EXPECT_THAT(reason(copy_to_local({0, 1, 1, CopyOrder::Rows, 0, 0}), groups),
              HasSubstr("has rank 1, too few dimensions"));
  EXPECT_THAT(reason(copy_to_local({}), "def p(x: [M][N]i32) = x |> mapWrg(0, mapSeq(e => e + 1))"),
              HasSubstr("there is no mapLcl inside"));
  EXPECT_THAT(reason(copy_to_local({}), "def p(x: [M][N]i32) = x |> map(map(e => e + 1))"),
              HasSubstr("it is neither mapWrg nor reduceSeq"));
}

TEST(Prefetch, SaysWhyItDeclines) {
  const ir::Arena arena;
  EXPECT_THAT(reason(under_maps(1, prefetch_copies()),
                     "def p(x: [M][N]i32) = x |> mapGlb(0, r => r |> reduceSeq(+, 0))"),
              HasSubstr("does not begin with a copy"));
}

}  // namespace
}  // namespace hoist::rewrite
