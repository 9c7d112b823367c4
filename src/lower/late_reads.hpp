#pragma once
// What may be overwritten where it lies, and what must be kept until a step is done.
#include <unordered_set>

#include "loop/kernel.hpp"

namespace hoist::lower {

using BufferSet = std::unordered_set<const loop::Buffer*>;

/// Which of `buffers`, overwritten in place by the statements, are read where an element may have its new
/// value already. An element is safe to read where it is then written itself, before that: the loops around
/// are the same, since the index is. One work-item may read any element before the first statement that
/// writes to its buffer; where many execute the block (`by_many`), another may have come further.
BufferSet read_late(const loop::Block& block, const BufferSet& buffers, bool by_many);

/// The same of the steps of the host, in their order.
BufferSet read_late(const loop::Plan& plan, const std::vector<loop::PlanStep>& steps,
                    const BufferSet& buffers);

}  // namespace hoist::lower
