// Comparisons: yes, no or unknown, by proving the sign of a difference.
#include "arith/division.hpp"
#include "arith/facts.hpp"

namespace hoist::arith {
namespace {

Truth truth(bool yes, bool no) { return yes ? Truth::Yes : no ? Truth::No : Truth::Unknown; }

Truth opposite(Truth truth_of_it) {
  switch (truth_of_it) {
    case Truth::Yes:
      return Truth::No;
    case Truth::No:
      return Truth::Yes;
    case Truth::Unknown:
      break;
  }
  return Truth::Unknown;
}

/// a - b in canonical form, also where the operands were made without simplification.
Expr difference(Expr a, Expr b) {
  if (!is_raw()) return a - b;
  const Simplifying simplifying;
  return rebuild(a) - rebuild(b);
}

bool has_residue(Expr e) {
  const Facts& facts = e->facts;
  return facts.modulus == 0 ? facts.remainder != 0 : facts.remainder % facts.modulus != 0;
}

}  // namespace

Truth less_equal(Expr a, Expr b) {
  if (a == b) return Truth::Yes;
  if (a.kind() == Kind::Constant && b.kind() == Kind::Constant) return truth(a->value <= b->value, true);
  const Expr distance = difference(b, a);
  const Simplifying simplifying;
  if (is_nonnegative(distance)) return Truth::Yes;
  return truth(false, is_nonnegative(Expr(-1) - distance));
}

Truth less(Expr a, Expr b) { return opposite(less_equal(b, a)); }

Truth equal(Expr a, Expr b) {
  if (a == b) return Truth::Yes;
  if (a.kind() == Kind::Constant && b.kind() == Kind::Constant) return Truth::No;
  const Expr distance = difference(a, b);
  if (distance.kind() == Kind::Constant) return truth(distance->value == 0, true);
  if (has_residue(distance)) return Truth::No;
  const Simplifying simplifying;
  const Expr reverse = -distance;
  if (is_nonnegative(distance - Expr(1)) || is_nonnegative(reverse - Expr(1))) return Truth::No;
  return truth(is_nonnegative(distance) && is_nonnegative(reverse), false);
}

Truth divides(Expr divisor, Expr dividend) {
  if (divisor.is_constant(0)) return Truth::Unknown;
  const bool needs_canonical = is_raw();
  const Simplifying simplifying;
  const Expr rest = needs_canonical ? rebuild(dividend) % rebuild(divisor) : dividend % divisor;
  if (rest.is_constant(0)) return Truth::Yes;
  return equal(rest, Expr(0)) == Truth::No ? Truth::No : Truth::Unknown;
}

Truth holds(const Predicate& predicate) {
  switch (predicate.relation) {
    case Relation::Less:
      return less(predicate.left, predicate.right);
    case Relation::LessEqual:
      return less_equal(predicate.left, predicate.right);
    case Relation::Equal:
      return equal(predicate.left, predicate.right);
    case Relation::NotEqual:
      return opposite(equal(predicate.left, predicate.right));
  }
  return Truth::Unknown;
}

Predicate negation(const Predicate& predicate) {
  const auto& [relation, left, right] = predicate;
  switch (relation) {
    case Relation::Less:
      return {Relation::LessEqual, right, left};
    case Relation::LessEqual:
      return {Relation::Less, right, left};
    case Relation::Equal:
      return {Relation::NotEqual, left, right};
    case Relation::NotEqual:
      return {Relation::Equal, left, right};
  }
  return predicate;
}

}  // namespace hoist::arith
