#pragma once
// The types that a rule's metavariables may have: inferred from its left side with the primitives' schemes.
#include <functional>
#include <vector>

#include "ir/type.hpp"
#include "rewrite/rule.hpp"

namespace hoist::rewrite {

/// One choice of types for everything that a left side leaves open, by metavariable.
struct InferredTypes {
  std::vector<ir::Type> types;     ///< of Data; of a Function, its function type
  std::vector<arith::Expr> sizes;  ///< of Sizes
};
/// `element` gives a type for each that any type would do for; sizes that are open are size variables called
/// n1, n2, ... Throws Failure where the left side is ill-typed.
InferredTypes infer_types(const Rule& rule, const std::function<ir::Type()>& element);

/// An instance of the left side, rewritten: both sides must have one type. Throws Failure.
void check_types(const Rule& rule);

}  // namespace hoist::rewrite
