// C's remainder: it has the dividend's sign, and the divisor's sign does not matter.
#include "arith/division.hpp"
#include "arith/facts.hpp"
#include "arith/implications.hpp"

namespace hoist::arith {
namespace {

bool is_multiple(Expr e, Expr divisor) { return divide_polynomial(e, divisor).rest.is_constant(0); }

/// (x % a) % b = x % b where b divides a.
Expr nested_remainder(Expr dividend, Expr divisor) {
  if (dividend.kind() != Kind::Remainder || !is_multiple(dividend->operands[1], divisor)) return {};
  return dividend->operands[0] % divisor;
}

/// (... + k (x % a) + ...) % b = (... + k x + ...) % b where b divides k a, and neither dividend is negative.
Expr without_inner_remainders(Expr dividend, Expr divisor) {
  if (!interned(dividend)->has_division || dividend.kind() == Kind::Remainder) return {};
  Terms replaced;
  bool found = false;
  for (Expr term : terms_of(dividend)) {
    const Interned* node = interned(term);
    const Interned* monomial = node->monomial;
    if (monomial != nullptr && monomial->kind == Kind::Remainder &&
        is_multiple(Expr(node->coefficient) * monomial->operands[1], divisor)) {
      replaced.add(monomial->operands[0], node->coefficient);
      found = true;
    } else {
      replaced.add(term);
    }
  }
  if (!found) return {};
  const Expr result = replaced.build();
  if (!result || !is_nonnegative(dividend) || !is_nonnegative(result)) return {};
  return result % divisor;
}

/// The residue that a dividend's facts tell, for a constant divisor.
Expr by_residue(Expr dividend, Expr divisor) {
  if (divisor.kind() != Kind::Constant || divisor->value <= 0) return {};
  const Facts& facts = dividend->facts;
  if (facts.modulus % divisor->value != 0) return {};
  const std::int64_t residue = facts.remainder % divisor->value;
  if (residue == 0) return Expr(0);
  if (!is_nonnegative(dividend)) return {};
  return Expr(residue);
}

Expr simplify(Expr dividend, Expr divisor) {
  if (const Expr negated = better_negated(dividend)) return -(negated % divisor);
  if (divisor.is_constant(0)) return intern(Kind::Remainder, dividend, divisor);  // without a value
  if (dividend == divisor || dividend.is_constant(0)) return Expr(0);
  if (const Expr negated = better_negated(divisor)) return dividend % negated;
  const Facts quotient = facts_of_quotient(dividend->facts, divisor->facts);
  if (quotient.minimum && quotient.minimum == quotient.maximum)
    return dividend - Expr(*quotient.minimum) * divisor;
  if (const Expr common = cancel_common_factors(dividend, divisor)) return common * (dividend % divisor);
  if (const Expr nested = nested_remainder(dividend, divisor)) return nested;
  if (const Expr residue = by_residue(dividend, divisor)) return residue;
  if (const auto split = split_division(dividend, divisor)) {
    return split->rest_is_remainder ? split->rest : split->rest % divisor;
  }
  if (const Expr simpler = without_inner_remainders(dividend, divisor)) return simpler;
  // -divisor < dividend < divisor
  if (is_below(dividend, divisor) && is_below(-dividend, divisor)) return dividend;
  if (const auto units = division_in_units(dividend, divisor))
    return Expr(units->unit) * (units->whole % Expr(divisor->value / units->unit)) + units->rest;
  return fold_if_fixed(intern(Kind::Remainder, dividend, divisor));
}

}  // namespace

Expr operator%(Expr dividend, Expr divisor) {
  if (divisor.is_constant(1)) return Expr(0);
  if (divisor.kind() == Kind::Constant && dividend.kind() == Kind::Constant) {
    if (const auto value = checked_remainder(dividend->value, divisor->value)) return Expr(*value);
    if (is_raw()) return intern(Kind::Remainder, dividend, divisor);
  }
  if (is_raw()) return intern(Kind::Remainder, dividend, divisor);
  if (const Expr known = recall(Question::Remainder, dividend.get(), divisor.get())) return known;
  const RuleDepth depth;
  if (depth.is_exhausted()) {
    ++surrenders();
    return intern(Kind::Remainder, dividend, divisor);
  }
  const std::uint64_t before = surrenders();
  const Expr result = [&] {
    const Assuming assuming(dividend, divisor);
    return simplify(dividend, divisor);
  }();
  if (surrenders() == before) remember(Question::Remainder, dividend.get(), divisor.get(), result);
  return result;
}

}  // namespace hoist::arith
