// Products: multiplied out over sums, so that a polynomial has one form.
#include <algorithm>
#include <array>

#include "arith/facts.hpp"
#include "arith/terms.hpp"

namespace hoist::arith {
namespace {

/// Beyond this many terms a product stays a product: nobody would read the sum.
constexpr std::size_t most_terms = 256;

/// Flattened, the constants folded into the first factor; for overflow and for raw mode.
Expr raw_product(std::span<const Expr> factors) {
  SmallVector<Expr, 8> operands;
  std::int64_t constant = 1;
  const auto append = [&](Expr factor) {
    const auto total =
        factor.kind() == Kind::Constant ? checked_multiply(constant, factor->value) : std::nullopt;
    if (total) {
      constant = *total;
    } else {
      operands.push_back(factor);
    }
  };
  for (Expr factor : factors) {
    if (factor.kind() == Kind::Product) {
      for (Expr inner : factor->operands) append(inner);
    } else {
      append(factor);
    }
  }
  if (constant == 0) return Expr(0);
  if (operands.empty()) return Expr(constant);
  return intern_term(constant, intern_monomial(operands));
}

bool is_power_of_sum(Expr e) { return e.kind() == Kind::Power && e->operands[1].kind() == Kind::Sum; }

/// Whether a factor of a term is a power whose exponent is a sum: one that may be negative, in part.
bool has_power_of_sum(Expr e) {
  if (e.kind() == Kind::Sum || e.kind() == Kind::Product)
    return std::ranges::any_of(e->operands, has_power_of_sum);
  return is_power_of_sum(e);
}

/// How many terms of an exponent are not constant.
std::size_t open_terms(Expr exponent) {
  return static_cast<std::size_t>(
      std::ranges::count_if(terms_of(exponent), [](Expr term) { return term.kind() != Kind::Constant; }));
}

/// Two powers of one base among the factors of a product, whose exponents cancel in part, made one: b ** i *
/// b ** (n - i) is b ** n. Exponents are not negative, so the value is the same.
Expr with_powers_together(Expr product) {
  if (product.kind() != Kind::Product) return product;
  const std::span<const Expr> factors = product->operands;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    for (std::size_t j = i + 1; j < factors.size(); ++j) {
      const bool are_powers = factors[i].kind() == Kind::Power && factors[j].kind() == Kind::Power;
      if (!are_powers || (!is_power_of_sum(factors[i]) && !is_power_of_sum(factors[j]))) continue;
      const Expr base = factors[i]->operands[0];
      if (factors[j]->operands[0] != base) continue;
      const Expr first = factors[i]->operands[1], second = factors[j]->operands[1];
      const Expr exponent = first + second;
      if (open_terms(exponent) + 2 > open_terms(first) + open_terms(second)) continue;
      Expr result = power(base, exponent);
      for (std::size_t at = 0; at < factors.size(); ++at) {
        if (at != i && at != j) result = result * factors[at];
      }
      return result;
    }
  }
  return product;
}

Expr multiply(Expr a, Expr b) {
  const Expr both[] = {a, b};
  if (terms_of(a).size() * terms_of(b).size() > most_terms) {
    if (canonical_less(b, a)) return raw_product(std::array{b, a});
    return raw_product(both);
  }
  Terms multiplied;
  multiplied.add_product(a, b);
  const Expr result = multiplied.build();
  if (!result) return raw_product(both);
  if (!has_power_of_sum(result)) return result;
  Expr together(0);
  for (Expr term : terms_of(result)) together = together + with_powers_together(term);
  return together;
}

}  // namespace

Expr operator*(Expr a, Expr b) {
  if (a.kind() == Kind::Constant) std::swap(a, b);
  if (b.kind() == Kind::Constant) {
    if (b->value == 0) return b;
    if (b->value == 1) return a;
    if (a.kind() == Kind::Constant) {
      if (const auto value = checked_multiply(a->value, b->value)) return Expr(*value);
    }
  }
  if (is_raw()) return raw_product(std::array{a, b});
  return multiply(a, b);
}

Expr product(std::span<const Expr> factors) {
  if (is_raw()) return raw_product(factors);
  Expr result(1);
  for (Expr factor : factors) result = result * factor;
  return result;
}

}  // namespace hoist::arith
