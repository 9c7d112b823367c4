#pragma once
// Queues, partitions and pinned memory of CUDA's devices: streams, green contexts, registered memory.
#include <memory>
#include <span>

#include "runtime/cuda/session.hpp"
#include "runtime/queue.hpp"

namespace hoist::runtime::cuda {

/// Green contexts of as many multiprocessors each as can be. Where the driver has none (CUDA 12.3 and older),
/// or not so many, all share the device, with a note. Throws Failure.
Partitioning divide(const SessionPtr& session, std::size_t count);

/// A queue on a stream of the session's context that somebody else made and destroys.
std::unique_ptr<Queue> queue_on(const SessionPtr& session, CUstream stream);

StreamFacts stream_facts(Session& session);

/// Memory that the copy engines reach, new or the caller's own; plain memory with a note where the driver
/// pins no more. Throws Failure.
std::unique_ptr<HostMemory> pinned_memory(const SessionPtr& session, std::size_t bytes);
std::unique_ptr<HostMemory> pinned_memory(const SessionPtr& session, std::span<std::byte> memory);

}  // namespace hoist::runtime::cuda
