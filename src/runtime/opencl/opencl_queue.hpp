#pragma once
// Queues, partitions and pinned memory of OpenCL's devices.
#include <memory>

#include "runtime/opencl/opencl_objects.hpp"
#include "runtime/queue.hpp"

namespace hoist::runtime::opencl {

/// Sub-devices of as many compute units each as can be. Where the device has none, all share it, with a note.
/// Throws Failure.
Partitioning divide(const SessionPtr& session, std::size_t count);

StreamFacts stream_facts(const Session& session);

/// Memory that the driver allocates for transfers. Device error where it has none.
Result<std::unique_ptr<HostMemory>> mapped_memory(const SessionPtr& session, std::size_t bytes);

}  // namespace hoist::runtime::opencl
