#pragma once
// When a kernel may be printed as ordinary loops.
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "loop/kernel.hpp"

namespace hoist::codegen {

/// Where a kernel that is printed as ordinary loops declares its local buffers: in the outermost parallel
/// loop whose groups share them; under null, outside of all loops.
using LocalMemory = std::map<const loop::For*, std::vector<loop::BufferPtr>>;

/// The local memory of a kernel for which running every parallel loop from its start to its end, one after
/// the other, means the same as running work-items; else nothing. That is so when
/// - no barrier is inside a loop over work-items,
/// - parallel loops inside each other are over different dimensions, groups around work-items,
/// - what is private and declared outside of a parallel loop is not changed inside it, so that it has the
///   same value for all work-items,
/// - local memory is used inside one loop over groups, or outside of all.
std::optional<LocalMemory> loop_nest(const loop::Kernel& kernel);

/// The loop and the parallel ones over groups or all work-items that it consists of: each but the last has
/// nothing but the next as its body, and bounds that do not depend on the ones before.
std::vector<const loop::For*> perfect_nest(const loop::For& loop);

/// The most iterations that a loop may have, where their number is a constant or a scalar that the kernel is
/// given, as those of a task are.
std::optional<std::int64_t> most_iterations(const loop::Kernel& kernel, const loop::For& loop);

/// Whether a loop is over groups that use local memory: iterations have the same memory one after the other,
/// and may not run side by side.
bool reuses_local_memory(const loop::For& loop);

/// Whether statements have no loops and no arrays of their own, so that their repetitions fit vector
/// instructions.
bool is_straight(std::span<const loop::Statement> statements);

}  // namespace hoist::codegen
