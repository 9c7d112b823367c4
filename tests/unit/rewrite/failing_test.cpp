// Which terms may have no value: it is never said of one that it cannot fail where it can.
#include "rewrite/failing.hpp"

#include <gtest/gtest.h>

#include "ir/inspect.hpp"
#include "unit/rewrite/macro_rules.hpp"

namespace hoist::rewrite {
namespace {

bool fails(const std::string& expression) {
  const ir::Arena arena;
  const ir::Program program =
      program_of("def p(x: [N]i32, y: [8][N]i32, i: i32, j: i32, k: u8) = " + expression);
  const auto* function = program.function.as<ir::Lambda>();
  return can_fail(ir::apply(program.function, ir::fresh_parameters(*function)));
}

TEST(CanFail, IndicesThatAreNotInTheirArray) {
  EXPECT_TRUE(fails("x[i]"));
  EXPECT_TRUE(fails("x[max(i, 0)]"));
  EXPECT_TRUE(fails("x[min(i, N - 1)]"));
  EXPECT_TRUE(fails("x[max(0, min(N, i))]"));
  EXPECT_TRUE(fails("y[8 - i % 8][0]"));
  EXPECT_FALSE(fails("x[max(0, min(N - 1, i))]"));
  EXPECT_FALSE(fails("y[min(max(i, 0), 7)][0]"));
  EXPECT_FALSE(fails("y[3][N - 1]"));
}

TEST(CanFail, IndicesOfFunctions) {
  EXPECT_FALSE(fails("generate(N, i => x[i])"));
  EXPECT_TRUE(fails("generate(N, i => x[i + 1])"));
  EXPECT_FALSE(fails("generate(N, i => x[max(i - 1, 0)])"));
  EXPECT_FALSE(fails("zip(iota(N), x) |> map((i, e) => x[i] + e)"));
  EXPECT_TRUE(fails("zip(iota(N), x) |> map((i, e) => x[e] + i)"));
  EXPECT_FALSE(fails("x |> gather(i => N - 1 - i)"));
  EXPECT_TRUE(fails("x |> gather(i => i + 1)"));
  EXPECT_TRUE(fails("x |> scatter(i => i + j)"));
  EXPECT_TRUE(fails("x |> update(i, 3)"));
  EXPECT_TRUE(fails("x |> map(e => x[e]) |> scan(+, 0)"));
  EXPECT_TRUE(fails("let a = x[i] in x |> map(e => e + a)"));
}

// A sum that may wrap is any number.
TEST(CanFail, NumbersThatWrap) {
  EXPECT_TRUE(fails("x[max(i, 0) + min(j, 0)]"));
  EXPECT_TRUE(fails("8 / (max(i, 0) + 1)"));
  EXPECT_FALSE(fails("8 / (max(min(i, 5), 0) + 1)"));
}

TEST(CanFail, OperationsWithoutAValue) {
  EXPECT_TRUE(fails("i / j"));
  EXPECT_TRUE(fails("i % j"));
  EXPECT_FALSE(fails("i / max(j, 1)"));
  EXPECT_FALSE(fails("i / (-1)"));
  EXPECT_TRUE(fails("1 / (i / 2 * 0)"));
  EXPECT_TRUE(fails("shl(i, j)"));
  EXPECT_FALSE(fails("shl(i, 31)"));
  EXPECT_FALSE(fails("shr(i, max(0, min(j, 31)))"));
  EXPECT_TRUE(fails("pow(i, j)"));
  EXPECT_TRUE(fails("x |> reduce((s, e) => s / e, 1)"));
  EXPECT_FALSE(fails("f32(i) / f32(j)"));
  EXPECT_FALSE(fails("x |> map(e => e * e) |> scan(+, i) |> pad(1, 1, clamp) |> slide(3, 1) |> map(sum)"));
}

}  // namespace
}  // namespace hoist::rewrite
