#pragma once
// How much computing something takes, and how often its elements are asked for: estimates from the sizes that
// are known.
#include <vector>

#include "ir/term.hpp"

namespace hoist::rewrite {

/// The size as a number; sizes that are not given are taken for a thousand.
double estimated(arith::Expr size);

/// How many times elements of an array are asked for in all: one number, or one for each component where the
/// elements are tuples.
using Demand = std::vector<double>;

/// Scalars of an array of this type; of the largest component where its elements are tuples.
double elements(ir::Type type);
/// The demand of all elements, each asked for `times` times.
Demand all_of(ir::Type type, double times);
/// How often the elements that are asked for most are asked for.
double times(const Demand& demand, ir::Type type);
/// In simple operations, as additions are.
double cost_of(ScalarOp op);

}  // namespace hoist::rewrite
