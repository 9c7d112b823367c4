// Formulas give what arith::evaluate gives, on every operation and where there is no value.
#include "space/formula.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "arith/arena.hpp"
#include "base/error.hpp"
#include "unit/arith/reference.hpp"

namespace hoist::space {
namespace {

using arith::Expr;
using arith::Relation;

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

class Formulas : public testing::Test {
 protected:
  arith::Arena arena;
  Expr a = arith::data("a"), b = arith::data("b"), c = arith::data("c");
  const std::vector<Expr> variables{a, b, c};

  static arith::Bindings bindings(const std::vector<Expr>& variables,
                                  const std::vector<std::int64_t>& slots) {
    arith::Bindings result;
    for (std::size_t i = 0; i < variables.size(); ++i) result[variables[i].get()] = slots[i];
    return result;
  }
  void expect_same(Expr e, const std::vector<std::int64_t>& slots) {
    EXPECT_EQ(Formula(e, variables)(slots), arith::evaluate(e, bindings(variables, slots)))
        << arith::to_string(e) << " at " << testing::PrintToString(slots);
  }
  std::optional<std::int64_t> value(Expr e, std::int64_t at_a, std::int64_t at_b = 1) {
    expect_same(e, {at_a, at_b, 1});
    return Formula(e, variables)({at_a, at_b, 1});
  }
};

TEST_F(Formulas, GiveTheValueOfEveryOperation) {
  EXPECT_EQ(value(arith::constant(7), 0), 7);
  EXPECT_EQ(value(a, -3), -3);
  EXPECT_EQ(value(a + b + 5, 2, 3), 10);
  EXPECT_EQ(value(a * b * 3, 2, -5), -30);
  EXPECT_EQ(value(a - b, 2, 5), -3);
  EXPECT_EQ(value(a / b, -7, 2), -3) << "towards zero";
  EXPECT_EQ(value(a % b, -7, 2), -1) << "with the dividend's sign";
  EXPECT_EQ(value(arith::exact_quotient(a, b), 12, 4), 3);
  EXPECT_EQ(value(arith::ceiling_quotient(a, b), 13, 4), 4);
  EXPECT_EQ(value(arith::power(a, b), 3, 4), 81);
  EXPECT_EQ(value(arith::power(a, b), 0, 0), 1);
  EXPECT_EQ(value(arith::minimum(a, b), 3, -4), -4);
  EXPECT_EQ(value(arith::maximum(a, b), 3, -4), 3);
}

TEST_F(Formulas, HaveNoValueWhereNothingIsDefined) {
  EXPECT_EQ(value(a / b, 1, 0), std::nullopt);
  EXPECT_EQ(value(a % b, 1, 0), std::nullopt);
  EXPECT_EQ(value(arith::exact_quotient(a, b), 1, 0), std::nullopt);
  EXPECT_EQ(value(arith::exact_quotient(a, b), 7, 2), std::nullopt);
  EXPECT_EQ(value(arith::ceiling_quotient(a, b), -1, 2), std::nullopt);
  EXPECT_EQ(value(arith::ceiling_quotient(a, b), 4, 0), std::nullopt);
  EXPECT_EQ(value(arith::power(a, b), 2, -1), std::nullopt);
  // A quotient without a value leaves the sum around it without one.
  EXPECT_EQ(value(a / b + a, 1, 0), std::nullopt);
}

TEST_F(Formulas, HaveNoValueThatIsTooLarge) {
  EXPECT_EQ(value(a + b, most, 1), std::nullopt);
  EXPECT_EQ(value(a + b, least, -1), std::nullopt);
  EXPECT_EQ(value(a * b, most, 2), std::nullopt);
  EXPECT_EQ(value(a / b, least, -1), std::nullopt);
  EXPECT_EQ(value(a % b, least, -1), 0) << "but this has one";
  EXPECT_EQ(value(arith::power(a, b), 2, 63), std::nullopt);
  EXPECT_EQ(value(arith::power(a, b), 2, 62), std::int64_t{1} << 62);
}

TEST_F(Formulas, OfLargePowersEnd) {
  EXPECT_EQ(value(arith::power(a, b), 1, most), 1);
  EXPECT_EQ(value(arith::power(a, b), 0, most), 0);
  EXPECT_EQ(value(arith::power(a, b), -1, most), -1);
}

TEST_F(Formulas, ChooseByConditions) {
  const Expr e = arith::conditional({Relation::Less, a, b}, a / b, b) + c;
  EXPECT_EQ(value(e, 1, 2), 1);
  EXPECT_EQ(value(e, 2, 2), 3);
  EXPECT_EQ(value(e, -1, 0), std::nullopt);
  EXPECT_EQ(value(e, 1, 0), 1) << "the branch that is not taken needs no value";
}

TEST_F(Formulas, MayBeLong) {
  std::vector<Expr> many;
  std::vector<std::int64_t> slots;
  Expr sum = 0, nested = 0;
  for (int i = 0; i < 100; ++i) {
    many.push_back(arith::data("x" + std::to_string(i)));
    slots.push_back(i);
    sum = sum + many.back();
    nested = arith::maximum(many.back(), nested + 1);
  }
  EXPECT_EQ(Formula(sum, many)(slots), 99 * 50);
  EXPECT_EQ(Formula(nested, many)(slots), 100);
}

TEST_F(Formulas, OfAVariableWithoutASlotAreABug) { EXPECT_THROW(Formula(a + b, {a}), Bug); }

TEST_F(Formulas, AgreeWithEvaluationOnRandomExpressions) {
  const arith::reference::World world;
  std::vector<Expr> all;
  for (std::size_t i = 0; i < world.variable_count(); ++i) all.push_back(world.variable(i));
  constexpr std::uint64_t seed = 20261122;
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<std::int64_t> any(-6, 12);
  const int trees = arith::reference::repetitions(1000, 100000);
  std::size_t with_value = 0, without = 0;
  for (int i = 0; i < trees; ++i) {
    auto tree = arith::reference::random_tree(world, random, 5);
    if (i % 10 == 0) tree = arith::reference::with_huge_constants(tree, random);
    const Expr e = arith::reference::build(*tree, world);
    const Formula formula(e, all);
    for (int trial = 0; trial < 5; ++trial) {
      // Any values: a formula need not know what ranges the variables have.
      std::vector<std::int64_t> slots;
      for (std::size_t at = 0; at < all.size(); ++at) slots.push_back(any(random));
      const auto expected = arith::evaluate(e, bindings(all, slots));
      ASSERT_EQ(formula(slots), expected) << arith::to_string(e) << " at " << testing::PrintToString(slots)
                                          << " (seed " << seed << ", tree " << i << ")";
      ++(expected ? with_value : without);
    }
  }
  EXPECT_GT(with_value, without);
  EXPECT_GT(without, 50U);
}

TEST_F(Formulas, AreCompared) {
  const auto holds = [&](Relation relation, std::int64_t left, std::int64_t right) {
    return Comparison({relation, a, b}, variables).holds({left, right, 0});
  };
  EXPECT_TRUE(holds(Relation::Less, 1, 2));
  EXPECT_FALSE(holds(Relation::Less, 2, 2));
  EXPECT_TRUE(holds(Relation::LessEqual, 2, 2));
  EXPECT_FALSE(holds(Relation::LessEqual, 3, 2));
  EXPECT_TRUE(holds(Relation::Equal, 2, 2));
  EXPECT_FALSE(holds(Relation::Equal, 3, 2));
  EXPECT_TRUE(holds(Relation::NotEqual, 3, 2));
  EXPECT_FALSE(holds(Relation::NotEqual, 2, 2));
  // Nothing holds of what has no value, not even that it differs.
  for (const Relation relation : {Relation::Less, Relation::LessEqual, Relation::Equal, Relation::NotEqual})
    EXPECT_FALSE(Comparison({relation, a / b, c}, variables).holds({1, 0, 5}));
}

}  // namespace
}  // namespace hoist::space
