#pragma once
// From a program's plan to the graph of its tasks.
#include <cstdint>

#include "execute/stream_graph.hpp"
#include "loop/kernel.hpp"
#include "tasks/cut.hpp"

namespace hoist::execute {

struct StreamOptions {
  std::int64_t partitions = 1;
  std::int64_t tasks = 1;
  /// Bytes of the device that the plan may take; 0: there is no limit.
  std::size_t memory = 0;
};

/// A plan as tasks, and the plan of the loop IR that its kernels are printed from.
struct Streamed {
  tasks::Cut cut;
  StreamedPlan plan;
};

/// Cuts a plan whose sizes are numbers, and orders what its tasks do. Where all arrays fit the memory they
/// are whole; else those that tasks need parts of are windows, of as many tasks as fit. User errors:
/// partitions or tasks that cannot be, a plan that cannot be cut, one that does not fit even a task at a
/// time.
Result<Streamed> streamed_plan(const loop::Plan& plan, const StreamOptions& options);

}  // namespace hoist::execute
