// What is known of an expression's value without its context: facts of a node from the facts of its operands,
// computed when the node is made. This is abstract interpretation over two domains: intervals (minimum,
// maximum) and congruences (value = remainder modulo a modulus; modulus 0 is a constant, modulus 1 says
// nothing). For i in [0, 16) and a size N >= 1:
//
//   4 * i + 1      in [1, 61], 1 modulo 4
//   i / 4          in [0, 3]
//   i % 4          in [0, 3]
//   N + i          at least 1
//
// There is one function for each operator, facts_of_sum and so on; read facts_of_variable and facts_of_sum
// first. All arithmetic is checked: a bound that overflows is left out. An empty bound is always true, a
// wrong one never. Divisors are taken to be other than 0, since a division by 0 has no value of which
// anything could be said.
#include "arith/facts.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "arith/node.hpp"

namespace hoist::arith {
namespace {

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();

Bound add(Bound a, Bound b) { return a && b ? checked_add(*a, *b) : std::nullopt; }
Bound smaller(Bound a, Bound b) { return a && b ? Bound(std::min(*a, *b)) : std::nullopt; }
Bound larger(Bound a, Bound b) { return a && b ? Bound(std::max(*a, *b)) : std::nullopt; }
Bound negate(Bound a) { return a ? checked_negate(*a) : std::nullopt; }

bool at_least(const Facts& facts, std::int64_t bound) { return facts.minimum && *facts.minimum >= bound; }
bool at_most(const Facts& facts, std::int64_t bound) { return facts.maximum && *facts.maximum <= bound; }

/// Whether a value is at most 0 and not known to be at least 0. An empty range is both, and would be negated
/// for ever.
bool is_negative_side(const Facts& facts) { return at_most(facts, 0) && !at_least(facts, 0); }

/// The largest |value|, where it is bounded.
Bound magnitude(const Facts& facts) { return larger(facts.maximum, negate(facts.minimum)); }

Facts negated(const Facts& facts) {
  Facts result{negate(facts.maximum), negate(facts.minimum)};
  if (facts.remainder == lowest) return result;
  result.modulus = facts.modulus;
  result.remainder = facts.modulus > 0 ? floor_remainder(-facts.remainder, facts.modulus) : -facts.remainder;
  return result;
}

void set_residue(Facts& facts, std::int64_t modulus, Bound remainder) {
  if (modulus == 1 || !remainder) return;
  facts.modulus = modulus;
  facts.remainder = modulus == 0 ? *remainder : floor_remainder(*remainder, modulus);
}

/// Sets the residue of a value that is one of two.
void join_residues(Facts& facts, const Facts& a, const Facts& b) {
  const Bound distance = b.remainder == lowest ? std::nullopt : checked_add(a.remainder, -b.remainder);
  if (!distance) return;
  std::int64_t modulus = greatest_common_divisor(a.modulus, b.modulus);
  if (modulus != 1) modulus = greatest_common_divisor(modulus, *distance);
  set_residue(facts, modulus, a.remainder);
}

/// The facts of a quotient whose dividend is >= 0 and whose divisor is >= 1.
Facts natural_quotient(const Facts& dividend, const Facts& divisor) {
  Facts result;
  const std::int64_t least_divisor = std::max<std::int64_t>(1, divisor.minimum.value_or(1));
  result.minimum = divisor.maximum && *divisor.maximum > 0 ? *dividend.minimum / *divisor.maximum : 0;
  if (dividend.maximum) result.maximum = *dividend.maximum / least_divisor;
  return result;
}

}  // namespace

Bound checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}
Bound checked_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}
Bound checked_quotient(std::int64_t a, std::int64_t b) {
  if (b == 0 || (a == lowest && b == -1)) return std::nullopt;
  return a / b;
}
Bound checked_remainder(std::int64_t a, std::int64_t b) {
  if (b == 0) return std::nullopt;
  return b == -1 ? 0 : a % b;
}
Bound checked_power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) return std::nullopt;
  if (base == 0 || base == 1) return exponent == 0 ? 1 : base;
  if (base == -1) return exponent % 2 == 0 ? 1 : -1;
  Bound result = 1;
  for (std::int64_t step = 0; step < exponent && result; ++step) result = checked_multiply(*result, base);
  return result;
}
std::int64_t greatest_common_divisor(std::int64_t a, std::int64_t b) {
  if (a == 1 || b == 1) return 1;
  if (a == lowest || b == lowest) return 1;  // its magnitude is not representable; 1 always divides
  return std::gcd(a, b);
}

Facts facts_of_constant(std::int64_t value) { return {value, value, 0, value}; }

