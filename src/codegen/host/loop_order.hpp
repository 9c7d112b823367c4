#pragma once
// Which of two parallel loops is the inner one.
#include "loop/kernel.hpp"

namespace hoist::codegen {

/// The kernel with the two innermost of nested parallel loops exchanged where neighbouring iterations of the
/// inner one would walk down columns otherwise. Where the body is straight the order with fewer accesses to
/// lines far apart wins: of a stencil on a transposed image the many loads count more than the store. Where
/// it has loops of its own, they are exchanged where only that makes neighbours access neighbouring memory: a
/// product with a transposed matrix. For kernels printed as loops.
loop::Kernel order_loops(loop::Kernel kernel);

/// What the kernel's accesses to lines far apart, or not evenly apart, cost when its loops are in order. In
/// no particular unit: kernels of the same iterations are compared by it.
double access_cost(const loop::Kernel& kernel);

}  // namespace hoist::codegen
