// Proves that an expression is never negative, by elimination: an atom (a variable, a quotient, ...) with a
// known bound is replaced by that bound, in the direction that makes the expression smaller, until numbers
// are left.
//
// For e = A x + B with x in [low, high]: A >= 0 gives e >= A low + B, A <= 0 gives e >= A high + B. Where the
// sign of A is unknown and neither A nor B contains x, e is linear in x and both ends must be proven. Atoms
// are taken from the highest level down, and a bound has a lower level than what it bounds, so elimination
// ends.
#include <algorithm>

#include "arith/division.hpp"
#include "arith/facts.hpp"
#include "arith/implications.hpp"

namespace hoist::arith {
namespace {

/// Eliminations that one question may take. Index arithmetic needs about two for each variable.
constexpr int budget_per_question = 48;
/// Questions inside questions: building a bound may simplify a division, which asks again.
constexpr int deepest_nesting = 6;

thread_local int budget = 0;
thread_local int nesting = 0;

bool prove(Terms& polynomial);

/// polynomial = coefficient * atom + others.
struct Occurrence {
  Expr atom;
  Terms coefficient;
  Terms others;
};

void separate(const Terms& polynomial, Occurrence& occurrence) {
  occurrence.others.add_constant(polynomial.constant_term());
  for (const Term& term : polynomial.terms()) {
    const auto rest = divide_monomial(term.monomial, interned(occurrence.atom));
    if (!rest) {
      occurrence.others.add_term(term.monomial, term.coefficient);
    } else if (*rest == nullptr) {
      occurrence.coefficient.add_constant(term.coefficient);
    } else {
      occurrence.coefficient.add_term(*rest, term.coefficient);
    }
  }
}

/// coefficient * value + others >= 0?
bool prove_with(const Occurrence& occurrence, Expr value) {
  Terms replaced = occurrence.others;
  replaced.add_product(occurrence.coefficient, value);
  return prove(replaced);
}

/// coefficient * value + others * scale + slack >= 0?
bool prove_scaled(const Occurrence& occurrence, Expr scale, Expr value, Expr slack) {
  Terms replaced(slack);
  replaced.add_product(occurrence.others, scale);
  replaced.add_product(occurrence.coefficient, value);
  return prove(replaced);
}

enum class Sign { Nonnegative, Nonpositive, Unknown };

Sign sign_of(const Terms& polynomial) {
  if (polynomial.terms().empty())
    return polynomial.constant_term() >= 0 ? Sign::Nonnegative : Sign::Nonpositive;
  Terms same = polynomial;
  if (prove(same)) return Sign::Nonnegative;
  Terms negated;
  negated.add_product(polynomial, Expr(-1));
  return prove(negated) ? Sign::Nonpositive : Sign::Unknown;
}

bool contains(const Terms& polynomial, Expr atom) {
  return std::ranges::any_of(polynomial.terms(),
                             [&](const Term& term) { return arith::contains(Expr(term.monomial), atom); });
}

enum class Verdict { Proven, Refused, NotEliminable };

Verdict outcome(bool proven) { return proven ? Verdict::Proven : Verdict::Refused; }

Verdict eliminate_bounded(const Occurrence& occurrence, Expr low, Expr high) {
  if (!low && !high) return Verdict::NotEliminable;
  switch (sign_of(occurrence.coefficient)) {
    case Sign::Nonnegative:
      return low ? outcome(prove_with(occurrence, low)) : Verdict::NotEliminable;
    case Sign::Nonpositive:
      return high ? outcome(prove_with(occurrence, high)) : Verdict::NotEliminable;
    case Sign::Unknown:
      break;
  }
  const bool is_linear =
      !contains(occurrence.coefficient, occurrence.atom) && !contains(occurrence.others, occurrence.atom);
  if (!low || !high || !is_linear) return Verdict::NotEliminable;
  return outcome(prove_with(occurrence, low) && prove_with(occurrence, high));
}

Expr numeric(std::optional<std::int64_t> bound) { return bound ? Expr(*bound) : Expr(); }

/// q = n / d lies between (n - d + 1) / d and n / d for naturals, so d e is bounded by a polynomial; and d e
/// > -d is enough for e >= 0, since e is an integer.
Verdict eliminate_quotient(const Occurrence& occurrence) {
  const Node& quotient = *occurrence.atom.get();
  const Expr dividend = quotient.operands[0];
  const Expr divisor = quotient.operands[1];
  if (!is_nonnegative(divisor)) {
    return eliminate_bounded(occurrence, numeric(quotient.facts.minimum), numeric(quotient.facts.maximum));
  }
  const bool is_natural = is_nonnegative(dividend);
  const Expr below = dividend - divisor + Expr(1);
  const Expr above = is_natural ? dividend : dividend + divisor - Expr(1);
  const Expr slack = divisor - Expr(1);
  const bool rounds_up = quotient.kind == Kind::CeilingQuotient;
  const bool is_exact = quotient.kind == Kind::ExactQuotient;
  switch (sign_of(occurrence.coefficient)) {
    case Sign::Nonnegative: {
      if (quotient.facts.minimum && prove_with(occurrence, Expr(*quotient.facts.minimum)))
        return Verdict::Proven;
      return outcome(prove_scaled(occurrence, divisor, rounds_up || is_exact ? dividend : below, slack));
    }
    case Sign::Nonpositive: {
      const Expr bound = rounds_up ? dividend + divisor - Expr(1) : is_exact ? dividend : above;
      if (prove_scaled(occurrence, divisor, bound, slack)) return Verdict::Proven;
      return outcome(quotient.facts.maximum && prove_with(occurrence, Expr(*quotient.facts.maximum)));
    }
    case Sign::Unknown:
      return Verdict::NotEliminable;
  }
  return Verdict::NotEliminable;
}

Verdict eliminate_remainder(const Occurrence& occurrence) {
  const Node& remainder = *occurrence.atom.get();
  const Expr dividend = remainder.operands[0];
  const Expr divisor = remainder.operands[1];
  const bool is_natural = is_nonnegative(dividend);
  const bool has_natural_divisor = is_nonnegative(divisor);
  Expr low = is_natural ? Expr(0) : numeric(remainder.facts.minimum);
  if (!low && has_natural_divisor) low = Expr(1) - divisor;
  Expr high = numeric(remainder.facts.maximum);
  if (has_natural_divisor) high = divisor - Expr(1);
  const Verdict first = eliminate_bounded(occurrence, low, high);
  if (first != Verdict::Refused || !is_natural) return first;
  return eliminate_bounded(occurrence, low, dividend) == Verdict::Proven ? Verdict::Proven : first;
}

/// min(a, b) is one of the two; where its coefficient is negative, either bounds it from above.
Verdict eliminate_choice(const Occurrence& occurrence) {
  const Node& choice = *occurrence.atom.get();
  const Expr first = choice.operands[0];
  const Expr second = choice.operands[1];
  if (choice.kind != Kind::Conditional) {
    const Sign easy = choice.kind == Kind::Minimum ? Sign::Nonpositive : Sign::Nonnegative;
    if (sign_of(occurrence.coefficient) == easy) {
      return outcome(prove_with(occurrence, first) || prove_with(occurrence, second));
    }
  }
  return outcome(prove_with(occurrence, first) && prove_with(occurrence, second));
}

Verdict eliminate(const Occurrence& occurrence) {
  const Node& atom = *occurrence.atom.get();
  switch (atom.kind) {
    case Kind::Variable:
      if (is_natural(atom.variable_kind)) {
        return eliminate_bounded(occurrence, Expr(assumed_least(interned(occurrence.atom), 1)), {});
      }
      return eliminate_bounded(occurrence, atom.start, last_value(atom));
    case Kind::Quotient:
    case Kind::ExactQuotient:
    case Kind::CeilingQuotient:
      return eliminate_quotient(occurrence);
    case Kind::Remainder:
      return eliminate_remainder(occurrence);
    case Kind::Minimum:
    case Kind::Maximum:
    case Kind::Conditional:
      return eliminate_choice(occurrence);
    default:
      return eliminate_bounded(occurrence, numeric(atom.facts.minimum), numeric(atom.facts.maximum));
  }
}

/// The factors of all terms, each once, highest level first.
SmallVector<Expr, 16> atoms_of(const Terms& polynomial) {
  SmallVector<Expr, 16> atoms;
  for (const Term& term : polynomial.terms()) {
    const Expr self(term.monomial);
    for (Expr factor : factors_of(term.monomial, self)) {
      if (std::ranges::find(atoms, factor) == atoms.end()) atoms.push_back(factor);
    }
  }
  std::sort(atoms.begin(), atoms.end(), [](Expr a, Expr b) {
    if (interned(a)->level != interned(b)->level) return interned(a)->level > interned(b)->level;
    return compare_canonically(a, b) < 0;
  });
  return atoms;
}

bool search(const Terms& polynomial) {
  for (Expr atom : atoms_of(polynomial)) {
    if (--budget <= 0) {
      ++surrenders();
      return false;
    }
    Occurrence occurrence{atom, {}, {}};
    separate(polynomial, occurrence);
    switch (eliminate(occurrence)) {
      case Verdict::Proven:
        return true;
      case Verdict::Refused:
        return false;
      case Verdict::NotEliminable:
        break;
    }
  }
  return false;
}

/// The least value that the terms' facts allow, where it is bounded.
Bound least_value(const Terms& polynomial) {
  Bound total = polynomial.constant_term();
  for (const Term& term : polynomial.terms()) {
    const Facts& facts = term.monomial->facts;
    const Bound bound = term.coefficient > 0 ? facts.minimum : facts.maximum;
    const Bound scaled = bound ? checked_multiply(*bound, term.coefficient) : std::nullopt;
    if (!scaled) return std::nullopt;
    total = checked_add(*total, *scaled);
    if (!total) return std::nullopt;
  }
  return total;
}

bool is_refuted(const Terms& polynomial) {
  for (std::size_t choice = 0; choice < Samples::count; ++choice) {
    if (is_excluded(choice)) continue;
    __int128 total = polynomial.constant_term();
    bool is_valid = true;
    for (const Term& term : polynomial.terms()) {
      const Samples& samples = term.monomial->samples;
      is_valid = is_valid && samples.valid[choice];
      const __int128 value = samples.values[choice];
      total += value * term.coefficient;
    }
    if (is_valid && total < 0) return true;
  }
  return false;
}

bool prove(Terms& polynomial) {
  polynomial.merge();
  if (polynomial.overflowed()) return false;
  if (polynomial.terms().empty()) return polynomial.constant_term() >= 0;
  const Bound least = least_value(polynomial);
  if (least && *least >= 0) return true;
  return !is_refuted(polynomial) && search(polynomial);
}

/// With a budget of its own.
bool ask(Terms& polynomial) {
  if (nesting >= deepest_nesting) {
    ++surrenders();
    return false;
  }
  const int outer_budget = budget;
  budget = budget_per_question;
  ++nesting;
  const bool proven = prove(polynomial);
  --nesting;
  budget = outer_budget;
  return proven;
}

}  // namespace

bool is_nonnegative(Expr e) {
  const Facts& facts = e->facts;
  if (facts.minimum && *facts.minimum >= 0) return true;
  if (facts.maximum && *facts.maximum < 0) return false;
  if (const Expr known = recall(Question::IsNonnegative, e.get(), e.get())) return known.is_constant(1);
  const std::uint64_t before = surrenders();
  const bool proven = is_at_most(Expr(0), e);
  if (surrenders() == before) remember(Question::IsNonnegative, e.get(), e.get(), Expr(proven ? 1 : 0));
  return proven;
}

bool is_at_most(Expr a, Expr b, std::int64_t slack) {
  const Assuming assuming(a, b);
  Terms polynomial(b);
  polynomial.add(a, -1);
  polynomial.add_constant(slack);
  return ask(polynomial);
}

}  // namespace hoist::arith
