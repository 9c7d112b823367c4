#pragma once
// Numbers that kernels learn when they are launched (arith::VariableKind::Launched). Only the text of kernels
// keeps them open, so that it is the same for all their values; everybody else sees the numbers.
#include "loop/kernel.hpp"

namespace hoist::loop {

/// Whether an extent is such a number by itself.
bool is_launched(arith::Expr extent);

/// With these numbers in place of their names.
arith::Predicate at_launch(const arith::Predicate& predicate);
Plan at_launch(Plan plan);

}  // namespace hoist::loop
