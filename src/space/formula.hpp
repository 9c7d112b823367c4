#pragma once
// Expressions of parameters, prepared to be evaluated for millions of points.
#include <cstdint>
#include <optional>
#include <vector>

#include "arith/expr.hpp"

namespace hoist::space {

/// An expression in postfix order; what arith::evaluate gives, without looking variables up.
class Formula {
 public:
  /// `variables[i]` has its value in slot i.
  Formula(arith::Expr e, const std::vector<arith::Expr>& variables);
  /// Nothing where the expression has no value: an exact quotient that is not, a number too large.
  std::optional<std::int64_t> operator()(const std::vector<std::int64_t>& slots) const;

 private:
  struct Instruction {
    arith::Kind kind;
    std::uint32_t count = 0;  ///< operands of a sum or product
    std::int64_t value = 0;   ///< a constant; a variable's slot
  };
  void add(arith::Expr e, const std::vector<arith::Expr>& variables);
  std::size_t height() const;

  std::vector<Instruction> instructions_;
  arith::Expr whole_;  ///< where it holds a conditional or is very deep: left to arith
  std::vector<arith::Expr> variables_;
};

/// A comparison of two.
struct Comparison {
  arith::Relation relation;
  Formula left, right;

  Comparison(const arith::Predicate& predicate, const std::vector<arith::Expr>& variables)
      : relation(predicate.relation), left(predicate.left, variables), right(predicate.right, variables) {}
  /// False where a side has no value.
  bool holds(const std::vector<std::int64_t>& slots) const;
};

}  // namespace hoist::space
