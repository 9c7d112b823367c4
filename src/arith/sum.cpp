// Sums: like terms are collected, products are multiplied out, and the quotient and remainder of one dividend
// find each other again.
#include <algorithm>

#include "arith/facts.hpp"
#include "arith/terms.hpp"

namespace hoist::arith {
namespace {

Expr raw_sum(std::span<const Expr> terms) {
  SmallVector<Expr, 12> operands;
  std::int64_t constant = 0;
  const auto append = [&](Expr term) {
    const auto total = term.kind() == Kind::Constant ? checked_add(constant, term->value) : std::nullopt;
    if (total) {
      constant = *total;
    } else {
      operands.push_back(term);
    }
  };
  for (Expr term : terms) {
    for (Expr inner : terms_of(term)) append(inner);
  }
  if (constant != 0) operands.push_back(Expr(constant));
  if (operands.empty()) return Expr(0);
  if (operands.size() == 1) return operands[0];
  return intern(Kind::Sum, operands);
}

/// Adding a constant to a canonical sum changes its last operand only, unless a division could merge with it.
Expr shifted(const Interned* sum, std::int64_t constant) {
  const std::span<const Expr> terms = sum->operands;
  const bool has_constant = terms.back().kind() == Kind::Constant;
  const auto total = checked_add(has_constant ? terms.back()->value : 0, constant);
  if (!total) return {};
  SmallVector<Expr, 12> operands;
  operands.append(terms.begin(), terms.end() - (has_constant ? 1 : 0));
  if (*total != 0) operands.push_back(Expr(*total));
  if (operands.size() == 1) return operands[0];
  return fold_if_fixed(intern(Kind::Sum, operands));
}

// ---- Merging divisions

/// One factor of one term: term = coefficient * others * factor.
struct Occurrence {
  std::int64_t coefficient;
  const Interned* others;  ///< null for 1
  const Interned* term;
  Expr factor;
};

template <class Visit>
bool any_division(Terms& terms, Visit&& visit) {
  for (std::size_t at = 0; at < terms.terms().size(); ++at) {
    const Term term = terms.terms()[at];
    if (!term.monomial->has_division || term.coefficient == 0) continue;
    if (!checked_negate(term.coefficient)) continue;  // merging takes terms away
    const Expr self(term.monomial);
    for (Expr factor : factors_of(term.monomial, self)) {
      const Kind kind = factor.kind();
      if (kind != Kind::Quotient && kind != Kind::Remainder && kind != Kind::ExactQuotient) continue;
      const auto others = divide_monomial(term.monomial, interned(factor));
      if (visit(Occurrence{term.coefficient, others.value_or(nullptr), term.monomial, factor})) return true;
    }
  }
  return false;
}

/// The number of terms that are left when `subtracted` is taken away.
std::size_t count_terms(Terms& terms) {
  terms.drop_zeros();
  return terms.terms().size();
}

/// Multiplied out, but not merged: merging inside merging would not end. Empty after an overflow.
Expr plain_product(Expr a, Expr b) {
  Terms multiplied;
  multiplied.add_product(a, b);
  return multiplied.build_unmerged();
}

/// k m (a % d) + k m d (a / d)  =>  k m a, and k m (a % d) + k m d ((a / d) % e)  =>  k m (a % (d e)).
bool merge_remainder(Terms& terms, const Occurrence& occurrence) {
  const Expr dividend = occurrence.factor->operands[0];
  const Expr divisor = occurrence.factor->operands[1];
  const Expr whole = dividend / divisor;
  if (!interned(whole)->has_variables) return false;
  const Expr multiple = plain_product(monomial_expr(occurrence.others), divisor);
  if (!multiple) return false;
  Terms quotients;
  quotients.add_product(multiple, whole);
  const std::size_t removed = 1 + count_terms(quotients);
  Terms left = terms;
  left.add_term(occurrence.term, -occurrence.coefficient);
  left.add_product(multiple, whole, -occurrence.coefficient);
  if (!left.overflowed() && count_terms(left) + removed == count_terms(terms)) {
    left.add_product(monomial_expr(occurrence.others), dividend, occurrence.coefficient);
    terms = left;
    return true;
  }
  // The digits of a mixed-radix number: this remainder is the low digit, look for the next one.
  return any_division(terms, [&](const Occurrence& other) {
    if (other.factor.kind() != Kind::Remainder || !(other.factor->operands[0] == whole)) return false;
    Terms joined = terms;
    joined.add_term(occurrence.term, -occurrence.coefficient);
    joined.add_product(multiple, other.factor, -occurrence.coefficient);
    const std::size_t digits = 1 + terms_of(divisor).size();
    if (joined.overflowed() || count_terms(joined) + digits != count_terms(terms)) return false;
    joined.add_product(monomial_expr(occurrence.others), dividend % (divisor * other.factor->operands[1]),
                       occurrence.coefficient);
    terms = joined;
    return true;
  });
}

/// u with u * divisor having this occurrence's term, where the divisor's first term divides it.
Expr multiplier(const Occurrence& occurrence, Expr divisor) {
  const Interned* lead = interned(terms_of(divisor).front());
  if (checked_remainder(occurrence.coefficient, lead->coefficient) != 0) return {};
  const auto coefficient = checked_quotient(occurrence.coefficient, lead->coefficient);
  if (!coefficient) return {};
  if (lead->kind == Kind::Constant) return plain_product(*coefficient, monomial_expr(occurrence.others));
  if (occurrence.others == nullptr) return {};
  const auto rest = divide_monomial(occurrence.others, lead->monomial);
  if (!rest) return {};
  return plain_product(*coefficient, monomial_expr(*rest));
}

/// u a - u d (a / d)  =>  u (a % d), where that makes the sum shorter.
bool merge_quotient(Terms& terms, const Occurrence& occurrence) {
  const Expr dividend = occurrence.factor->operands[0];
  const Expr divisor = occurrence.factor->operands[1];
  const Expr times = multiplier(occurrence, divisor);
  if (!times) return false;
  // The common refusal, cheaply: no term of the dividend is there to cancel.
  const auto is_present = [&](Expr term) {
    return term.kind() == Kind::Constant || terms.coefficient_of(interned(term)->monomial) != 0;
  };
  if (times.kind() == Kind::Constant && std::ranges::none_of(terms_of(dividend), is_present)) return false;
  const Expr multiple = plain_product(times, divisor);
  if (!multiple) return false;
  Terms left = terms;
  left.add_product(multiple, occurrence.factor, -1);
  left.add_product(times, dividend);
  if (left.overflowed()) return false;
  const std::size_t before = count_terms(terms);
  if (count_terms(left) + 1 >= before) return false;
  left.add_product(times, dividend % divisor, -1);
  if (left.overflowed() || count_terms(left) >= before) return false;
  terms = left;
  return true;
}

/// k m (a / d exactly) with a factor of d in k m; or, for a sum d, with all of its terms beside it.
bool merge_exact_quotient(Terms& terms, const Occurrence& occurrence) {
  const Expr dividend = occurrence.factor->operands[0];
  const Expr divisor = occurrence.factor->operands[1];
  if (divisor.kind() == Kind::Sum) {
    const Expr times = multiplier(occurrence, divisor);
    if (!times) return false;
    const Expr multiple = plain_product(times, divisor);
    if (!multiple) return false;
    Terms left = terms;
    left.add_product(multiple, occurrence.factor, -1);
    if (left.overflowed() || count_terms(left) + divisor->operands.size() != count_terms(terms)) return false;
    left.add_product(times, dividend);
    terms = left;
    return true;
  }
  const Interned* node = interned(divisor);
  const std::int64_t common = greatest_common_divisor(occurrence.coefficient, node->coefficient);
  const Interned* rest_of_divisor = node->monomial;
  const Interned* rest = occurrence.others;
  if (rest != nullptr && rest_of_divisor != nullptr) {
    const Expr self(rest);
    for (Expr factor : factors_of(rest, self)) {
      if (rest_of_divisor == nullptr) break;
      const auto without = divide_monomial(rest_of_divisor, interned(factor));
      if (!without) continue;
      rest_of_divisor = *without;
      rest = *divide_monomial(rest, interned(factor));
    }
  }
  if (node->coefficient == 0 || (common == 1 && rest == occurrence.others)) return false;
  const Expr smaller =
      exact_quotient(dividend, Expr(node->coefficient / common) * monomial_expr(rest_of_divisor));
  terms.add_term(occurrence.term, -occurrence.coefficient);
  terms.add_product(monomial_expr(rest), smaller, occurrence.coefficient / common);
  return true;
}

}  // namespace

void merge_divisions(Terms& terms) {
  const auto merge_one = [&](const Occurrence& occurrence) {
    switch (occurrence.factor.kind()) {
      case Kind::Remainder:
        return terms.terms().size() > 1 && merge_remainder(terms, occurrence);
      case Kind::Quotient:
        return terms.terms().size() > 1 && merge_quotient(terms, occurrence);
      default:
        return merge_exact_quotient(terms, occurrence);
    }
  };
  while (!terms.overflowed() && any_division(terms, merge_one)) terms.drop_zeros();
}

Expr sum(std::span<const Expr> terms) {
  if (is_raw()) return raw_sum(terms);
  Terms collected;
  for (Expr term : terms) collected.add(term);
  const Expr result = collected.build();
  return result ? result : raw_sum(terms);
}

Expr operator+(Expr a, Expr b) {
  if (b.is_constant(0)) return a;
  if (a.is_constant(0)) return b;
  const Expr both[] = {a, b};
  if (is_raw()) return raw_sum(both);
  if (a.kind() == Kind::Constant) std::swap(a, b);
  if (b.kind() == Kind::Constant && a.kind() == Kind::Sum && !interned(a)->has_division) {
    if (const Expr result = shifted(interned(a), b->value)) return result;
  }
  Terms collected(a);
  collected.add(b);
  const Expr result = collected.build();
  return result ? result : raw_sum(both);
}

Expr operator-(Expr a, Expr b) {
  if (b.is_constant(0)) return a;
  if (is_raw()) return a + -b;
  if (a == b) return Expr(0);
  Terms collected(a);
  collected.add(b, -1);
  const Expr result = collected.build();
  if (result) return result;
  const Expr both[] = {a, -b};
  return raw_sum(both);
}

Expr operator-(Expr a) { return a * Expr(-1); }

}  // namespace hoist::arith
