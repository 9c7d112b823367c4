#pragma once
// Private to arith: facts of a node from the facts of its operands.
#include <span>

#include "arith/expr.hpp"

namespace hoist::arith {

Facts facts_of_constant(std::int64_t value);
Facts facts_of_variable(VariableKind kind, Expr start, Expr stop, Expr step);
Facts facts_of_sum(std::span<const Expr> terms);
Facts facts_of_product(std::span<const Expr> factors);
Facts facts_of_quotient(const Facts& dividend, const Facts& divisor);
Facts facts_of_remainder(const Facts& dividend, const Facts& divisor);
Facts facts_of_exact_quotient(const Facts& dividend, const Facts& divisor);
Facts facts_of_ceiling_quotient(const Facts& dividend, const Facts& divisor);
Facts facts_of_power(const Facts& base, const Facts& exponent);
Facts facts_of_minimum(const Facts& a, const Facts& b);
Facts facts_of_maximum(const Facts& a, const Facts& b);
Facts facts_of_either(const Facts& a, const Facts& b);

// Arithmetic that is empty on overflow.
using Bound = std::optional<std::int64_t>;
Bound checked_add(std::int64_t a, std::int64_t b);
Bound checked_multiply(std::int64_t a, std::int64_t b);
/// C's quotient; empty for a zero divisor or an overflow.
Bound checked_quotient(std::int64_t a, std::int64_t b);
Bound checked_remainder(std::int64_t a, std::int64_t b);
Bound checked_power(std::int64_t base, std::int64_t exponent);
inline Bound checked_negate(std::int64_t a) { return checked_multiply(a, -1); }
/// The greatest common divisor of the magnitudes; gcd(0, x) is |x|. Empty where the result is not
/// representable.
std::int64_t greatest_common_divisor(std::int64_t a, std::int64_t b);
/// Rounded towards minus infinity; the divisor is positive.
inline std::int64_t floor_quotient(std::int64_t a, std::int64_t positive) {
  return a / positive - (a % positive < 0 ? 1 : 0);
}
inline std::int64_t floor_remainder(std::int64_t a, std::int64_t positive) {
  const std::int64_t rest = a % positive;
  return rest < 0 ? rest + positive : rest;
}

}  // namespace hoist::arith
