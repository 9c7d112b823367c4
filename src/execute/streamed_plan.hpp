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
  /// How often the program runs, each time but the first with the result of the one before as its flattened
  /// inputs from `fed` on.
  std::size_t steps = 1;
  std::size_t fed = 0;
  /// Whether memory of the caller is pinned only while a run lasts: it may be freed after it, and a driver
  /// would go on with the pages that it had.
  bool unpins = false;
  /// As the cut has it, where all arrays fit the memory: windows are columns however narrow.
  std::int64_t least_row_bytes = tasks::usual_least_row_bytes;
  /// Where the memory has no room for a task in each stage, there are twice as many tasks, and again, while
  /// that helps.
  bool adds_tasks = false;
  std::size_t largest_buffer = 0;  ///< bytes that one buffer may have; 0: there is no limit
};

/// For numbers that somebody chose who did not think of the memory, as models do; those here serve where
/// there is no model.
inline StreamOptions chosen_streams(std::int64_t partitions = 1, std::int64_t tasks = 8,
                                    std::size_t memory = 0) {
  StreamOptions options{partitions, tasks, memory};
  options.adds_tasks = true;
  return options;
}

/// A plan as tasks, and the plan of the loop IR that its kernels are printed from.
struct Streamed {
  tasks::Cut cut;
  StreamedPlan plan;
};

/// Cuts a plan whose sizes are numbers, and orders what its tasks do. Where all arrays fit the memory they
/// are whole; else those that tasks need parts of are windows, of as many tasks as fit. Where there are
/// several steps, arrays are whole if that leaves each partition a task at a time: then results stay on the
/// device between steps. Where they do not, a note says so. User errors:
/// partitions or tasks that cannot be, a plan that cannot be cut, one that does not fit even a task at a
/// time.
Result<Streamed> streamed_plan(const loop::Plan& plan, const StreamOptions& options);

}  // namespace hoist::execute
