#pragma once
// In which order the elements of arrays between kernels lie.
#include "loop/kernel.hpp"

namespace hoist::codegen {

/// The plan with those temporary arrays transposed in memory which kernels then access along it: a stage that
/// is computed by columns, and read by columns, is stored by columns. What the host copies or exchanges stays
/// as it is. For kernels printed as loops, whose parallel loops are put in order afterwards (order_loops).
loop::Plan with_layouts(loop::Plan plan);

}  // namespace hoist::codegen
