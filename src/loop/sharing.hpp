#pragma once
// What the groups of a launch share. Nothing orders them, so what one writes no other of the same launch may
// read.
#include <vector>

#include "loop/kernel.hpp"

namespace hoist::loop {

/// The arrays of global memory that the kernel both writes and reads, though not every access says which
/// group makes it: in each dimension that has several groups, by the variable of a loop over them in its
/// index, or by all accesses being the first group's alone. That is necessary for parts that are disjoint;
/// whether they are the interpreter sees.
std::vector<const Buffer*> shared_between_groups(const Kernel& kernel);

}  // namespace hoist::loop
