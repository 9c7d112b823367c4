#pragma once
// Loops whose iterations differ from a place on that only the running kernel knows.
#include "loop/kernel.hpp"

namespace hoist::codegen {

/// The kernel with outermost parallel loops split where a branch around a sequential loop begins or ceases to
/// be taken, `if (k <= i) for ..`: in each part the loops are all iterations', and vector loops where memory
/// is accessed side by side; what is left out costs nothing. For kernels printed as loops, where a parallel
/// loop is run from its start to its end.
loop::Kernel split_ranges(loop::Kernel kernel);

}  // namespace hoist::codegen