Facts facts_of_variable(VariableKind kind, Expr start, Expr stop, Expr step) {
  if (is_natural(kind)) return {1, std::nullopt};
  Facts facts;
  if (start) facts.minimum = start->facts.minimum;
  if (stop) facts.maximum = add(stop->facts.maximum, -1);
  if (!step || step->kind != Kind::Constant || step->value < 1 || !start) return facts;
  const Facts& from = start->facts;
  set_residue(facts, greatest_common_divisor(from.modulus, step->value), from.remainder);
  // The maximum is the last value that the steps reach.
  if (facts.maximum && facts.minimum && from.modulus == 0 && *facts.maximum >= *facts.minimum) {
    const Bound distance = add(facts.maximum, negate(facts.minimum));
    if (distance) facts.maximum = *facts.minimum + *distance / step->value * step->value;
  }
  return facts;
}

Facts facts_of_sum(std::span<const Expr> terms) {
  Facts facts{0, 0, 0, 0};
  Bound remainder = 0;
  for (Expr term : terms) {
    const Facts& other = term->facts;
    facts.minimum = add(facts.minimum, other.minimum);
    facts.maximum = add(facts.maximum, other.maximum);
    facts.modulus = greatest_common_divisor(facts.modulus, other.modulus);
    remainder = add(remainder, other.remainder);
  }
  const std::int64_t modulus = facts.modulus;
  facts.modulus = 1;
  facts.remainder = 0;
  set_residue(facts, modulus, remainder);
  return facts;
}

namespace {

Facts facts_of_two_factors(const Facts& a, const Facts& b) {
  Facts facts;
  if (at_least(a, 0) && at_least(b, 0)) {
    facts.minimum = checked_multiply(*a.minimum, *b.minimum).value_or(0);
    if (a.maximum && b.maximum) facts.maximum = checked_multiply(*a.maximum, *b.maximum);
    if ((a.maximum && *a.maximum == 0) || (b.maximum && *b.maximum == 0)) facts.maximum = 0;
  } else if (is_negative_side(a)) {
    facts = negated(facts_of_two_factors(negated(a), b));
  } else if (is_negative_side(b)) {
    facts = negated(facts_of_two_factors(a, negated(b)));
  } else if (a.minimum && a.maximum && b.minimum && b.maximum) {
    const Bound corners[] = {
        checked_multiply(*a.minimum, *b.minimum), checked_multiply(*a.minimum, *b.maximum),
        checked_multiply(*a.maximum, *b.minimum), checked_multiply(*a.maximum, *b.maximum)};
    facts.minimum = facts.maximum = corners[0];
    for (Bound corner : corners) {
      facts.minimum = smaller(facts.minimum, corner);
      facts.maximum = larger(facts.maximum, corner);
    }
  } else if (a.modulus == 0 && a.remainder > 0) {
    if (b.minimum) facts.minimum = checked_multiply(*b.minimum, a.remainder);
    if (b.maximum) facts.maximum = checked_multiply(*b.maximum, a.remainder);
  }
  // (m x + r)(n y + s) = m n x y + m s x + n r y + r s
  facts.modulus = 1;
  facts.remainder = 0;
  if (a.modulus == 1 && b.modulus == 1) return facts;
  const Bound square = checked_multiply(a.modulus, b.modulus);
  const Bound left = checked_multiply(a.modulus, b.remainder);
  const Bound right = checked_multiply(b.modulus, a.remainder);
  if (!square || !left || !right) return facts;
  set_residue(facts, greatest_common_divisor(*square, greatest_common_divisor(*left, *right)),
              checked_multiply(a.remainder, b.remainder));
  return facts;
}

}  // namespace

Facts facts_of_product(std::span<const Expr> factors) {
  Facts facts = factors.front()->facts;
  for (Expr factor : factors.subspan(1)) facts = facts_of_two_factors(facts, factor->facts);
  return facts;
}

Facts facts_of_quotient(const Facts& dividend, const Facts& divisor) {
  // A divisor of zero has no quotient, so >= 0 is as good as >= 1.
  if (is_negative_side(divisor)) return negated(facts_of_quotient(dividend, negated(divisor)));
  if (!at_least(divisor, 0)) {
    const Bound bound = magnitude(dividend);
    return {negate(bound), bound};
  }
  if (at_least(dividend, 0)) return natural_quotient(dividend, divisor);
  if (at_most(dividend, 0) && negate(dividend.maximum)) {
    return negated(natural_quotient(negated(dividend), divisor));
  }
  const std::int64_t least_divisor = std::max<std::int64_t>(1, *divisor.minimum);
  Facts facts;
  if (dividend.minimum) facts.minimum = std::min<std::int64_t>(0, *dividend.minimum / least_divisor);
  if (dividend.maximum) facts.maximum = std::max<std::int64_t>(0, *dividend.maximum / least_divisor);
  return facts;
}

