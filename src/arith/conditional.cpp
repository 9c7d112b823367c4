// Conditionals: decided where the predicate is, turned into min and max where they are that, and otherwise
// kept with a predicate that is < or ==.
#include <utility>

#include "arith/division.hpp"

namespace hoist::arith {
namespace {

/// x < y ? u : v is max(u, v) where v - u and x - y have the same sign, and min(u, v) where u - v and x - y
/// have.
Expr as_extreme(const Predicate& predicate, Expr u, Expr v) {
  const Expr distance = predicate.left - predicate.right;  // negative where the predicate holds
  const Expr step = v - u;
  // Whether equality counts as less does not matter: the two values are then the same.
  if (step == distance || step == distance + Expr(1)) return maximum(u, v);
  if (-step == distance || -step == distance + Expr(1)) return minimum(u, v);
  return {};
}

}  // namespace

Expr conditional(const Predicate& predicate, Expr then_value, Expr else_value) {
  if (then_value == else_value && !is_raw()) return then_value;
  Predicate known = predicate;
  if (is_raw()) {
    if (known.left.kind() != Kind::Constant || known.right.kind() != Kind::Constant) {
      return intern_conditional(known, then_value, else_value);
    }
    return holds(known) == Truth::Yes ? then_value : else_value;
  }
  switch (holds(known)) {
    case Truth::Yes:
      return then_value;
    case Truth::No:
      return else_value;
    case Truth::Unknown:
      break;
  }
  if (known.relation == Relation::LessEqual || known.relation == Relation::NotEqual) {
    known = negation(known);
    std::swap(then_value, else_value);
  }
  if (known.relation == Relation::Equal) {
    if (canonical_less(known.right, known.left)) std::swap(known.left, known.right);
  } else if (const Expr extreme = as_extreme(known, then_value, else_value)) {
    return extreme;
  }
  return fold_if_fixed(intern_conditional(known, then_value, else_value));
}

}  // namespace hoist::arith
