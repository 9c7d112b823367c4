// Powers. Small constant exponents become products, and what is known to be added in an exponent becomes a
// factor, so that b ** (n + 1) / b is b ** n.
#include "arith/division.hpp"
#include "arith/facts.hpp"

namespace hoist::arith {
namespace {

/// x ** 9 stays a power: nobody would read the product.
constexpr std::int64_t most_repeated_factors = 8;

Expr repeated(Expr base, std::int64_t times) {
  Expr result(1);
  for (std::int64_t at = 0; at < times; ++at) result = result * base;
  return result;
}

Expr simplify(Expr base, Expr exponent) {
  if (base.is_constant(1)) return base;
  if (exponent.kind() == Kind::Constant && exponent->value <= most_repeated_factors) {
    return exponent->value >= 0 ? repeated(base, exponent->value) : intern(Kind::Power, base, exponent);
  }
  if (exponent.kind() == Kind::Sum) {
    // b ** (x + y) = b ** x * b ** y, where neither exponent is negative.
    Expr result(1);
    for (Expr term : exponent->operands) {
      if (!term->facts.minimum || *term->facts.minimum < 0) return intern(Kind::Power, base, exponent);
      result = result * power(base, term);
    }
    return result;
  }
  const std::int64_t times = interned(exponent)->coefficient;
  if (exponent.kind() == Kind::Product && times > 1 && times <= most_repeated_factors &&
      is_nonnegative(Expr(interned(exponent)->monomial))) {
    return repeated(power(base, Expr(interned(exponent)->monomial)), times);
  }
  return fold_if_fixed(intern(Kind::Power, base, exponent));
}

}  // namespace

Expr power(Expr base, Expr exponent) {
  if (exponent.is_constant(1)) return base;
  if (exponent.is_constant(0)) return Expr(1);
  if (base.kind() == Kind::Constant && exponent.kind() == Kind::Constant) {
    if (const auto value = checked_power(base->value, exponent->value)) return Expr(*value);
    return intern(Kind::Power, base, exponent);
  }
  if (is_raw()) return intern(Kind::Power, base, exponent);
  return simplify(base, exponent);
}

}  // namespace hoist::arith
