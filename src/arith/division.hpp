#pragma once
// Private to arith: what quotients, remainders and their relatives share.
#include "arith/terms.hpp"

namespace hoist::arith {

/// Bounds the recursion of rules into rules: no expression that is worth it comes near.
class RuleDepth {
 public:
  RuleDepth() { ++depth_; }
  ~RuleDepth() { --depth_; }
  RuleDepth(const RuleDepth&) = delete;
  RuleDepth& operator=(const RuleDepth&) = delete;
  bool is_exhausted() const { return depth_ > 64; }

 private:
  inline static thread_local int depth_ = 0;
};

/// dividend == quotient * divisor + rest, an identity of polynomials.
struct PolynomialDivision {
  Expr quotient;
  Expr rest;
};
/// Divides as far as the divisor's leading term goes; the quotient may be 0.
PolynomialDivision divide_polynomial(Expr dividend, Expr divisor);

/// Divides both by what divides every term of both, and returns that; empty if nothing but 1 does.
Expr cancel_common_factors(Expr& dividend, Expr& divisor);

/// e >= 0 for every value of its variables is proven.
bool is_nonnegative(Expr e);
/// a <= b + slack is proven.
bool is_at_most(Expr a, Expr b, std::int64_t slack = 0);
inline bool is_below(Expr a, Expr b) { return is_at_most(a, b, -1); }
inline bool is_nonpositive(Expr e) { return is_nonnegative(-e); }
/// A divisor that is not negative: it is positive wherever the division has a value.
inline bool is_natural_divisor(Expr divisor) { return is_nonnegative(divisor); }

/// The value of an index variable in its last iteration, or what is never below it; empty where unknown.
Expr last_value(const Node& variable);

/// -e, where a dividend or divisor is better negated: C's quotient and remainder are symmetric. Else empty.
Expr better_negated(Expr e);

/// The division split into a whole part and a smaller one, where the signs make C's truncation agree:
/// dividend / divisor == whole + rest / divisor and dividend % divisor == rest % divisor.
struct Split {
  Expr whole;
  Expr rest;
  bool rest_is_remainder = false;  ///< 0 <= rest < divisor (or rest == 0)
};
/// Empty where nothing can be split off.
std::optional<Split> split_division(Expr dividend, Expr divisor);

/// A division by a constant in units of `unit`, of which the divisor is a multiple: dividend == unit * whole
/// + rest with 0 <= rest < unit, and no whole number of units is negative. Then dividend / (unit * count) ==
/// whole / count, and dividend % (unit * count) == unit * (whole % count) + rest. So rows of an array,
/// numbered through all planes, are counted in planes.
struct InUnits {
  Expr whole, rest;
  std::int64_t unit;
};
/// In the largest unit that divides the divisor; empty where there is none.
std::optional<InUnits> division_in_units(Expr dividend, Expr divisor);

}  // namespace hoist::arith
