// What is known of reduction operators.
#include "ir/reduction.hpp"

#include <cmath>
#include <limits>

#include "support.hpp"

namespace hoist::ir {
namespace {

using Reductions = InArena;

Term operator_of(ScalarOp op, Type type = f32_type()) {
  return function(type, type, [&](Term a, Term b) { return scalar_call(op, {a, b}); });
}

std::string properties_of(Term f) {
  const OperatorProperties known = operator_properties(f);
  return std::string(known.associative ? "associative " : "") + (known.commutative ? "commutative " : "") +
         (known.floats ? "floats" : "");
}

TEST_F(Reductions, OfKnownOperations) {
  EXPECT_EQ(properties_of(operator_of(ScalarOp::Add)), "associative commutative floats");
  EXPECT_EQ(properties_of(operator_of(ScalarOp::Add, i32_type())), "associative commutative ");
  EXPECT_EQ(properties_of(operator_of(ScalarOp::Multiply, vector(4))), "associative commutative floats");
  EXPECT_EQ(properties_of(operator_of(ScalarOp::Maximum)), "associative commutative ");
  EXPECT_EQ(properties_of(operator_of(ScalarOp::And, bool_type())), "associative commutative ");
  EXPECT_EQ(properties_of(operator_of(ScalarOp::BitXor, i32_type())), "associative commutative ");
  EXPECT_EQ(properties_of(operator_of(ScalarOp::Subtract)), "");
  EXPECT_EQ(properties_of(operator_of(ScalarOp::Divide)), "");
}

TEST_F(Reductions, IdempotentOperations) {
  EXPECT_TRUE(operator_properties(operator_of(ScalarOp::Minimum)).idempotent);
  EXPECT_TRUE(operator_properties(operator_of(ScalarOp::BitOr, i32_type())).idempotent);
  EXPECT_FALSE(operator_properties(operator_of(ScalarOp::Add)).idempotent);
  EXPECT_FALSE(operator_properties(operator_of(ScalarOp::BitXor, i32_type())).idempotent);
  EXPECT_FALSE(operator_properties(operator_of(ScalarOp::Subtract)).idempotent);
}

TEST_F(Reductions, OfOperandsTheOtherWayRound) {
  const Term swapped = function(f32_type(), f32_type(), [](Term a, Term b) { return add(b, a); });
  EXPECT_EQ(properties_of(swapped), "associative commutative floats");
}

TEST_F(Reductions, OfTuplesComponentwise) {
  const Type pair = tuple_type({f32_type(), i32_type()});
  const auto componentwise = [&](ScalarOp first, ScalarOp second) {
    return function(pair, pair, [&](Term a, Term b) {
      return tuple({scalar_call(first, {get(0, a), get(0, b)}), scalar_call(second, {get(1, a), get(1, b)})});
    });
  };
  EXPECT_EQ(properties_of(componentwise(ScalarOp::Maximum, ScalarOp::Add)), "associative commutative ");
  EXPECT_EQ(properties_of(componentwise(ScalarOp::Add, ScalarOp::Add)), "associative commutative floats");
  EXPECT_EQ(properties_of(componentwise(ScalarOp::Maximum, ScalarOp::Subtract)), "");
  const Type same = tuple_type({f32_type(), f32_type()});
  const Term crossed = function(same, same, [&](Term a, Term b) {
    return tuple({add(get(0, a), get(1, b)), add(get(1, a), get(0, b))});
  });
  EXPECT_EQ(properties_of(crossed), "floats") << "components are mixed";
}

TEST_F(Reductions, OfNothingElse) {
  const Term constant = function(f32_type(), f32_type(), [](Term, Term) { return real(1); });
  const Term doubled = function(f32_type(), f32_type(), [](Term a, Term) { return add(a, a); });
  const Term more = function(f32_type(), f32_type(), [](Term a, Term b) { return add(add(a, b), real(1)); });
  for (Term f : {constant, doubled, more}) EXPECT_EQ(properties_of(f), "floats");
  EXPECT_EQ(properties_of(increment()), "");
  EXPECT_EQ(properties_of(function(f32_type(), i32_type(), [](Term a, Term) { return a; })), "")
      << "an accumulator of another type";
}

TEST_F(Reductions, AreWhatIsClaimed) {
  const auto claimed = [](OperatorClaims claims) {
    return lambda(
        std::vector<Type>{f32_type(), f32_type()},
        [](const auto& p) { return add(add(p[0], p[1]), multiply(p[0], p[1])); }, {}, claims);
  };
  EXPECT_EQ(properties_of(claimed({})), "floats");
  EXPECT_EQ(properties_of(claimed({true, false})), "associative floats");
  EXPECT_EQ(properties_of(claimed({true, true})), "associative commutative floats");
}

TEST_F(Reductions, NeutralElements) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(is_neutral(operator_of(ScalarOp::Add), real(0)));
  EXPECT_FALSE(is_neutral(operator_of(ScalarOp::Add), real(1)));
  EXPECT_TRUE(is_neutral(operator_of(ScalarOp::Multiply), real(1)));
  EXPECT_FALSE(is_neutral(operator_of(ScalarOp::Multiply), real(0)));
  EXPECT_TRUE(is_neutral(operator_of(ScalarOp::Maximum), real(-infinity)));
  EXPECT_FALSE(is_neutral(operator_of(ScalarOp::Maximum), real(0)));
  EXPECT_FALSE(is_neutral(operator_of(ScalarOp::Maximum), real(std::numeric_limits<float>::lowest())));
  EXPECT_TRUE(is_neutral(operator_of(ScalarOp::Minimum), real(infinity)));
  EXPECT_TRUE(is_neutral(operator_of(ScalarOp::And, bool_type()), truth(true)));
  EXPECT_TRUE(is_neutral(operator_of(ScalarOp::Or, bool_type()), truth(false)));
  EXPECT_FALSE(is_neutral(operator_of(ScalarOp::Subtract), real(0))) << "0 - x is not x";
  EXPECT_FALSE(is_neutral(operator_of(ScalarOp::Add), fresh(f32_type(), "x")));
  EXPECT_FALSE(is_neutral(operator_of(ScalarOp::Add), integer(0)));
}

/// The neutral element of an operation on a type of integers, by trying all of a few values.
TEST_F(Reductions, NeutralElementsOfIntegersAreNeutral) {
  const std::vector<ScalarOp> ops{ScalarOp::Add,    ScalarOp::Multiply, ScalarOp::Minimum, ScalarOp::Maximum,
                                  ScalarOp::BitAnd, ScalarOp::BitOr,    ScalarOp::BitXor};
  for (Scalar type : all_scalars) {
    if (!is_integer(type)) continue;
    std::vector<ScalarValue> samples;
    for (std::int64_t value :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{100}, std::int64_t{255},
          std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(), smallest(type),
          largest(type), std::int64_t{1} << 31U, (std::int64_t{1} << 31U) - 1,
          (std::int64_t{1} << 32U) - 1}) {
      samples.push_back(ScalarValue::of_integer(type, value));
    }
    for (ScalarOp op : ops) {
      const Term f = operator_of(op, scalar_type(type));
      int neutral_elements = 0;
      for (const ScalarValue& candidate : samples) {
        bool keeps_all = true;
        for (const ScalarValue& sample : samples) {
          const ScalarValue both[] = {candidate, sample};
          keeps_all = keeps_all && hoist::apply(op, both) == sample;
        }
        EXPECT_EQ(is_neutral(f, literal(candidate)), keeps_all)
            << info(op).name << " of " << name_of(type) << " and " << to_string(candidate);
        neutral_elements += keeps_all ? 1 : 0;
      }
      EXPECT_GE(neutral_elements, 1) << info(op).name << " of " << name_of(type);
    }
  }
}

