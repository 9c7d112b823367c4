// Division that is known to leave no rest. It distributes over sums, so only the part that does not divide as
// a polynomial stays inside.
#include "arith/division.hpp"
#include "arith/facts.hpp"

namespace hoist::arith {
namespace {

Expr simplify(Expr dividend, Expr divisor) {
  if (dividend == divisor) return Expr(1);
  if (dividend.is_constant(0)) return dividend;
  if (const Expr negated = better_negated(divisor)) return -exact_quotient(dividend, negated);
  if (const Expr negated = better_negated(dividend)) return -exact_quotient(negated, divisor);
  if (cancel_common_factors(dividend, divisor)) return exact_quotient(dividend, divisor);
  // a / (a / b) is b: both divisions leave no rest.
  if (divisor.kind() == Kind::ExactQuotient && divisor->operands[0] == dividend) return divisor->operands[1];
  if (dividend.kind() == Kind::ExactQuotient) {
    return exact_quotient(dividend->operands[0], dividend->operands[1] * divisor);
  }
  const PolynomialDivision parts = divide_polynomial(dividend, divisor);
  if (!parts.quotient.is_constant(0)) return parts.quotient + exact_quotient(parts.rest, divisor);
  return fold_if_fixed(intern(Kind::ExactQuotient, dividend, divisor));
}

}  // namespace

Expr exact_quotient(Expr dividend, Expr divisor) {
  if (divisor.is_constant(1)) return dividend;
  if (divisor.kind() == Kind::Constant && dividend.kind() == Kind::Constant) {
    if (checked_remainder(dividend->value, divisor->value) == 0) {
      if (const auto value = checked_quotient(dividend->value, divisor->value)) return Expr(*value);
    }
    return intern(Kind::ExactQuotient, dividend, divisor);
  }
  if (is_raw() || divisor.is_constant(0)) return intern(Kind::ExactQuotient, dividend, divisor);
  return simplify(dividend, divisor);
}

}  // namespace hoist::arith
