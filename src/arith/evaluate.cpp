// The meaning of expressions: what every simplification has to keep.
#include <algorithm>

#include "arith/facts.hpp"

namespace hoist::arith {
namespace {

std::optional<std::int64_t> apply(Kind kind, std::int64_t a, std::int64_t b) {
  switch (kind) {
    case Kind::Quotient:
      return checked_quotient(a, b);
    case Kind::Remainder:
      return checked_remainder(a, b);
    case Kind::ExactQuotient:
      return checked_remainder(a, b) == 0 ? checked_quotient(a, b) : std::nullopt;
    case Kind::CeilingQuotient:
      if (a < 0 || b < 1) return std::nullopt;
      return a / b + (a % b != 0 ? 1 : 0);
    case Kind::Power:
      return checked_power(a, b);
    case Kind::Minimum:
      return std::min(a, b);
    case Kind::Maximum:
      return std::max(a, b);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<std::int64_t> evaluate(Expr e, const Bindings& bindings) {
  const Node& node = *e.get();
  switch (node.kind) {
    case Kind::Constant:
      return node.value;
    case Kind::Variable: {
      const auto found = bindings.find(&node);
      if (found != bindings.end()) return found->second;
      if (node.variable_kind == VariableKind::Launched) return node.value;
      return std::nullopt;
    }
    case Kind::Conditional: {
      const auto chosen = evaluate(node.predicate, bindings);
      if (!chosen) return std::nullopt;
      return evaluate(node.operands[*chosen ? 0 : 1], bindings);
    }
    case Kind::Sum:
    case Kind::Product: {
      std::optional<std::int64_t> total = node.kind == Kind::Sum ? 0 : 1;
      for (Expr operand : node.operands) {
        const auto value = evaluate(operand, bindings);
        if (!value) return std::nullopt;
        total = node.kind == Kind::Sum ? checked_add(*total, *value) : checked_multiply(*total, *value);
        if (!total) return std::nullopt;
      }
      return total;
    }
    default: {
      const auto a = evaluate(node.operands[0], bindings);
      if (!a) return std::nullopt;
      const auto b = evaluate(node.operands[1], bindings);
      if (!b) return std::nullopt;
      return apply(node.kind, *a, *b);
    }
  }
}

std::optional<bool> evaluate(const Predicate& predicate, const Bindings& bindings) {
  const auto left = evaluate(predicate.left, bindings);
  const auto right = evaluate(predicate.right, bindings);
  if (!left || !right) return std::nullopt;
  switch (predicate.relation) {
    case Relation::Less:
      return *left < *right;
    case Relation::LessEqual:
      return *left <= *right;
    case Relation::Equal:
      return *left == *right;
    case Relation::NotEqual:
      return *left != *right;
  }
  return std::nullopt;
}

}  // namespace hoist::arith
