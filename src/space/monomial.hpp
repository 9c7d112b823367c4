#pragma once
// Products of powers of parameters in one form, in which what a quotient of tiles leaves is plain to see: t/u
// * u is t.
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "arith/expr.hpp"

namespace hoist::space {

/// Numbers that products of many sizes fit in.
using Wide = __int128;
constexpr std::int64_t most_narrow = std::int64_t{1} << 58;

/// A positive number, without a common divisor.
struct Fraction {
  Wide numerator = 1, denominator = 1;
  bool is_narrow() const { return numerator < most_narrow && denominator < most_narrow; }
};

/// numerator/denominator * p1^e1 * p2^e2 ..., where exponents may be negative.
struct Monomial {
  std::int64_t numerator = 1, denominator = 1;      ///< without a common divisor; the sign is the numerator's
  std::vector<std::pair<std::size_t, int>> powers;  ///< of parameters by number, ascending; no exponent is 0
  bool operator==(const Monomial&) const = default;

  int exponent(std::size_t parameter) const;
  bool has_positive() const;  ///< exponents
  bool has_negative() const;
  /// An integer whatever the parameters are.
  bool is_integer() const { return denominator == 1 && !has_negative(); }
  /// Its value. The caller knows that what is above and below the line fits: fits().
  Fraction value(const std::vector<std::int64_t>& slots) const;
  /// The same where it is an integer; nothing where it is a fraction.
  std::optional<Wide> integer_value(const std::vector<std::int64_t>& slots) const;
  /// Whether both sides of the line stay below 2^120 as long as parameters are at most these.
  bool fits(const std::vector<std::int64_t>& most) const;

 private:
  /// What is above and below the line; nothing where one of them needs more than 64 bits.
  std::optional<std::pair<std::int64_t, std::int64_t>> narrow_value(
      const std::vector<std::int64_t>& slots) const;
  std::pair<Wide, Wide> wide_value(const std::vector<std::int64_t>& slots) const;
};

/// Nothing where a number is too large.
std::optional<Monomial> quotient(const Monomial& a, const Monomial& b);

/// A sum of monomials, and the quotients inside of it: it has a value where all of them are integers.
struct Polynomial {
  std::vector<Monomial> terms;
  std::vector<Monomial> quotients;
};

/// What the expression is for parameters that are at least 1; nothing where it is no polynomial: it rounds,
/// takes a minimum, divides by a sum. `variables[i]` is parameter i.
std::optional<Polynomial> polynomial_of(arith::Expr e, const std::vector<arith::Expr>& variables);

}  // namespace hoist::space
