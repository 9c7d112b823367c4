#pragma once
// Reductions of neighbouring elements side by side, so that what they share is loaded once.
#include "loop/kernel.hpp"

namespace hoist::codegen {

/// The kernel with nests of two parallel loops around reductions cut into tiles whose accumulators stay in
/// vector registers of so many bytes. For kernels printed as loops.
loop::Kernel tile_for_registers(loop::Kernel kernel, std::int64_t vector_bytes);

}  // namespace hoist::codegen
