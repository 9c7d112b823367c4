#pragma once
// Loops whose iterations take turns.
#include "loop/kernel.hpp"

namespace hoist::codegen {

/// The kernel with innermost parallel loops unrolled where the iterations of an array that interleaves others
/// take turns, `y[j] = j % 2 < 1 ? a[j / 2] : b[j / 2]`: two stores of each iteration then read contiguous
/// elements. For kernels printed as loops.
loop::Kernel unroll_turns(loop::Kernel kernel);

}  // namespace hoist::codegen
