#pragma once
// Loops whose iterations differ only near their ends, in parts.
#include "loop/kernel.hpp"

namespace hoist::codegen {

/// The kernel with innermost parallel loops inside others split into a beginning, a middle and an end, where
/// that decides comparisons of their indices in the middle: a border that repeats the nearest element is
/// `u[max(x - 1, 0)]`, which vector instructions read from scattered places, but `u[x - 1]` for all x but the
/// first. For kernels printed as loops, where a parallel loop of a constant number of iterations is run from
/// its start to its end.
loop::Kernel split_edges(loop::Kernel kernel);

}  // namespace hoist::codegen
