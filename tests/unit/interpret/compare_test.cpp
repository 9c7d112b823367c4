#include "interpret/compare.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "interpret/random.hpp"
#include "programs.hpp"

namespace hoist::interpret {
namespace {

using testing::HasSubstr;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float epsilon = std::numeric_limits<float>::epsilon();

Comparison compared(const Data& expected, const Data& got, const ErrorBound& bound = {}) {
  auto comparison = compare(expected, got, bound);
  if (!comparison) {
    ADD_FAILURE() << comparison.error().render();
    return {};
  }
  return *comparison;
}

TEST(Compare, IntegersExactly) {
  const Comparison comparison = compared({i32({2, 2}, {1, 2, 3, 4})}, {i32({2, 2}, {1, 2, 5, 3})});
  EXPECT_EQ(comparison.elements, 4);
  EXPECT_EQ(comparison.mismatches, 2);
  ASSERT_TRUE(comparison.worst);
  EXPECT_EQ(comparison.worst->index, (Shape{1, 0}));
  EXPECT_EQ(comparison.worst->expected.integer, 3);
  EXPECT_EQ(comparison.worst->got.integer, 5);
  EXPECT_THAT(to_string(comparison), HasSubstr("2 of 4 elements differ; worst at [1][0]: expected 3, got 5"));
}

// Large arrays are compared by several threads.
TEST(Compare, ManyElements) {
  constexpr std::int64_t rows = 1500, columns = 2000;
  Data expected{f32({rows, columns}, std::vector<float>(rows * columns, 1))};
  Data got = expected;
  const auto set = [&](std::int64_t row, std::int64_t column, float value) {
    std::memcpy(got[0].bytes.data() + (row * columns + column) * 4, &value, sizeof value);
  };
  EXPECT_TRUE(compared(expected, got, {.cancels = true}).agrees());
  set(3, 7, 2);
  set(700, 11, 3);
  set(1400, 12, 3);  // as bad as the one before it, which is told
  set(1499, 1999, 1 + epsilon);
  for (const bool cancels : {false, true}) {
    const Comparison comparison = compared(expected, got, {.factor = 2, .cancels = cancels});
    EXPECT_EQ(comparison.elements, rows * columns);
    EXPECT_EQ(comparison.mismatches, 3);
    ASSERT_TRUE(comparison.worst);
    EXPECT_EQ(comparison.worst->index, (Shape{700, 11}));
  }
}

TEST(Compare, NanAndInfinity) {
  EXPECT_TRUE(
      compared({f32({4}, {nan, infinity, -infinity, 0.0F})}, {f32({4}, {nan, infinity, -infinity, -0.0F})})
          .agrees());
  const float largest = std::numeric_limits<float>::max();
  for (const auto& [a, b] : std::vector<std::pair<float, float>>{{nan, 1},
                                                                 {1, nan},
                                                                 {infinity, -infinity},
                                                                 {infinity, largest},
                                                                 {largest, infinity},
                                                                 {nan, infinity}}) {
    for (bool cancels : {false, true}) {
      const Comparison comparison = compared({f32({2}, {a, 1})}, {f32({2}, {b, 1})}, {.cancels = cancels});
      EXPECT_EQ(comparison.mismatches, 1) << a << ' ' << b;
    }
  }
}

TEST(Compare, WhatOverflowsDiffersForThatReason) {
  const auto overflows = [](const Data& expected, const Data& got) {
    return differs_by_overflow(expected, compared(expected, got));
  };
  EXPECT_TRUE(overflows({f32({3}, {1, 2, infinity})}, {f32({3}, {1, 2, nan})}));
  EXPECT_TRUE(overflows({f32({3}, {1, 3e38F, infinity})}, {f32({3}, {1, infinity, infinity})}));
  EXPECT_FALSE(overflows({f32({3}, {1, 2, infinity})}, {f32({3}, {1, nan, infinity})}))
      << "2 is far from overflow";
  EXPECT_FALSE(overflows({f32({3}, {1, 3e38F, 3})}, {f32({3}, {1, infinity, 3})})) << "nothing overflowed";
  EXPECT_FALSE(overflows({f32({1}, {infinity})}, {f32({1}, {infinity})})) << "nothing differs";
  EXPECT_FALSE(overflows({i32({1}, {1}), f32({1}, {infinity})}, {i32({1}, {2}), f32({1}, {infinity})}));
}

TEST(Compare, ElementsHaveTheirOwnScaleUnlessSumsCancel) {
  const Data expected = {f32({2}, {1000.0F, 1e-3F})};
  const Data got = {f32({2}, {1000.0F, 1.1e-3F})};
  EXPECT_FALSE(compared(expected, got, {.factor = 8, .cancels = false}).agrees());
  EXPECT_TRUE(compared(expected, got, {.factor = 8, .cancels = true}).agrees());
}

TEST(Compare, TheBoundIsSharp) {
  const ErrorBound bound{.factor = 8};
  EXPECT_TRUE(compared({f32({}, {1})}, {f32({}, {1 + 8 * epsilon})}, bound).agrees());
  const Comparison beyond = compared({f32({}, {1})}, {f32({}, {1 + 9 * epsilon})}, bound);
  EXPECT_EQ(beyond.mismatches, 1);
  EXPECT_NEAR(beyond.largest_error, 9.0 / 8.0, 1e-6);
  // Doubles have their own epsilon.
  EXPECT_FALSE(compared({f64({}, {1})}, {f64({}, {1.0 + epsilon})}, bound).agrees());
}

TEST(Compare, NumbersBelowTheNormalOnesMayBeFlushed) {
  EXPECT_TRUE(compared({f32({}, {1e-39F})}, {f32({}, {0})}).agrees());
  EXPECT_FALSE(compared({f32({}, {1e-30F})}, {f32({}, {0})}).agrees());
}

TEST(Compare, NamesTheComponent) {
  const Comparison comparison = compared({i32({1}, {1}), i32({1}, {2})}, {i32({1}, {1}), i32({1}, {3})});
  EXPECT_THAT(to_string(comparison), HasSubstr("worst at component 1 [0]: expected 2, got 3"));
}

TEST(Compare, OtherShapesAndTypes) {
  EXPECT_THAT(compare({i32({2}, {1, 2})}, {i32({1}, {1})}, {}).error().render(),
              HasSubstr("the result is [1]i32, not [2]i32"));
  EXPECT_FALSE(compare({i32({1}, {1})}, {f32({1}, {1})}, {}));
  EXPECT_FALSE(compare({i32({1}, {1})}, {}, {}));
}

class Bounds : public InterpretTest {
 protected:
  const arith::Expr N = arith::size("N");
  const arith::Expr M = arith::size("M");

