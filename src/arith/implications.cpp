#include "arith/implications.hpp"

#include <algorithm>

#include "arith/facts.hpp"
#include "arith/terms.hpp"

namespace hoist::arith {
namespace {

thread_local SmallVector<Implied, 32> assumed;

/// polynomial >= 0 bounds its atom where it has a single one, with a positive coefficient.
void imply(const Terms& polynomial, SmallVector<Implied, 8>& found);

/// e >= least.
void imply_at_least(Expr e, std::int64_t least, SmallVector<Implied, 8>& found) {
  Terms polynomial(e);
  const Bound negated = checked_negate(least);
  if (!negated) return;
  polynomial.add_constant(*negated);
  imply(polynomial, found);
}

void imply_of_atom(const Interned* atom, std::int64_t least, SmallVector<Implied, 8>& found) {
  if (atom->kind == Kind::Product || (atom->facts.minimum && *atom->facts.minimum >= least)) return;
  found.push_back({atom, least});
  const std::span<const Expr> operands = atom->operands;
  switch (atom->kind) {
    case Kind::Quotient:
    case Kind::ExactQuotient:
      // A positive quotient: the dividend is at least that many divisors.
      if (operands[1].kind() == Kind::Constant && operands[1]->value > 0 && least > 0) {
        if (const Bound whole = checked_multiply(least, operands[1]->value))
          imply_at_least(operands[0], *whole, found);
      }
      return;
    case Kind::CeilingQuotient:
      if (operands[1].kind() == Kind::Constant && operands[1]->value > 0 && least > 1) {
        const Bound whole = checked_multiply(least - 1, operands[1]->value);
        const Bound more = whole ? checked_add(*whole, 1) : std::nullopt;
        if (more) imply_at_least(operands[0], *more, found);
      }
      return;
    case Kind::Minimum:
      imply_at_least(operands[0], least, found);
      imply_at_least(operands[1], least, found);
      return;
    default:
      return;
  }
}

void imply(const Terms& polynomial, SmallVector<Implied, 8>& found) {
  if (polynomial.overflowed() || polynomial.terms().size() != 1) return;
  const Term& term = polynomial.terms().front();
  if (term.coefficient <= 0) return;
  const Bound least = checked_negate(floor_quotient(polynomial.constant_term(), term.coefficient));
  if (least) imply_of_atom(term.monomial, *least, found);
}

void assume(Expr e) {
  const Interned* node = interned(e);
  if (!node->has_implications) return;
  if (node->kind == Kind::Variable) {
    for (const Implied& implied : node->implied) {
      if (assumed_least(implied.atom, implied.least - 1) < implied.least) assumed.push_back(implied);
    }
    return;
  }
  if (node->kind == Kind::Conditional) {
    assume(node->predicate.left);
    assume(node->predicate.right);
  }
  for (Expr operand : node->operands) assume(operand);
}

}  // namespace

SmallVector<Implied, 8> implications_of_range(Expr start, Expr stop) {
  SmallVector<Implied, 8> found;
  const auto inherit = [&](Expr bound) {
    if (!bound || !interned(bound)->has_implications) return;
    for (Expr variable : variables(bound)) {
      for (const Implied& implied : interned(variable)->implied) found.push_back(implied);
    }
  };
  inherit(start);
  inherit(stop);
  if (!start || !stop) return found;
  Terms distance(stop);
  distance.add(start, -1);
  distance.add_constant(-1);
  distance.drop_zeros();
  imply(distance, found);
  return found;
}

Assuming::Assuming(Expr first, Expr second) : previous_(assumed.size()) {
  assume(first);
  if (second) assume(second);
}

Assuming::~Assuming() { assumed.truncate(assumed.begin() + previous_); }

bool has_assumptions() { return !assumed.empty(); }

std::int64_t assumed_least(const Interned* atom, std::int64_t least) {
  for (const Implied& implied : assumed) {
    if (implied.atom == atom) least = std::max(least, implied.least);
  }
  return least;
}

bool is_excluded(std::size_t choice) {
  return std::ranges::any_of(assumed, [&](const Implied& implied) {
    const Samples& samples = implied.atom->samples;
    return !samples.valid[choice] || samples.values[choice] < implied.least;
  });
}

}  // namespace hoist::arith
