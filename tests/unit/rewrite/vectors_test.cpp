// Macro rules that compute in vectors.
#include "rewrite/strategies/vectors.hpp"

#include <gmock/gmock.h>

#include "rewrite/strategies/hierarchy.hpp"
#include "rewrite/strategies/nests.hpp"
#include "unit/rewrite/macro_rules.hpp"

namespace hoist::rewrite {
namespace {

using testing::HasSubstr;

TEST(MapVectors, AlongTheInnermostDimension) {
  const char* const programs[] = {
      "def p(x: [24]i32, y: [24]i32, a: i32) = zip(x, y) |> map((e, f) => a * e + f)",
      // Rows have a value of their own, and columns.
      "def p(x: [6][8]i32, r: [6]i32, c: [8]i32) =\n"
      "  zip(x, r) |> map((row, ri) => zip(row, c) |> map((e, cj) => e * ri + cj))",
      "def p(x: [8][6]i32) = transpose(x) |> map(map(e => max(e, 0) + 2 * e))"};
  for (const char* program : programs) {
    const ir::Arena arena;
    const std::string in_vectors = after(map_in_vectors(4), program);
    EXPECT_THAT(in_vectors, HasSubstr("asVector(4)"));
    expect_same(program, in_vectors, {});
    const auto tiled =
        rewrite(program_of(program),
                all_of({top_down(map_in_vectors(2)),
                        top_down(tile_nest(1, {Dealing::Neighbours, TileOwner::Group})), map_hierarchy()}),
                {3});
    if (tiled) expect_same(program, ir::to_string(tiled->program), {});
  }
}

TEST(MapVectors, AreAsLongAsTheirScalarsAllow) {
  const ir::Arena arena;
  const auto of_bytes = [](const char* scalar) {
    return after(map_in_vectors_of_bytes(16),
                 std::string("def p(x: [64]") + scalar + ") = x |> map(e => e + e)");
  };
  EXPECT_THAT(of_bytes("f64"), HasSubstr("asVector(2)"));
  EXPECT_THAT(of_bytes("f32"), HasSubstr("asVector(4)"));
  EXPECT_THAT(of_bytes("i8"), HasSubstr("asVector(16)"));
  EXPECT_THAT(reason(map_in_vectors_of_bytes(16), "def p(x: [64]f32) = x |> map(e => e < 0.0)"),
              HasSubstr("it is no nest of numbers"));
}

TEST(MapVectors, SaysWhyItDeclines) {
  const ir::Arena arena;
  const auto why = [](const char* text) { return reason(map_in_vectors(4), text); };
  EXPECT_THAT(why("def p(x: [N][M]i32) = x |> map(sum)"), HasSubstr("its body has a loop"));
  EXPECT_THAT(why("def p(x: [N](i32, i32)) = x |> map(e => e.0)"), HasSubstr("is no scalar"));
  EXPECT_THAT(why("def p(x: [N]i32) = x |> map(e => (e, e))"), HasSubstr("its elements are no scalars"));
  EXPECT_THAT(why("def p(x: [N]i32) = x |> slide(3, 1) |> map(w => w[0] + w[2])"),
              HasSubstr("what it reads along the innermost dimension is no scalar"));
  EXPECT_THAT(reason(map_in_vectors(4), "def p(x: [6]i32) = x |> map(e => e + 1)"),
              HasSubstr("4 does not divide 6"));
}

}  // namespace
}  // namespace hoist::rewrite
