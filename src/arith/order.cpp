// The canonical order: what terms, factors and operands are sorted by. It reads well (sizes before indices, a
// name before an operator, constants last) and depends on names and structure only.
#include <algorithm>

#include "arith/node.hpp"

namespace hoist::arith {
namespace {

int compare_numbers(std::int64_t a, std::int64_t b) { return (a > b) - (a < b); }

int rank_of(Kind kind) { return kind == Kind::Constant ? 100 : static_cast<int>(kind); }

int rank_of(VariableKind kind) {
  switch (kind) {
    case VariableKind::Size:
      return 0;
    case VariableKind::Parameter:
      return 1;
    case VariableKind::Launched:
      return 2;
    case VariableKind::Data:
      return 3;
    case VariableKind::Index:
      return 4;
  }
  return 5;
}

int compare_variables(const Node& a, const Node& b) {
  if (const int order = rank_of(a.variable_kind) - rank_of(b.variable_kind); order != 0) return order;
  if (const int order = a.name.compare(b.name); order != 0) return order;
  if (const int order = compare_numbers(a.value, b.value); order != 0) return order;
  return compare_numbers(a.id, b.id);
}

}  // namespace

int compare_canonically(Expr a, Expr b) {
  if (a == b) return 0;
  if (const int order = rank_of(a.kind()) - rank_of(b.kind()); order != 0) return order;
  if (a.kind() == Kind::Constant) return compare_numbers(a->value, b->value);
  if (a.kind() == Kind::Variable) return compare_variables(*a.get(), *b.get());
  if (a.kind() == Kind::Conditional) {
    const Predicate& left = a->predicate;
    const Predicate& right = b->predicate;
    if (left.relation != right.relation) return left.relation < right.relation ? -1 : 1;
    if (const int order = compare_canonically(left.left, right.left); order != 0) return order;
    if (const int order = compare_canonically(left.right, right.right); order != 0) return order;
  }
  const std::size_t common = std::min(a->operands.size(), b->operands.size());
  for (std::size_t at = 0; at < common; ++at) {
    if (const int order = compare_canonically(a->operands[at], b->operands[at]); order != 0) return order;
  }
  return compare_numbers(static_cast<std::int64_t>(a->operands.size()),
                         static_cast<std::int64_t>(b->operands.size()));
}

bool canonical_less(Expr a, Expr b) { return compare_canonically(a, b) < 0; }

}  // namespace hoist::arith
