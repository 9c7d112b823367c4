#include "arith/terms.hpp"

#include <algorithm>

#include "arith/facts.hpp"

namespace hoist::arith {
namespace {

std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? -static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

/// Higher degrees first, then larger coefficients, then by name: "M*j + 64*w + i".
bool comes_first(const Term& a, const Term& b) {
  if (a.monomial->degree != b.monomial->degree) return a.monomial->degree > b.monomial->degree;
  if (magnitude(a.coefficient) != magnitude(b.coefficient)) {
    return magnitude(a.coefficient) > magnitude(b.coefficient);
  }
  return compare_canonically(Expr(a.monomial), Expr(b.monomial)) < 0;
}

}  // namespace

void Terms::add_constant(std::int64_t value, std::int64_t scale) {
  std::int64_t scaled = 0;
  overflowed_ |= __builtin_mul_overflow(value, scale, &scaled);
  overflowed_ |= __builtin_add_overflow(constant_, scaled, &constant_);
}

void Terms::add_term(const Interned* monomial, std::int64_t coefficient) {
  for (Term& term : terms_) {
    if (term.monomial == monomial) {
      overflowed_ |= __builtin_add_overflow(term.coefficient, coefficient, &term.coefficient);
      return;
    }
  }
  terms_.push_back({monomial, coefficient});
}

void Terms::add(Expr e, std::int64_t scale) {
  if (e.kind() == Kind::Sum) {
    for (Expr operand : e->operands) add_single(interned(operand), scale);
  } else {
    add_single(interned(e), scale);
  }
}

void Terms::add_single(const Interned* node, std::int64_t scale) {
  if (node->is_fixed) {
    add_constant(*node->facts.minimum, scale);
    return;
  }
  std::int64_t coefficient = 0;
  overflowed_ |= __builtin_mul_overflow(node->coefficient, scale, &coefficient);
  const Interned* monomial = node->monomial;
  if (monomial->kind == Kind::Sum) {
    add(Expr(monomial), coefficient);  // a product made without simplification
  } else if (monomial->is_fixed) {
    add_constant(*monomial->facts.minimum, coefficient);
  } else {
    add_term(monomial, coefficient);
  }
}

void Terms::add_multiple(const Interned* monomial, std::int64_t coefficient, Expr e) {
  for (Expr term : terms_of(e)) {
    const Interned* node = interned(term);
    const std::int64_t factor = node->is_fixed ? *node->facts.minimum : node->coefficient;
    std::int64_t scaled = 0;
    overflowed_ |= __builtin_mul_overflow(coefficient, factor, &scaled);
    add_single(node->is_fixed ? monomial : multiply_monomials(monomial, node->monomial), scaled);
  }
}

void Terms::add_product(Expr a, Expr b, std::int64_t scale) {
  for (Expr term : terms_of(a)) {
    const Interned* node = interned(term);
    std::int64_t coefficient = 0;
    overflowed_ |= __builtin_mul_overflow(node->is_fixed ? *node->facts.minimum : node->coefficient, scale,
                                          &coefficient);
    if (node->is_fixed) {
      add(b, coefficient);
    } else {
      add_multiple(node->monomial, coefficient, b);
    }
  }
}

void Terms::add_product(const Terms& a, Expr b) {
  overflowed_ |= a.overflowed_;
  if (a.constant_ != 0) add(b, a.constant_);
  for (const Term& term : a.terms_) add_multiple(term.monomial, term.coefficient, b);
}

void Terms::merge() {
  drop_zeros();
  if (std::ranges::any_of(terms_, [](const Term& term) { return term.monomial->has_division; })) {
    merge_divisions(*this);
    drop_zeros();
  }
}

void Terms::drop_zeros() {
  terms_.truncate(
      std::remove_if(terms_.begin(), terms_.end(), [](const Term& term) { return term.coefficient == 0; }));
}

std::int64_t Terms::coefficient_of(const Interned* monomial) const {
  for (const Term& term : terms_) {
    if (term.monomial == monomial) return term.coefficient;
  }
  return 0;
}

Expr Terms::build() {
  merge();
  return build_unmerged();
}

Expr Terms::build_unmerged() {
  drop_zeros();
  if (overflowed_) return {};
  if (terms_.empty()) return Expr(constant_);
  if (terms_.size() == 1 && constant_ == 0)
    return fold_if_fixed(intern_term(terms_[0].coefficient, terms_[0].monomial));
  // Insertion sort: sums are short and mostly in order already.
  for (std::size_t at = 1; at < terms_.size(); ++at) {
    const Term moved = terms_[at];
    std::size_t place = at;
    for (; place > 0 && comes_first(moved, terms_[place - 1]); --place) terms_[place] = terms_[place - 1];
    terms_[place] = moved;
  }
  SmallVector<Expr, 12> operands;
  for (const Term& term : terms_) operands.push_back(intern_term(term.coefficient, term.monomial));
  if (constant_ != 0) operands.push_back(Expr(constant_));
  return fold_if_fixed(intern(Kind::Sum, operands));
}

const Interned* intern_monomial(std::span<const Expr> factors) {
  if (factors.empty()) return nullptr;
  if (factors.size() == 1) return interned(factors.front());
  return interned(intern(Kind::Product, factors));
}

const Interned* multiply_monomials(const Interned* a, const Interned* b) {
  const Expr self_a(a);
  const Expr self_b(b);
  const std::span<const Expr> left = factors_of(a, self_a);
  const std::span<const Expr> right = factors_of(b, self_b);
  SmallVector<Expr, 8> merged;
  std::size_t at = 0;
  for (Expr factor : right) {
    while (at < left.size() && compare_canonically(left[at], factor) <= 0) merged.push_back(left[at++]);
    merged.push_back(factor);
  }
  while (at < left.size()) merged.push_back(left[at++]);
  return intern_monomial(merged);
}

std::optional<const Interned*> divide_monomial(const Interned* monomial, const Interned* divisor) {
  if (monomial == divisor) return nullptr;
  if ((divisor->variable_mask & ~monomial->variable_mask) != 0 || divisor->degree > monomial->degree) {
    return std::nullopt;
  }
  const Expr self(monomial);
  const Expr other(divisor);
  SmallVector<Expr, 8> rest;
  const std::span<const Expr> wanted = factors_of(divisor, other);
  std::size_t found = 0;
  for (Expr factor : factors_of(monomial, self)) {
    if (found < wanted.size() && factor == wanted[found]) {
      ++found;
    } else {
      rest.push_back(factor);
    }
  }
  if (found < wanted.size()) return std::nullopt;
  return intern_monomial(rest);
}

}  // namespace hoist::arith
