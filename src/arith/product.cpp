// Products: multiplied out over sums, so that a polynomial has one form.
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

Expr multiply(Expr a, Expr b) {
  const Expr both[] = {a, b};
  if (terms_of(a).size() * terms_of(b).size() > most_terms) {
    if (canonical_less(b, a)) return raw_product(std::array{b, a});
    return raw_product(both);
  }
  Terms multiplied;
  multiplied.add_product(a, b);
  const Expr result = multiplied.build();
  return result ? result : raw_product(both);
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
