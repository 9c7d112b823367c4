#pragma once
// Tests of indices in sums, so that they do not keep vector instructions from them.
#include "loop/kernel.hpp"

namespace hoist::codegen {

/// The kernel with what is only told in sums told behind them: in
///
///   for j: { if (k[j] is outside) faults[0] = 1;  sum = sum + x[k[j]]; }
///
/// a store under a condition keeps a loop from vector instructions. A variable collects whether any iteration
/// would store. For kernels printed as loops.
loop::Kernel collect_faults(loop::Kernel kernel);

}  // namespace hoist::codegen
