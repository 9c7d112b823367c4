#pragma once
// Loads that g++ 12 gets wrong when it makes vector instructions of them.
#include <set>

#include "loop/kernel.hpp"

namespace hoist::codegen {

/// The loads that happen under a condition, and of which a vector loop around a short one would make
/// several vectors that lie side by side: `if (x[3*g + i] > 0) c = y[3*g + i];` for i below 3, in a loop over
/// g. From such loops g++ 12.2 makes masked loads all of which take the mask of the first vector.
std::set<const loop::Load*> grouped_masked_loads(const loop::Kernel& kernel);

}  // namespace hoist::codegen
