// Replacing parts of an expression, and walks over its variables.
#include <algorithm>

#include "arith/terms.hpp"

namespace hoist::arith {
namespace {

/// The same operator over other operands.
Expr remake(const Node& node, std::span<const Expr> operands, const Predicate& predicate) {
  switch (node.kind) {
    case Kind::Sum:
      return sum(operands);
    case Kind::Product:
      return product(operands);
    case Kind::Quotient:
      return operands[0] / operands[1];
    case Kind::Remainder:
      return operands[0] % operands[1];
    case Kind::ExactQuotient:
      return exact_quotient(operands[0], operands[1]);
    case Kind::CeilingQuotient:
      return ceiling_quotient(operands[0], operands[1]);
    case Kind::Power:
      return power(operands[0], operands[1]);
    case Kind::Minimum:
      return minimum(operands[0], operands[1]);
    case Kind::Maximum:
      return maximum(operands[0], operands[1]);
    case Kind::Conditional:
      return conditional(predicate, operands[0], operands[1]);
    case Kind::Constant:
    case Kind::Variable:
      break;
  }
  return Expr(&node);
}

class Substituter {
 public:
  explicit Substituter(const Substitution& replacements) : replacements_(replacements) {
    for (const auto& [node, replacement] : replacements) {
      replaces_constants_ |= !interned(node)->has_variables;
    }
  }

  Expr apply(Expr e) {
    if (!may_contain_a_key(interned(e))) return e;
    if (const auto found = replacements_.find(e.get()); found != replacements_.end()) return found->second;
    if (e->operands.empty()) return e;
    const auto known = std::ranges::find(done_, e, &Done::from);
    if (known != done_.end()) return known->to;
    SmallVector<Expr, 8> operands;
    for (Expr operand : e->operands) operands.push_back(apply(operand));
    const Predicate predicate = e.kind() == Kind::Conditional ? apply(e->predicate) : Predicate();
    const bool changed = !std::ranges::equal(operands, e->operands) || !(predicate == e->predicate);
    const Expr result = changed ? remake(*e.get(), operands, predicate) : e;
    // Only operators that cost something are worth finding again.
    if (e.kind() != Kind::Product && done_.size() < most_remembered) done_.push_back({e, result});
    return result;
  }

  Predicate apply(const Predicate& predicate) {
    return {predicate.relation, apply(predicate.left), apply(predicate.right)};
  }

 private:
  static constexpr std::size_t most_remembered = 64;
  struct Done {
    Expr from, to;
  };

  bool may_contain_a_key(const Interned* node) const {
    if (replaces_constants_) return true;  // which no mask tells
    return std::ranges::any_of(replacements_, [&](const auto& entry) {
      return (interned(entry.first)->variable_mask & ~node->variable_mask) == 0;
    });
  }

  const Substitution& replacements_;
  bool replaces_constants_ = false;
  SmallVector<Done, 16> done_;
};

void collect_variables(Expr e, std::vector<Expr>& found) {
  if (!interned(e)->has_variables) return;
  if (e.kind() == Kind::Variable) {
    if (std::ranges::find(found, e) == found.end()) found.push_back(e);
    return;
  }
  if (e.kind() == Kind::Conditional) {
    collect_variables(e->predicate.left, found);
    collect_variables(e->predicate.right, found);
  }
  for (Expr operand : e->operands) collect_variables(operand, found);
}

}  // namespace

Expr substitute(Expr e, const Substitution& replacements) {
  if (replacements.empty()) return e;
  return Substituter(replacements).apply(e);
}

Predicate substitute(const Predicate& predicate, const Substitution& replacements) {
  if (replacements.empty()) return predicate;
  return Substituter(replacements).apply(predicate);
}

Expr rebuild(Expr e) {
  if (e->operands.empty()) return e;
  SmallVector<Expr, 8> operands;
  for (Expr operand : e->operands) operands.push_back(rebuild(operand));
  Predicate predicate = e->predicate;
  if (e.kind() == Kind::Conditional) {
    predicate.left = rebuild(predicate.left);
    predicate.right = rebuild(predicate.right);
  }
  return remake(*e.get(), operands, predicate);
}

std::vector<Expr> variables(Expr e) {
  std::vector<Expr> found;
  if (interned(e)->has_variables) found.reserve(4);
  collect_variables(e, found);
  return found;
}

bool contains(Expr e, Expr variable) {
  if (e == variable) return true;
  if ((interned(variable)->variable_mask & ~interned(e)->variable_mask) != 0) return false;
  if (e.kind() == Kind::Conditional &&
      (contains(e->predicate.left, variable) || contains(e->predicate.right, variable))) {
    return true;
  }
  return std::ranges::any_of(e->operands, [&](Expr operand) { return contains(operand, variable); });
}

int operation_count(Expr e) { return static_cast<int>(interned(e)->operations); }

}  // namespace hoist::arith
