#pragma once
// Questions about terms and types that many layers ask.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "ir/term.hpp"

namespace hoist::ir {

/// Whether a call that the predicate holds for is in the term, or is it.
template <class Predicate>
bool any_call(Term term, Predicate&& predicate) {
  if (term->ops == 0) return false;
  if (const auto* call = term.as<Call>(); call != nullptr && predicate(*call)) return true;
  const std::vector<Term> inside = children(term);
  return std::any_of(inside.begin(), inside.end(), [&](Term child) { return any_call(child, predicate); });
}

/// Whether a call of the primitive is in the term, or is it.
inline bool has_call(Term term, Op op) { return (term->ops & op_bit(op)) != 0; }
/// Whether a call of a primitive that the predicate holds for is. No more is looked at than which there are.
template <class Predicate>
bool any_op(Term term, Predicate&& predicate) {
  for (std::uint64_t left = term->ops; left != 0; left &= left - 1) {
    if (predicate(static_cast<Op>(std::countr_zero(left)))) return true;
  }
  return false;
}

/// Whether the work-items of a group compute something of the term together, by mapLcl or a reduction.
inline bool needs_group(Term term) { return has_call(term, Op::MapLocal) || has_call(term, Op::ReduceLocal); }

/// Whether a mapGlb, mapWrg or mapLcl, or a reduction by key that work-items share, is in the term.
inline bool has_parallel_map(Term term) {
  return any_op(term, [](Op op) { return sharing(op) != Sharing::Nobody && !is_reduce(op); });
}

/// How many array dimensions a type has before its elements.
inline std::size_t rank_of(Type type) { return is_array(type) ? 1 + rank_of(element_of(type)) : 0; }

/// Whether an array is the type or a component of it.
inline bool contains_array(Type type) {
  if (is_array(type)) return true;
  return is_tuple(type) && std::any_of(type->elements.begin(), type->elements.end(), contains_array);
}

/// Free variables for a lambda's parameters, of their types and names.
inline std::vector<Term> fresh_parameters(const Lambda& function) {
  std::vector<Term> parameters;
  for (std::size_t i = 0; i < function.parameters.size(); ++i)
    parameters.push_back(fresh(function.parameters[i], i < function.names.size() ? function.names[i] : "x"));
  return parameters;
}

}  // namespace hoist::ir
