#pragma once
// Which terms may have no value when they are computed: an element outside of its array, an operation on
// integers like a division by zero. Under a condition such terms are right, so they must not be computed
// where it does not hold.
#include <unordered_map>

#include "arith/expr.hpp"
#include "ir/term.hpp"

namespace hoist::rewrite {

/// What is known of integers that are variables, or components of them.
using IntegerRanges = std::unordered_map<ir::Term, arith::Expr>;

/// False where the term, all that is computed of it, is known to have a value.
bool can_fail(ir::Term term, const IntegerRanges& ranges = {});

}  // namespace hoist::rewrite
