// Macro rules on nests around a reduction. Random nests are in tests/equivalence.
#include "rewrite/strategies/hoisting.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "rewrite/strategies/hierarchy.hpp"
#include "rewrite/strategies/nests.hpp"
#include "unit/rewrite/macro_rules.hpp"

namespace hoist::rewrite {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* product =
    "def p(A: [M][K]i32, B: [K][N]i32) = A |> map(row => transpose(B) |> map(column => dotProduct(row, "
    "column)))";
const std::map<std::string, std::int64_t> product_sizes{{"M", 8}, {"N", 12}, {"K", 6}};

TEST(HoistReduce, AroundTheNestAtOnceAndByChunks) {
  const ir::Arena arena;
  const std::string whole = after(hoist_reduce(), product);
  EXPECT_THAT(whole, HasSubstr("reduceSeq"));
  expect_same(product, whole, product_sizes);
  expect_same(product, after(hoist_reduce_by_chunks(), product, {3}), product_sizes);
}

TEST(HoistReduce, ByChunksThatNeedNotDivide) {
  for (const std::int64_t size : {1, 6, 7, 8}) {
    const ir::Arena arena;
    expect_same(product, after(hoist_reduce_by_guarded_chunks(), product, {4}),
                {{"M", 5}, {"N", 3}, {"K", size}});
  }
  const ir::Arena arena;
  const auto why = [](const char* text) { return reason(hoist_reduce_by_guarded_chunks(), text); };
  const char* unknown = "no elements are known to leave the reduced value as it is";
  EXPECT_THAT(why("def p(x: [M][N]i32) = x |> map(row => row |> map(e => e + 1) |> reduce(+, 0))"),
              HasSubstr(unknown));
  EXPECT_THAT(why("def p(x: [M][N]i32) = x |> map(row => row |> map(e => e + 2) |> reduce(*, 1))"),
              HasSubstr(unknown));
  EXPECT_THAT(why("def p(x: [M][40]i32) = x |> map(row => row |> reduce(+, 0))"),
              HasSubstr("chunks of usual sizes divide what is reduced"));
}

TEST(HoistReduce, GuardedChunksAreFilledUpWithWhatTheOperatorLeaves) {
  const char* const programs[] = {
      // The last element again.
      "def p(x: [M][N]i32) = x |> map(row => row |> reduce(max, -5))",
      "def p(x: [M][N]i32, y: [N]i32) = x |> map(row => zip(row, y) |> map((a, b) => a + 3 * b) |> "
      "reduce(min, 7))",
      // The neutral element, of arrays that are zipped, too.
      "def p(x: [M][N]i32) = x |> map(row => row |> reduce(*, 2))",
      "def p(x: [M][N]i32) = x |> map(row => zip(row, iota(N)) |> reduce(associative(neutral(\n"
      "  (a, b) => if a.0 < b.0 || (a.0 == b.0 && a.1 < b.1) then a else b, (100000, N))), (100000, N)))"};
  for (const char* program : programs) {
    for (const std::int64_t size : {1, 6, 7, 8}) {
      const ir::Arena arena;
      const std::map<std::string, std::int64_t> sizes{{"M", 3}, {"N", size}};
      expect_same(program, after(hoist_reduce_by_guarded_chunks(), program, {4}), sizes);
      expect_same(program, after(split_reduction_guarded(), program, {4}), sizes);
    }
  }
}

TEST(HoistReduce, SaysWhyItDeclines) {
  const ir::Arena arena;
  EXPECT_THAT(reason(hoist_reduce(), "def p(x: [N]i32) = x |> map(e => e + 1)"), HasSubstr("no reduction"));
  EXPECT_THAT(reason(hoist_reduce(), "def p(x: [N][M]i32) = x |> map(r => sum(r) + maximum(r))"),
              HasSubstr("2 reductions"));
}

TEST(HoistReduce, ByColumnsOfRowsPutTogether) {
  const ir::Arena arena;
  const char* convolution =
      "def p(x: [H + 2][W + 1]i32, k: [3][2]i32) =\n"
      "  x |> map(slide(2, 1)) |> slide(3, 1) |> map(transpose) |> map(map(n =>\n"
      "    zip(join(n), join(k)) |> map(*) |> reduce(+, 7)))";
  const std::string columns = after(hoist_reduce_by_columns(), convolution);
  EXPECT_THAT(columns, HasSubstr("split(2) |> transpose"));
  expect_same(convolution, columns, {{"H", 4}, {"W", 5}});
}

TEST(HoistReduce, ByColumnsSaysWhyItDeclines) {
  const ir::Arena arena;
  EXPECT_THAT(reason(hoist_reduce_by_columns(), product), HasSubstr("not made of rows that are joined"));
  EXPECT_THAT(reason(hoist_reduce_by_columns(),
                     "def p(x: [N][3][2]i32) = x |> map(m => join(m) |> reduce((a, b) => a - b, 0))"),
              HasSubstr("not known to be associative and commutative"));
  EXPECT_THAT(
      reason(hoist_reduce_by_columns(), "def p(x: [N][3][2]i32) = x |> map(m => join(m) |> reduceSeq(+, 0))"),
      HasSubstr("not known to be associative and commutative"));
}

TEST(SplitReduction, ByGroupsAndThenOfWhatTheyLeave) {
  const ir::Arena arena;
  const std::string split = after(split_reduction(), product, {3});
  EXPECT_THAT(split, HasSubstr("mapWrg(2"));
  EXPECT_THAT(split, HasSubstr("toGlobal"));
  expect_same(product, split, product_sizes);
  for (const std::int64_t size : {1, 6, 7, 8}) {
    const ir::Arena of_this_size;
    expect_same(product, after(split_reduction_guarded(), product, {4}), {{"M", 5}, {"N", 3}, {"K", size}});
  }
}

TEST(SplitReduction, FewElementsAreEachReducedByAGroup) {
  const ir::Arena arena;
  const char* few = "def p(A: [3][K]i32) = A |> map(row => 2 * reduce(+, 5, row))";
  EXPECT_THAT(after(split_reduction(), few, {4}), HasSubstr("reduceLcl"));
  expect_same(few, after(split_reduction(), few, {4}), {{"K", 12}});
  const char* many = "def p(A: [20000][K]i32) = A |> map(row => 2 * reduce(+, 5, row))";
  EXPECT_THAT(after(split_reduction(), many, {4}), Not(HasSubstr("reduceLcl")));
  // Chunks keep their order, which a group does not.
  const char* in_order =
      "def p(A: [3][K]i32) = A |> map(row => reduce(associative(neutral((a, b) => a + b + a * b, 0)), 0, "
      "row))";
  EXPECT_THAT(after(split_reduction(), in_order, {4}), Not(HasSubstr("reduceLcl")));
  expect_same(in_order, after(split_reduction(), in_order, {4}), {{"K", 12}});
}

TEST(SplitReduction, TilesOfTheProductAreTilesOfAChunksProduct) {
  const ir::Arena arena;
  const Strategy derivation =
      all_of({top_down(split_reduction()), top_down(tile_nest(2, {Dealing::Neighbours, TileOwner::Group})),
              top_down(hoist_reduce_by_chunks()),
              top_down(tile_accumulation({Dealing::Neighbours, TileOwner::ItemOfGroup})), map_hierarchy()});
  const auto result = rewrite(program_of(product), derivation, {6, 4, 6, 3, 2, 3});
  ASSERT_TRUE(result) << result.error().reason;
  expect_same(product, ir::to_string(result->program), {{"M", 8}, {"N", 12}, {"K", 18}});
  // Three dimensions of groups are too many beside that of the chunks.
  const char* batch = "def p(A: [2][3][4][K]i32) = A |> map(map(map(reduce(+, 0))))";
  const auto third = rewrite(
      program_of(batch),
      all_of({top_down(split_reduction()), top_down(tile_nest(3, {Dealing::Neighbours, TileOwner::Group}))}));
  EXPECT_FALSE(third);
}

TEST(SplitReduction, SaysWhyItDeclines) {
  const ir::Arena arena;
  EXPECT_THAT(reason(split_reduction(), "def p(x: [M][N]i32) = x |> map(row => row |> reduceSeq(+, 0))"),
              HasSubstr("not known to be associative"));
  EXPECT_THAT(
      reason(split_reduction(), "def p(x: [M][N]i32) = x |> map(row => row |> reduce((a, b) => a - b, 0))"),
      HasSubstr("not known to be associative"));
  const char* sums = "def p(x: [100][5000]i32) = x |> map(row => row |> reduce(+, 0))";
  EXPECT_THAT(reason(split_reduction({99, 1}), sums), HasSubstr("fill the processor"));
  EXPECT_THAT(reason(split_reduction({100, 5001}), sums), HasSubstr("reduces fewer than 5001 elements"));
  EXPECT_THAT(reason(split_reduction({100, 5000}), sums), HasSubstr("rewritten"));
  EXPECT_THAT(reason(split_reduction_guarded(), sums), HasSubstr("chunks of usual sizes divide"));
}

}  // namespace
}  // namespace hoist::rewrite
