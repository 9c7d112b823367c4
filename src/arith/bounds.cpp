// Symbolic bounds: index and run-time variables are replaced by their extremes, sizes stay.
#include "arith/division.hpp"

namespace hoist::arith {
namespace {

enum class End { Lower, Upper };
End other(End end) { return end == End::Lower ? End::Upper : End::Lower; }

Expr bound(Expr e, End end);

Expr bound_of_quotient(const Node& quotient, End end) {
  const Expr divisor = quotient.operands[1];
  if (interned(divisor)->has_index || !is_natural_divisor(divisor)) return {};
  const Expr dividend = bound(quotient.operands[0], end);
  if (!dividend) return {};
  // All three are monotonic in the dividend; the extreme of an exact one need not divide.
  if (quotient.kind == Kind::CeilingQuotient) return ceiling_quotient(dividend, divisor);
  if (quotient.kind == Kind::ExactQuotient && end == End::Lower) {
    return is_nonnegative(dividend) ? ceiling_quotient(dividend, divisor) : Expr();
  }
  return dividend / divisor;
}

Expr bound_of_remainder(const Node& remainder, End end) {
  const bool is_natural = is_nonnegative(remainder.operands[0]);
  if (end == End::Lower && is_natural) return Expr(0);
  if (!is_natural_divisor(remainder.operands[1])) return {};
  const Expr divisor = bound(remainder.operands[1], End::Upper);
  if (!divisor) return {};
  return end == End::Upper ? divisor - Expr(1) : Expr(1) - divisor;
}

Expr bound_of_choice(const Node& choice, End end) {
  const Expr first = bound(choice.operands[0], end);
  const Expr second = bound(choice.operands[1], end);
  if (!first || !second) {
    // Either operand bounds a minimum from above and a maximum from below.
    const bool either_will_do = choice.kind == (end == End::Upper ? Kind::Minimum : Kind::Maximum);
    return either_will_do ? (first ? first : second) : Expr();
  }
  if (choice.kind == Kind::Conditional)
    return end == End::Upper ? maximum(first, second) : minimum(first, second);
  return choice.kind == Kind::Minimum ? minimum(first, second) : maximum(first, second);
}

Expr bound_of_atom(Expr atom, End end) {
  const Node& node = *atom.get();
  switch (node.kind) {
    case Kind::Variable: {
      const Expr value = end == End::Lower ? node.start : last_value(node);
      return value ? bound(value, end) : Expr();
    }
    case Kind::Quotient:
    case Kind::ExactQuotient:
    case Kind::CeilingQuotient:
      return bound_of_quotient(node, end);
    case Kind::Remainder:
      return bound_of_remainder(node, end);
    case Kind::Minimum:
    case Kind::Maximum:
    case Kind::Conditional:
      return bound_of_choice(node, end);
    default:
      return {};
  }
}

/// The atom of the highest level with an index variable inside.
Expr next_atom(Expr e) {
  Expr best;
  for (Expr term : terms_of(e)) {
    if (!interned(term)->has_index) continue;
    const Expr self(interned(term)->monomial);
    for (Expr factor : factors_of(interned(term)->monomial, self)) {
      if (!interned(factor)->has_index) continue;
      if (!best || interned(factor)->level > interned(best)->level ||
          (interned(factor)->level == interned(best)->level && canonical_less(factor, best))) {
        best = factor;
      }
    }
  }
  return best;
}

Expr bound(Expr e, End end) {
  if (!interned(e)->has_index) return e;
  const Expr atom = next_atom(e);
  Terms coefficient;
  Terms others;
  for (Expr term : terms_of(e)) {
    const Interned* node = interned(term);
    const auto rest =
        node->monomial != nullptr ? divide_monomial(node->monomial, interned(atom)) : std::nullopt;
    if (rest) {
      coefficient.add(monomial_expr(*rest), node->coefficient);
    } else {
      others.add(term);
    }
  }
  const Expr factor = coefficient.build();
  const Expr rest = others.build();
  if (!factor || !rest) return {};
  const bool rises = is_nonnegative(factor);
  if (!rises && !is_nonpositive(factor)) return {};
  const Expr extreme = bound_of_atom(atom, rises ? end : other(end));
  return extreme ? bound(factor * extreme + rest, end) : Expr();
}

Expr bound_or_fact(Expr e, End end) {
  const bool needs_canonical = is_raw();
  const Simplifying simplifying;
  if (const Expr symbolic = bound(needs_canonical ? rebuild(e) : e, end)) return symbolic;
  const auto fact = end == End::Lower ? e->facts.minimum : e->facts.maximum;
  return fact ? Expr(*fact) : Expr();
}

}  // namespace

Expr last_value(const Node& variable) {
  if (!variable.stop) return {};
  if (variable.step && variable.start && !variable.step.is_constant(1)) {
    const Expr steps = (variable.stop - variable.start - Expr(1)) / variable.step;
    // Only where the division disappears is the exact value easier to work with.
    if (steps.kind() != Kind::Quotient) return variable.start + steps * variable.step;
  }
  return variable.stop - Expr(1);
}

Expr lower_bound(Expr e) { return bound_or_fact(e, End::Lower); }
Expr upper_bound(Expr e) { return bound_or_fact(e, End::Upper); }

}  // namespace hoist::arith
