#pragma once
// Rows that are stored past the caches.
#include "loop/kernel.hpp"

namespace hoist::codegen {

/// The kernel with vectors where innermost parallel loops have streamed stores: whole registers from a
/// multiple of their size on, which the instructions for such stores ask for, scalars before and behind.
loop::Kernel vectorise_streamed_rows(loop::Kernel kernel, std::int64_t vector_bytes);

}  // namespace hoist::codegen
