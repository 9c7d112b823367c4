#pragma once
// Queues of the host: each is a thread of its own, which keeps to the processors of its partition.
#include <vector>

#include "runtime/device.hpp"
#include "runtime/queue.hpp"

namespace hoist::runtime::host {

/// The processors of a partition, by the system's numbers; none: wherever the system likes, and OpenMP
/// decides how many threads a kernel has.
using Processors = std::vector<int>;

/// The first `most` processors that this process may use, in `count` shares that lie side by side. Fewer
/// shares where there are fewer processors.
std::vector<Processors> shares_of_processors(std::size_t count, std::size_t most);

/// `info` must outlive it.
std::unique_ptr<Queue> make_queue(const target::Target& info, Processors processors);

}  // namespace hoist::runtime::host
