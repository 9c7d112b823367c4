// Linear equations in one variable.
#include "arith/terms.hpp"

namespace hoist::arith {

Expr solve(Expr left, Expr right, Expr variable) {
  const Expr difference = left - right;
  Terms coefficient;
  Terms others;
  for (Expr term : terms_of(difference)) {
    const Interned* node = interned(term);
    const auto rest =
        node->monomial != nullptr ? divide_monomial(node->monomial, interned(variable)) : std::nullopt;
    if (rest) {
      coefficient.add(monomial_expr(*rest), node->coefficient);
    } else {
      others.add(term, -1);
    }
  }
  const Expr factor = coefficient.build();
  const Expr value = others.build();
  if (!factor || !value || factor.is_constant(0)) return {};
  if (contains(factor, variable) || contains(value, variable)) return {};
  if (!is_divisor(factor, value)) return {};
  // A factor that may be zero leaves the variable undetermined.
  if (equal(factor, Expr(0)) != Truth::No) return {};
  return exact_quotient(value, factor);
}

}  // namespace hoist::arith
