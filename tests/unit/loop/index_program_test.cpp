// Prepared index expressions have the value that arith gives them.
#include "loop/index_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

#include "arith/arena.hpp"

namespace hoist::loop {
namespace {

constexpr std::size_t lane_count = 16;

/// Evaluates with variable number v of `variables` in column v of `state`.
std::vector<std::int64_t> run(arith::Expr e, const std::vector<arith::Expr>& variables,
                              const std::vector<std::int64_t>& state, std::int64_t smallest = INT64_MIN,
                              std::int64_t largest = INT64_MAX) {
  const IndexProgram program(e, smallest, largest, [&](arith::Expr variable) {
    const auto found = std::find(variables.begin(), variables.end(), variable);
    return IndexProgram::Binding{false, 0, static_cast<std::int32_t>(found - variables.begin())};
  });
  std::vector<std::int64_t> scratch(program.columns() * lane_count);
  std::array<std::uint32_t, lane_count> lanes{};
  std::iota(lanes.begin(), lanes.end(), 0U);
  const std::int64_t* const result = program.evaluate(lanes, state.data(), scratch.data(), lane_count);
  return {result, result + lane_count};
}

class RandomExpr {
 public:
  RandomExpr(std::mt19937& random, const std::vector<arith::Expr>& variables)
      : random_(random), variables_(variables) {}

  arith::Expr make(int depth) {
    if (depth == 0) {
      return pick(3) == 0 ? arith::Expr(pick(15) - 5) : variables_[static_cast<std::size_t>(pick(3))];
    }
    const arith::Expr a = make(depth - 1), b = make(depth - 1);
    switch (pick(10)) {
      case 0:
        return a + b;
      case 1:
        return a - b;
      case 2:
        return a * b;
      case 3:
        return a / b;
      case 4:
        return a % b;
      case 5:
        return arith::minimum(a, b);
      case 6:
        return arith::maximum(a, b);
      case 7:
        return arith::ceiling_quotient(a * a, b * b + 1);
      case 8:
        return arith::power(a, pick(4));
      default:
        return arith::conditional({static_cast<arith::Relation>(pick(4)), a, b}, b, a);
    }
  }

 private:
  int pick(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }

  std::mt19937& random_;
  const std::vector<arith::Expr>& variables_;
};

TEST(IndexProgram, AgreesWithArithmetic) {
  int without_value = 0;
  for (std::uint32_t seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE(seed);
    const arith::Arena arena;
    std::mt19937 random(seed);
    const std::vector<arith::Expr> variables{arith::data("x"), arith::data("y"), arith::data("z")};
    const arith::Expr e = RandomExpr(random, variables).make(4);
    std::vector<std::int64_t> state(3 * lane_count);
    for (std::int64_t& each : state) each = static_cast<std::int64_t>(random() % 21) - 10;
    const std::vector<std::int64_t> results = run(e, variables, state);
    for (std::size_t lane = 0; lane < lane_count; ++lane) {
      arith::Bindings bindings;
      for (std::size_t v = 0; v < 3; ++v) bindings[variables[v].get()] = state[v * lane_count + lane];
      const std::optional<std::int64_t> expected = arith::evaluate(e, bindings);
      ASSERT_EQ(is_valid(results[lane]), expected.has_value()) << arith::to_string(e);
      ASSERT_EQ(results[lane], expected.value_or(results[lane])) << arith::to_string(e);
      without_value += expected ? 0 : 1;
    }
  }
  EXPECT_GT(without_value, 100);
}

TEST(IndexProgram, KnowsTheRangeOfItsType) {
  const arith::Arena arena;
  const std::vector<arith::Expr> variables{arith::data("x"), arith::data("y"), arith::data("z")};
  const arith::Expr x = variables[0], y = variables[1], z = variables[2];
  std::vector<std::int64_t> state(3 * lane_count);
  for (std::size_t lane = 0; lane < lane_count; ++lane) {
    state[lane] = 100000;
    state[lane_count + lane] = 30000;
    state[2 * lane_count + lane] = 2000000000;
  }
  const auto as_i32 = [&](arith::Expr e) { return run(e, variables, state, INT32_MIN, INT32_MAX)[0]; };
  EXPECT_EQ(as_i32(x * y), out_of_range);
  EXPECT_EQ(as_i32(x * y / 50000), out_of_range) << "also in the middle";
  EXPECT_EQ(as_i32((y * y) % 7), 30000LL * 30000 % 7);
  EXPECT_EQ(as_i32(x + z + z - x * 30000), out_of_range);
  EXPECT_EQ(as_i32(2 * x + z - y), 2000170000) << "the parts of a sum may be added in any order";
  EXPECT_EQ(as_i32(x / (y - 30000)), no_value);
  EXPECT_EQ(as_i32(arith::Expr(std::int64_t{1} << 40)), out_of_range);
  EXPECT_EQ(run(z * z * z * z, variables, state)[0], out_of_range) << "64 bits have an end as well";
}

}  // namespace
}  // namespace hoist::loop
