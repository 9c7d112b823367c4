// C's quotient. Wherever a rule is stated for naturals only, C's symmetry extends it: a quotient's magnitude
// is that of the magnitudes. A quotient by zero has no value, so rules may assume that the divisor is not
// zero.
#include "arith/division.hpp"
#include "arith/facts.hpp"
#include "arith/implications.hpp"

namespace hoist::arith {
namespace {

/// (x / a) / b = x / (a b), and (x % (a b)) / b = (x / b) % a.
Expr nested_quotient(Expr dividend, Expr divisor) {
  const auto operands = dividend->operands;
  switch (dividend.kind()) {
    case Kind::Quotient:
    case Kind::ExactQuotient:
      return operands[0] / (operands[1] * divisor);
    case Kind::Remainder: {
      const PolynomialDivision parts = divide_polynomial(operands[1], divisor);
      if (!parts.rest.is_constant(0)) return {};
      return (operands[0] / divisor) % parts.quotient;
    }
    default:
      return {};
  }
}

/// x / (k (a / b exactly)) = (x b) / (k a), where that divides without a rest.
Expr over_exact_quotient(Expr dividend, Expr divisor) {
  const Interned* monomial = interned(divisor)->monomial;
  if (monomial == nullptr || monomial->kind != Kind::ExactQuotient) return {};
  Expr numerator = dividend * monomial->operands[1];
  Expr denominator = Expr(interned(divisor)->coefficient) * monomial->operands[0];
  const PolynomialDivision parts = divide_polynomial(numerator, denominator);
  return parts.rest.is_constant(0) ? parts.quotient : Expr();
}

bool divides_by_residue(Expr dividend, Expr divisor) {
  if (divisor.kind() != Kind::Constant || divisor->value <= 0) return false;
  const Facts& facts = dividend->facts;
  return facts.modulus % divisor->value == 0 && facts.remainder % divisor->value == 0;
}

Expr simplify(Expr dividend, Expr divisor) {
  if (dividend == divisor && !divisor.is_constant(0)) return Expr(1);
  if (dividend.is_constant(0) && !divisor.is_constant(0)) return dividend;
  if (const Expr negated = better_negated(dividend)) return -(negated / divisor);
  if (divisor.is_constant(0)) return intern(Kind::Quotient, dividend, divisor);  // without a value
  if (const Expr negated = better_negated(divisor)) return -(dividend / negated);
  const Facts facts = facts_of_quotient(dividend->facts, divisor->facts);
  if (facts.minimum && facts.minimum == facts.maximum) return Expr(*facts.minimum);
  if (cancel_common_factors(dividend, divisor)) return dividend / divisor;
  if (const Expr nested = nested_quotient(dividend, divisor)) return nested;
  if (const Expr whole = over_exact_quotient(dividend, divisor)) return whole;
  if (divides_by_residue(dividend, divisor)) return exact_quotient(dividend, divisor);
  if (const auto split = split_division(dividend, divisor)) {
    return split->rest_is_remainder ? split->whole : split->whole + split->rest / divisor;
  }
  // -divisor < dividend < divisor
  if (is_below(dividend, divisor) && is_below(-dividend, divisor)) return Expr(0);
  if (const auto units = division_in_units(dividend, divisor))
    return units->whole / Expr(divisor->value / units->unit);
  return intern(Kind::Quotient, dividend, divisor);
}

}  // namespace

Expr operator/(Expr dividend, Expr divisor) {
  if (divisor.is_constant(1)) return dividend;
  if (divisor.kind() == Kind::Constant && dividend.kind() == Kind::Constant) {
    if (const auto value = checked_quotient(dividend->value, divisor->value)) return Expr(*value);
    if (is_raw() || divisor->value != 0) return intern(Kind::Quotient, dividend, divisor);
  }
  if (is_raw()) return intern(Kind::Quotient, dividend, divisor);
  if (const Expr known = recall(Question::Quotient, dividend.get(), divisor.get())) return known;
  const RuleDepth depth;
  if (depth.is_exhausted()) {
    ++surrenders();
    return intern(Kind::Quotient, dividend, divisor);
  }
  const std::uint64_t before = surrenders();
  const Expr result = [&] {
    const Assuming assuming(dividend, divisor);
    return simplify(dividend, divisor);
  }();
  if (surrenders() == before) remember(Question::Quotient, dividend.get(), divisor.get(), result);
  return result;
}

}  // namespace hoist::arith
