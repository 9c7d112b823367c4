#pragma once
// What NVIDIA's compilers (NVRTC 13.0 with its ptxas, seen on an H200) get wrong, and which kernels are
// printed so that they cannot. tests/programs/found/{smallest_absolute,clamped_place,chosen_by_key} are such
// programs.
#include <set>

#include "loop/kernel.hpp"

namespace hoist::codegen {

/// Whether integers are compared for equality. Of `max(min(x, h), 0) == h` ptxas makes the predicate of one
/// instruction for Hopper (VIMNMX.RELU), which is false for some x above h. In such a kernel a maximum of a
/// number and 0 is printed as what ptxas does not know for one.
bool tests_equality(const loop::Kernel& kernel);

/// Whether the kernel chooses between values and loads from global memory that it writes; `written` is what
/// it writes (pointers.hpp). Where a choice loads either from such memory or from memory that is only read,
/// NVVM makes one load of it, through the cache that does not see what the kernel wrote (ld.global.nc), as if
/// both were only read. In such a kernel no pointer to const promises that nothing else names its memory.
bool merges_loads(const loop::Kernel& kernel, const std::set<const loop::Buffer*>& written);

}  // namespace hoist::codegen
