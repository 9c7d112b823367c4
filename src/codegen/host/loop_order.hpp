#pragma once
// Which of two parallel loops is the inner one.
#include "loop/kernel.hpp"

namespace hoist::codegen {

/// The kernel with the two innermost of nested parallel loops exchanged where only that makes neighbouring
/// iterations of the inner one read neighbouring memory: a product with a transposed matrix whose columns
/// would be walked down one by one. For kernels printed as loops.
loop::Kernel order_loops(loop::Kernel kernel);

}  // namespace hoist::codegen
