#include "arith/division.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "arith/facts.hpp"

namespace hoist::arith {
namespace {

bool is_multiple_by_facts(const Node& node, std::int64_t divisor) {
  return node.facts.modulus % divisor == 0 && node.facts.remainder % divisor == 0;
}

/// By a positive constant: terms lose multiples of it keeping their sign, the constant becomes a residue.
PolynomialDivision divide_by_constant(Expr dividend, std::int64_t divisor) {
  Terms quotient;
  Terms rest;
  for (Expr term : terms_of(dividend)) {
    const Interned* node = interned(term);
    if (node->kind == Kind::Constant) {
      quotient.add_constant(floor_quotient(node->value, divisor));
      rest.add_constant(floor_remainder(node->value, divisor));
    } else if (node->coefficient % divisor != 0 && is_multiple_by_facts(*node, divisor) &&
               dividend.kind() == Kind::Sum) {
      // An index with a stride. Alone it is no simpler than its quotient.
      quotient.add(exact_quotient(term, divisor));
    } else {
      quotient.add_term(node->monomial, node->coefficient / divisor);
      rest.add_term(node->monomial, node->coefficient % divisor);
    }
  }
  const Expr whole = quotient.build();
  const Expr remaining = rest.build();
  if (!whole || !remaining) return {Expr(0), dividend};
  return {whole, remaining};
}

/// The term that leads a polynomial: its first, which is not constant.
const Interned* leading_term(Expr polynomial) { return interned(terms_of(polynomial).front()); }

PolynomialDivision divide_by_polynomial(Expr dividend, Expr divisor) {
  const Interned* lead = leading_term(divisor);
  if (lead->kind == Kind::Constant)
    return {Expr(0), dividend};  // a sum of constants that does not fit in one
  Terms quotient;
  Terms rest(dividend);
  // Every step removes a multiple of the leading monomial; the bound only guards against odd divisors.
  for (std::size_t steps = 2 * rest.terms().size() + 8; steps > 0 && !rest.overflowed(); --steps) {
    const Interned* factor = nullptr;
    std::int64_t times = 0;
    for (const Term& term : rest.terms()) {
      const auto coefficient = checked_quotient(term.coefficient, lead->coefficient);
      if (!coefficient || *coefficient == 0) continue;
      const auto monomial = divide_monomial(term.monomial, lead->monomial);
      if (!monomial) continue;
      factor = *monomial;
      times = *coefficient;
      break;
    }
    if (times == 0) break;
    const Expr multiple = Expr(times) * monomial_expr(factor);
    quotient.add(multiple);
    rest.add_product(multiple, divisor, -1);
    rest.drop_zeros();
  }
  const Expr whole = quotient.build();
  const Expr remaining = rest.build();
  if (!whole || !remaining) return {Expr(0), dividend};
  return {whole, remaining};
}

bool is_better_negated(Expr e) {
  const Facts& facts = e->facts;
  if (facts.minimum && *facts.minimum >= 0) return false;
  if (e.is_constant(std::numeric_limits<std::int64_t>::min())) return false;
  if (facts.maximum && *facts.maximum <= 0) return true;
  return e.kind() != Kind::Sum && interned(e)->coefficient < 0;
}

}  // namespace

PolynomialDivision divide_polynomial(Expr dividend, Expr divisor) {
  if (divisor.kind() == Kind::Constant) {
    if (divisor->value <= 0) return {Expr(0), dividend};
    return divide_by_constant(dividend, divisor->value);
  }
  return divide_by_polynomial(dividend, divisor);
}

Expr cancel_common_factors(Expr& dividend, Expr& divisor) {
  std::int64_t coefficient = 0;
  SmallVector<Expr, 8> common;  // factors of every term seen so far
  bool is_first = true;
  for (Expr side : {divisor, dividend}) {
    for (Expr term : terms_of(side)) {
      const Interned* node = interned(term);
      if (node->coefficient == 0) return {};
      coefficient = greatest_common_divisor(coefficient, node->coefficient);
      if (node->kind == Kind::Constant) {
        common.truncate(common.begin());
      } else if (is_first) {
        const Expr self(node->monomial);
        const std::span<const Expr> factors = factors_of(node->monomial, self);
        common.append(factors.begin(), factors.end());
      } else {
        const Interned* left = node->monomial;
        for (std::size_t at = 0; at < common.size();) {
          const auto without = left != nullptr ? divide_monomial(left, interned(common[at])) : std::nullopt;
          if (without) {
            left = *without;
            ++at;
          } else {
            common.erase_at(at);
          }
        }
      }
      is_first = false;
      if (coefficient == 1 && common.empty()) return {};
    }
  }
  const Interned* monomial = intern_monomial(common);
  const auto without_common = [&](Expr side) {
    Terms reduced;
    for (Expr term : terms_of(side)) {
      const Interned* node = interned(term);
      const Interned* rest = node->monomial;
      if (monomial != nullptr) rest = *divide_monomial(node->monomial, monomial);
      reduced.add(monomial_expr(rest), node->coefficient / coefficient);
    }
    return reduced.build();
  };
  const Expr reduced_dividend = without_common(dividend);
  const Expr reduced_divisor = without_common(divisor);
  if (!reduced_dividend || !reduced_divisor) return {};
  dividend = reduced_dividend;
  divisor = reduced_divisor;
  return Expr(coefficient) * monomial_expr(monomial);
}

Expr better_negated(Expr e) {
  if (!is_better_negated(e)) return {};
  const Expr negated = -e;
  // Next to an overflow the negation may be no better.
  return is_better_negated(negated) ? Expr() : negated;
}

std::optional<Split> split_division(Expr dividend, Expr divisor) {
  const PolynomialDivision parts = divide_polynomial(dividend, divisor);
  if (parts.rest.is_constant(0)) return Split{parts.quotient, parts.rest, true};
  if (!is_natural_divisor(divisor)) return std::nullopt;
  const bool has_whole = !parts.quotient.is_constant(0);
  if (is_nonnegative(parts.rest)) {
    if (!is_nonnegative(dividend) && !is_nonnegative(parts.quotient)) return std::nullopt;
    if (is_below(parts.rest, divisor)) return Split{parts.quotient, parts.rest, true};
    if (has_whole) return Split{parts.quotient, parts.rest, false};
    return std::nullopt;
  }
  if (!has_whole) return std::nullopt;
  // One divisor borrowed from the whole part may make the rest a remainder.
  const Expr borrowed = parts.rest + divisor;
  if (is_nonnegative(borrowed) && is_below(borrowed, divisor) && is_nonnegative(dividend)) {
    return Split{parts.quotient - Expr(1), borrowed, true};
  }
  return std::nullopt;
}

std::optional<InUnits> division_in_units(Expr dividend, Expr divisor) {
  if (divisor.kind() != Kind::Constant || divisor->value <= 0 || dividend.kind() != Kind::Sum)
    return std::nullopt;
  SmallVector<std::int64_t, 8> units;
  for (Expr term : terms_of(dividend)) {
    const std::int64_t unit = greatest_common_divisor(interned(term)->coefficient, divisor->value);
    if (unit > 1 && unit < divisor->value && std::ranges::find(units, unit) == units.end())
      units.push_back(unit);
  }
  std::ranges::sort(units, std::greater());
  for (const std::int64_t unit : units) {
    const auto [whole, rest] = divide_by_constant(dividend, unit);
    if (is_nonnegative(whole) && is_nonnegative(rest) && is_below(rest, Expr(unit)))
      return InUnits{whole, rest, unit};
  }
  return std::nullopt;
}

}  // namespace hoist::arith
