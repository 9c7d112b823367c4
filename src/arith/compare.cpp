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

bool has_residue(Expr e) {
  const Facts& facts = e->facts;
  return facts.modulus == 0 ? facts.remainder != 0 : facts.remainder % facts.modulus != 0;
}

}  // namespace

Truth less_equal(Expr a, Expr b) {
  if (a == b) return Truth::Yes;
  if (a.kind() == Kind::Constant && b.kind() == Kind::Constant) return truth(a->value <= b->value, true);
  if (is_raw()) {
    const Simplifying simplifying;
    return less_equal(rebuild(a), rebuild(b));
  }
  if (const Expr known = recall(Question::LessEqual, a.get(), b.get()))
    return static_cast<Truth>(known->value);
  const std::uint64_t before = surrenders();
  const Truth result = is_at_most(a, b) ? Truth::Yes : truth(false, is_below(b, a));
  if (surrenders() == before) {
    remember(Question::LessEqual, a.get(), b.get(), Expr(static_cast<std::int64_t>(result)));
  }
  return result;
}

Truth less(Expr a, Expr b) { return opposite(less_equal(b, a)); }

Truth equal(Expr a, Expr b) {
  if (a == b) return Truth::Yes;
  if (a.kind() == Kind::Constant && b.kind() == Kind::Constant) return Truth::No;
  if (is_raw()) {
    const Simplifying simplifying;
    return equal(rebuild(a), rebuild(b));
  }
  const Expr difference = a - b;
  if (difference.kind() == Kind::Constant) return truth(difference->value == 0, true);
  if (has_residue(difference)) return Truth::No;
  const bool is_not_above = is_at_most(a, b);
  const bool is_not_below = is_at_most(b, a);
  if (is_not_above && is_not_below) return Truth::Yes;
  return truth(false, (is_not_above && is_below(a, b)) || (is_not_below && is_below(b, a)));
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
