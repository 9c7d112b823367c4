#pragma once
// Straight code that reads a place of memory once.
#include <unordered_set>

#include "loop/kernel.hpp"
#include "loop/traverse.hpp"

namespace hoist::lower {

/// The block, in which what would be loaded several times is loaded into a variable first (elimination of
/// common subexpressions, of loads alone): from local memory, and from buffers of global memory that are not
/// among `written`, those to which the kernel writes. What is loaded under a condition is loaded before it
/// only where it is of global memory and its index proven to be inside the buffer. Loops in the block are
/// left as they are, but for what is known before them.
loop::Block with_shared_loads(loop::Block block, const std::unordered_set<const loop::Buffer*>& written,
                              loop::NameSource& names);

/// The buffers that a block stores to.
std::unordered_set<const loop::Buffer*> written_buffers(const loop::Block& block);

}  // namespace hoist::lower
