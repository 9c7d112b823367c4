#pragma once
// Loops over the few elements of a window, written out.
#include "loop/kernel.hpp"

namespace hoist::codegen {

/// The kernel with short sequential loops unrolled where neighbouring iterations of the parallel loop around
/// them access neighbouring memory. For kernels printed as loops.
loop::Kernel unroll_windows(loop::Kernel kernel);

}  // namespace hoist::codegen
