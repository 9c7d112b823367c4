#include "codegen/host/strides.hpp"

namespace hoist::codegen {

std::optional<std::int64_t> stride(arith::Expr index, std::span<const arith::Expr> variables) {
  arith::Bindings here;
  std::int64_t size = 1 << 12;  // every size gets a value of its own
  for (const arith::Expr& variable : arith::variables(index)) {
    const auto stop = variable->stop ? variable->stop.constant() : std::nullopt;
    const bool is_size = variable->variable_kind == arith::VariableKind::Size;
    here[variable.get()] = is_size ? size += 64 : stop ? *stop / 2 : size / 2;
  }
  arith::Bindings next = here;
  for (const arith::Expr& variable : variables) {
    if (next.contains(variable.get())) ++next[variable.get()];
  }
  const auto first = arith::evaluate(index, here), second = arith::evaluate(index, next);
  if (!first || !second) return std::nullopt;
  return *second - *first;
}

std::vector<arith::Expr> divisions_in(arith::Expr e) {
  std::vector<arith::Expr> found;
  if (!e->has_variables) return found;
  if (e.kind() == arith::Kind::Quotient || e.kind() == arith::Kind::Remainder) found.push_back(e);
  const auto add = [&](arith::Expr part) {
    const std::vector<arith::Expr> inside = divisions_in(part);
    found.insert(found.end(), inside.begin(), inside.end());
  };
  for (const arith::Expr operand : e->operands) add(operand);
  if (e.kind() == arith::Kind::Conditional) {
    add(e->predicate.left);
    add(e->predicate.right);
  }
  return found;
}

}  // namespace hoist::codegen