Facts facts_of_remainder(const Facts& dividend, const Facts& divisor) {
  Bound largest = magnitude(divisor);
  if (largest) largest = std::max<std::int64_t>(0, *largest - 1);
  Facts facts;
  if (at_least(dividend, 0)) {
    facts.minimum = 0;
  } else {
    facts.minimum = negate(largest);
    if (dividend.minimum) facts.minimum = std::max(facts.minimum.value_or(lowest), *dividend.minimum);
  }
  if (at_most(dividend, 0)) {
    facts.maximum = 0;
  } else {
    facts.maximum = largest;
    if (dividend.maximum && (!largest || *dividend.maximum < *largest)) facts.maximum = dividend.maximum;
  }
  // A remainder is the dividend less a multiple of the divisor.
  std::int64_t modulus = greatest_common_divisor(dividend.modulus, divisor.modulus);
  if (divisor.remainder != 0) modulus = greatest_common_divisor(modulus, divisor.remainder);
  set_residue(facts, modulus, dividend.remainder);
  return facts;
}

Facts facts_of_exact_quotient(const Facts& dividend, const Facts& divisor) {
  Facts facts = facts_of_quotient(dividend, divisor);
  // A dividend that is not zero and divides has a quotient that is not zero.
  if (at_least(dividend, 1) && at_least(divisor, 0))
    facts.minimum = std::max<std::int64_t>(1, *facts.minimum);
  if (divisor.modulus == 0 && divisor.remainder > 0 && dividend.modulus % divisor.remainder == 0 &&
      dividend.remainder % divisor.remainder == 0) {
    set_residue(facts, dividend.modulus / divisor.remainder, dividend.remainder / divisor.remainder);
  }
  return facts;
}

Facts facts_of_ceiling_quotient(const Facts& dividend, const Facts& divisor) {
  const std::int64_t least_divisor = std::max<std::int64_t>(1, divisor.minimum.value_or(1));
  const std::int64_t least_dividend = std::max<std::int64_t>(0, dividend.minimum.value_or(0));
  const auto ceiling = [](std::int64_t a, std::int64_t b) { return a / b + (a % b != 0 ? 1 : 0); };
  Facts facts;
  facts.minimum = divisor.maximum && *divisor.maximum > 0 ? ceiling(least_dividend, *divisor.maximum)
                                                          : (least_dividend > 0 ? 1 : 0);
  if (dividend.maximum && *dividend.maximum >= 0) facts.maximum = ceiling(*dividend.maximum, least_divisor);
  return facts;
}

Facts facts_of_power(const Facts& base, const Facts& exponent) {
  Facts facts;
  if (!at_least(base, 0)) return facts;
  const std::int64_t least_exponent = std::max<std::int64_t>(0, exponent.minimum.value_or(0));
  facts.minimum =
      at_least(base, 1) ? checked_power(*base.minimum, std::min<std::int64_t>(least_exponent, 63)) : 0;
  if (!facts.minimum) facts.minimum = 1;  // the power overflows, but it is positive
  if (base.maximum && exponent.maximum && *exponent.maximum >= 0 && *base.maximum >= 1) {
    facts.maximum = *base.maximum == 1       ? 1
                    : *exponent.maximum < 64 ? checked_power(*base.maximum, *exponent.maximum)
                                             : std::nullopt;
  }
  if (base.modulus == 0 && base.remainder > 1 && least_exponent > 0) {
    if (const Bound modulus = checked_power(base.remainder, std::min<std::int64_t>(least_exponent, 63))) {
      set_residue(facts, *modulus, 0);
    }
  }
  return facts;
}

Facts facts_of_minimum(const Facts& a, const Facts& b) {
  Facts facts{smaller(a.minimum, b.minimum), a.maximum && b.maximum ? smaller(a.maximum, b.maximum)
                                             : a.maximum            ? a.maximum
                                                                    : b.maximum};
  join_residues(facts, a, b);
  return facts;
}

Facts facts_of_maximum(const Facts& a, const Facts& b) {
  Facts facts{a.minimum && b.minimum ? larger(a.minimum, b.minimum)
              : a.minimum            ? a.minimum
                                     : b.minimum,
              larger(a.maximum, b.maximum)};
  join_residues(facts, a, b);
  return facts;
}

Facts facts_of_either(const Facts& a, const Facts& b) {
  Facts facts{smaller(a.minimum, b.minimum), larger(a.maximum, b.maximum)};
  join_residues(facts, a, b);
  return facts;
}

}  // namespace hoist::arith
