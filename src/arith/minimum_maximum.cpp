// Minimum and maximum: kept as trees of two, whose leaves are in canonical order and do not dominate each
// other.
#include <algorithm>

#include "arith/division.hpp"

namespace hoist::arith {
namespace {

void append_leaves(Kind kind, Expr e, SmallVector<Expr, 8>& leaves) {
  if (e.kind() == kind) {
    for (Expr operand : e->operands) append_leaves(kind, operand, leaves);
  } else {
    leaves.push_back(e);
  }
}

/// True where `winner` makes `loser` superfluous.
bool dominates(Kind kind, Expr winner, Expr loser) {
  return kind == Kind::Minimum ? is_at_most(winner, loser) : is_at_most(loser, winner);
}

/// "min(max(i - 1, 0), N - 1)": what varies most before its limits.
bool is_written_first(Expr a, Expr b) {
  if (interned(a)->has_index != interned(b)->has_index) return interned(a)->has_index;
  return canonical_less(a, b);
}

Expr simplify(Kind kind, Expr a, Expr b) {
  SmallVector<Expr, 8> candidates;
  append_leaves(kind, a, candidates);
  append_leaves(kind, b, candidates);
  SmallVector<Expr, 8> leaves;
  for (Expr candidate : candidates) {
    if (std::ranges::any_of(leaves, [&](Expr leaf) { return dominates(kind, leaf, candidate); })) continue;
    leaves.truncate(std::remove_if(leaves.begin(), leaves.end(),
                                   [&](Expr leaf) { return dominates(kind, candidate, leaf); }));
    leaves.push_back(candidate);
  }
  std::sort(leaves.begin(), leaves.end(), is_written_first);
  Expr result = leaves.front();
  for (std::size_t at = 1; at < leaves.size(); ++at) result = intern(kind, result, leaves[at]);
  return fold_if_fixed(result);
}

Expr extreme(Kind kind, Question question, Expr a, Expr b) {
  if (a == b) return a;
  if (a.kind() == Kind::Constant && b.kind() == Kind::Constant) {
    return (a->value < b->value) == (kind == Kind::Minimum) ? a : b;
  }
  if (is_raw()) return intern(kind, a, b);
  if (const Expr known = recall(question, a.get(), b.get())) return known;
  const std::uint64_t before = surrenders();
  const Expr result = simplify(kind, a, b);
  if (surrenders() == before) remember(question, a.get(), b.get(), result);
  return result;
}

}  // namespace

Expr minimum(Expr a, Expr b) { return extreme(Kind::Minimum, Question::Minimum, a, b); }
Expr maximum(Expr a, Expr b) { return extreme(Kind::Maximum, Question::Maximum, a, b); }

}  // namespace hoist::arith
