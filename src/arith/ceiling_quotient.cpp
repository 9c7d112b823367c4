// a / b rounded up, for a >= 0 and b >= 1; it has no value elsewhere, so rules may assume both.
#include "arith/division.hpp"
#include "arith/facts.hpp"
#include "arith/implications.hpp"

namespace hoist::arith {
namespace {

Expr simplify(Expr dividend, Expr divisor) {
  if (dividend == divisor) return Expr(1);
  if (dividend.is_constant(0)) return dividend;
  const Facts facts = facts_of_ceiling_quotient(dividend->facts, divisor->facts);
  if (facts.minimum && facts.minimum == facts.maximum) return Expr(*facts.minimum);
  if (better_negated(divisor) || better_negated(dividend)) {
    return intern(Kind::CeilingQuotient, dividend, divisor);  // outside the domain
  }
  Expr smaller_dividend = dividend;
  Expr smaller_divisor = divisor;
  // A negative factor would leave the domain.
  if (const Expr common = cancel_common_factors(smaller_dividend, smaller_divisor);
      common && is_nonnegative(common)) {
    return ceiling_quotient(smaller_dividend, smaller_divisor);
  }
  if (dividend.kind() == Kind::CeilingQuotient) {
    return ceiling_quotient(dividend->operands[0], dividend->operands[1] * divisor);
  }
  const PolynomialDivision parts = divide_polynomial(dividend, divisor);
  if (parts.rest.is_constant(0)) return parts.quotient;
  if (is_nonnegative(parts.rest)) {
    const bool is_one = is_below(Expr(0), parts.rest) && is_at_most(parts.rest, divisor);
    if (is_one) return parts.quotient + Expr(1);
    if (!parts.quotient.is_constant(0)) return parts.quotient + ceiling_quotient(parts.rest, divisor);
  } else if (is_nonpositive(parts.rest) && is_below(-parts.rest, divisor)) {
    return parts.quotient;
  }
  return intern(Kind::CeilingQuotient, dividend, divisor);
}

}  // namespace

Expr ceiling_quotient(Expr dividend, Expr divisor) {
  if (divisor.is_constant(1)) return dividend;
  if (divisor.kind() == Kind::Constant && dividend.kind() == Kind::Constant) {
    if (dividend->value < 0 || divisor->value < 1) return intern(Kind::CeilingQuotient, dividend, divisor);
    return Expr(dividend->value / divisor->value + (dividend->value % divisor->value != 0 ? 1 : 0));
  }
  if (is_raw() || divisor.is_constant(0)) return intern(Kind::CeilingQuotient, dividend, divisor);
  const Assuming assuming(dividend, divisor);
  return simplify(dividend, divisor);
}

}  // namespace hoist::arith