TEST_F(Reductions, NeutralElementsOfTuplesAndVectors) {
  const Type pair = tuple_type({f32_type(), i32_type()});
  const Term f = function(pair, pair, [&](Term a, Term b) {
    return tuple({multiply(get(0, a), get(0, b)), add(get(1, a), get(1, b))});
  });
  EXPECT_TRUE(is_neutral(f, tuple({real(1), integer(0)})));
  EXPECT_FALSE(is_neutral(f, tuple({real(0), integer(0)})));
  EXPECT_FALSE(is_neutral(f, fresh(pair, "pair")));
  const Term zeros = call(Op::Broadcast, {4}, {real(0)});
  EXPECT_TRUE(is_neutral(operator_of(ScalarOp::Add, vector(4)), zeros));
  EXPECT_FALSE(is_neutral(operator_of(ScalarOp::Multiply, vector(4)), zeros));
}

TEST_F(Reductions, NeutralElementsAreMade) {
  const Type pair = tuple_type({f32_type(), i32_type()});
  const Term f = function(pair, pair, [&](Term a, Term b) {
    return tuple({scalar_call(ScalarOp::Maximum, {get(0, a), get(0, b)}), add(get(1, a), get(1, b))});
  });
  EXPECT_EQ(neutral_element(f), tuple({real(-std::numeric_limits<double>::infinity()), integer(0)}));
  EXPECT_EQ(neutral_element(operator_of(ScalarOp::Subtract)), Term());
  const Term ones = neutral_element(operator_of(ScalarOp::Multiply, vector(4)));
  EXPECT_EQ(ones, call(Op::Broadcast, {4}, {real(1)}));
}

TEST_F(Reductions, NeutralElementsThatAreClaimed) {
  const auto claimed = [](Term neutral) {
    return lambda(std::vector<Type>{f32_type(), f32_type()},
                  [](const auto& p) { return add(add(p[0], p[1]), multiply(p[0], p[1])); }, {},
                  {true, true, neutral});
  };
  EXPECT_TRUE(is_neutral(claimed(real(0)), real(0)));
  EXPECT_FALSE(is_neutral(claimed(real(0)), real(1)));
  EXPECT_FALSE(is_neutral(claimed({}), real(0)));
  EXPECT_EQ(neutral_element(claimed(real(0))), real(0));
  EXPECT_NE(claimed(real(0)), claimed(real(1)));
  EXPECT_THROW(claimed(integer(0)), Failure);
  EXPECT_THROW(claimed(fresh(f32_type(), "e")), Failure);
}

}  // namespace
}  // namespace hoist::ir
