#pragma once
// Questions about terms and types that many layers ask.
#include <algorithm>

#include "ir/term.hpp"

namespace hoist::ir {

/// Whether a call that the predicate holds for is in the term, or is it.
template <class Predicate>
bool any_call(Term term, Predicate&& predicate) {
  if (const auto* call = term.as<Call>(); call != nullptr && predicate(*call)) return true;
  const std::vector<Term> inside = children(term);
  return std::any_of(inside.begin(), inside.end(), [&](Term child) { return any_call(child, predicate); });
}

/// Whether a mapGlb, mapWrg or mapLcl, or a reduction by key that work-items share, is in the term.
inline bool has_parallel_map(Term term) {
  return any_call(
      term, [](const Call& call) { return sharing(call.op) != Sharing::Nobody && !is_reduce(call.op); });
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
