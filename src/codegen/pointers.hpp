#pragma once
// Which of a kernel's pointers write.
#include <set>

#include "loop/kernel.hpp"

namespace hoist::codegen {

/// Every buffer of the kernel that is stored to, by its own name or that of a pointer, and every pointer that
/// may come to name what is stored to: the others are pointers to const.
std::set<const loop::Buffer*> written_buffers(const loop::Kernel& kernel);

}  // namespace hoist::codegen