  static Term sum(Term x) {
    return reduce([](Term a, Term b) { return a + b; }, real(0), x);
  }
};

TEST_F(Bounds, OfElementwisePrograms) {
  const ErrorBound product = error_bound(
      program({f32_array({N})}, [](const auto& p) { return map([](Term x) { return x * x; }, p[0]); }), {});
  EXPECT_EQ(product.factor, 8 + 2);
  EXPECT_FALSE(product.cancels);
  const ErrorBound exponential =
      error_bound(program({f32_array({N})},
                          [](const auto& p) {
                            return map([](Term x) { return ir::scalar_call(ScalarOp::Exp, {x}) - x; }, p[0]);
                          }),
                  {});
  EXPECT_EQ(exponential.factor, 8 + 2 * 2 + 4 * 4);
  EXPECT_TRUE(exponential.cancels);
}

TEST_F(Bounds, GrowWithTheRootOfTheLengthOfSums) {
  const auto factor = [&](const Body& body) {
    return error_bound(program({f32_array({N, M})}, body), bindings({{"N", 100}, {"M", 10000}})).factor;
  };
  // A sum of sums adds the lengths; a sum in the function of another multiplies them.
  EXPECT_DOUBLE_EQ(factor([](const auto& p) { return map([](Term row) { return sum(row); }, p[0]); }),
                   8 + 2 + 4 * 100.0);
  EXPECT_DOUBLE_EQ(factor([](const auto& p) { return sum(map([](Term row) { return sum(row); }, p[0])); }),
                   8 + 4 + 4 * std::sqrt(10100.0));
  EXPECT_DOUBLE_EQ(factor([](const auto& p) {
                     return reduce([](Term a, Term row) { return a + sum(row); }, real(0), p[0]);
                   }),
                   8 + 4 + 4 * 1000.0);
  // Maxima do not round.
  EXPECT_DOUBLE_EQ(factor([](const auto& p) {
                     return map(
                         [](Term row) {
                           return reduce(
                               [](Term a, Term x) {
                                 return ir::scalar_call(ScalarOp::Maximum, {a, x});
                               },
                               real(0), row);
                         },
                         p[0]);
                   }),
                   8);
}

TEST_F(Bounds, GrowWithIterations) {
  const ir::Program steps = program({f32_array({N})}, [](const auto& p) {
    const arith::Expr k = arith::size("k");
    const Unary step = [](Term v) { return map([](Term x) { return x * real(0.5) + x; }, v); };
    return ir::call(Op::Iterate, {10, k}, {function(f32_array({k}), step), p[0]});
  });
  EXPECT_DOUBLE_EQ(error_bound(steps, bindings({{"N", 4}})).factor, 8 + 2 * 10 * 2);
}

TEST_F(Bounds, OfDeeplySharedTerms) {
  const ir::Program shared = program({f32_type()}, [](const auto& p) {
    Term x = p[0];
    for (int i = 0; i < 50; ++i) x = x * x;
    return x;
  });
  EXPECT_DOUBLE_EQ(error_bound(shared, {}).factor, 8 + 2 * 50);
}

TEST_F(Bounds, SeeCancellation) {
  const ir::Program total = program({f32_array({N})}, [](const auto& p) { return sum(p[0]); }, {"N"});
  Counts counts;
  ASSERT_TRUE(evaluate(total, {{f32({4}, {1, 100, -100, 1})}}, bindings({{"N", 4}}), {}, &counts));
  EXPECT_DOUBLE_EQ(counts.cancellation, 101.0 / 2.0);
  EXPECT_DOUBLE_EQ(error_bound(total, bindings({{"N", 4}}), &counts).factor, 8 + 2 + 4 * 2 * 50.5);
  ASSERT_TRUE(evaluate(total, {{f32({4}, {1, 2, 3, 4})}}, bindings({{"N", 4}}), {}, &counts));
  EXPECT_DOUBLE_EQ(counts.cancellation, 1);
}

/// Sums in another order must agree, and one wrong element in the middle of a sum must not.
TEST_F(Bounds, AcceptAnotherOrderAndRejectAWrongElement) {
  constexpr std::int64_t rows = 16, columns = 4096;
  const Sizes sizes = {{"M", columns}, {"N", rows}};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Data input = random_data(f32_array({N, M}), bindings(sizes), seed).value();
    const auto in_order =
        program({f32_array({N, M})},
                [](const auto& p) { return map([](Term row) { return sum(row); }, p[0]); }, {"N", "M"});
    // 64 strided partial sums, as a device would.
    const auto strided =
        program({f32_array({N, M})},
                [](const auto& p) {
                  return map(
                      [](Term row) {
                        return sum(map([](Term column) { return sum(column); },
                                       layout(Op::Transpose, {}, layout(Op::Split, {64}, row))));
                      },
                      p[0]);
                },
                {"N", "M"});
    Counts counts;
    const auto expected = evaluate(in_order, {input}, bindings(sizes), {}, &counts);
    const auto other = evaluate(strided, {input}, bindings(sizes));
    ASSERT_TRUE(expected) << expected.error().render();
    ASSERT_TRUE(other) << other.error().render();
    const ErrorBound bound = error_bound(in_order, bindings(sizes), &counts);
    const Comparison right = compared(*expected, *other, bound);
    EXPECT_TRUE(right.agrees()) << to_string(right);

    Data wrong_input = input;
    const float wrong = elements<float>(input[0])[1000] > 0 ? -0.5F : 0.5F;
    std::memcpy(wrong_input[0].bytes.data() + 1000 * sizeof(float), &wrong, sizeof(float));
    const auto wrong_result = evaluate(in_order, {wrong_input}, bindings(sizes));
    ASSERT_TRUE(wrong_result) << wrong_result.error().render();
    EXPECT_EQ(compared(*expected, *wrong_result, bound).mismatches, 1);
  }
}

}  // namespace
}  // namespace hoist::interpret
