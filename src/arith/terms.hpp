#pragma once
// Private to arith: a polynomial while it is being built. Sums, products, divisions and the prover all
// compute with these, and intern only what they end with.
#include <cstdint>

#include "arith/node.hpp"
#include "arith/small_vector.hpp"

namespace hoist::arith {

/// coefficient * monomial.
struct Term {
  const Interned* monomial;
  std::int64_t coefficient;
};

class Terms {
 public:
  Terms() = default;
  explicit Terms(Expr e) { add(e); }

  /// Adds scale * e, its terms one by one.
  void add(Expr e, std::int64_t scale = 1);
  void add_term(const Interned* monomial, std::int64_t coefficient);
  void add_constant(std::int64_t value, std::int64_t scale = 1);
  /// Adds scale * a * b, multiplied out.
  void add_product(Expr a, Expr b, std::int64_t scale = 1);
  void add_product(const Terms& a, Expr b);

  /// Lets quotients and remainders of one dividend find each other, and drops what has cancelled.
  void merge();
  /// The canonical expression; empty after an overflow.
  Expr build();
  /// As build, but leaves quotients and remainders of one dividend beside each other.
  Expr build_unmerged();

  /// Terms with a zero coefficient may be among them until drop_zeros.
  SmallVector<Term, 12>& terms() { return terms_; }
  const SmallVector<Term, 12>& terms() const { return terms_; }
  std::int64_t constant_term() const { return constant_; }
  bool overflowed() const { return overflowed_; }
  void drop_zeros();
  /// The coefficient of a monomial, 0 where it is absent.
  std::int64_t coefficient_of(const Interned* monomial) const;

 private:
  /// Adds scale * node, which is not a Sum.
  void add_single(const Interned* node, std::int64_t scale);
  /// Adds coefficient * monomial * e.
  void add_multiple(const Interned* monomial, std::int64_t coefficient, Expr e);

  SmallVector<Term, 12> terms_;
  std::int64_t constant_ = 0;
  bool overflowed_ = false;
};

/// Merges quotients and remainders of one dividend: (a / d) * d + a % d = a, a - (a / d) * d = a % d, and
/// cancels exact quotients against their factors.
void merge_divisions(Terms& terms);

/// The product of two monomials: the union of their factors.
const Interned* multiply_monomials(const Interned* a, const Interned* b);
/// `monomial` without the factors of `divisor`, each as often as it occurs there; null where the result is 1.
/// Empty optional where one is missing.
std::optional<const Interned*> divide_monomial(const Interned* monomial, const Interned* divisor);
/// As an expression; null is 1.
inline Expr monomial_expr(const Interned* monomial) { return monomial != nullptr ? Expr(monomial) : Expr(1); }
/// The product of these factors, which are in canonical order; null for none.
const Interned* intern_monomial(std::span<const Expr> factors);

/// The terms of any expression: a Sum's operands, else itself.
inline std::span<const Expr> terms_of(const Expr& e) {
  return e.kind() == Kind::Sum ? e->operands : std::span<const Expr>(&e, 1);
}

}  // namespace hoist::arith
