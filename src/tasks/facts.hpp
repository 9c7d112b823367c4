#pragma once
// Numbers about cutting a program, read off its plan, from which a model may choose how to stream it: the
// static features of Zhang, Fang, Yang, Huang, Tang and Wang, "Optimizing Streaming Parallelism on
// Heterogeneous Many-Core Architectures" (IEEE TPDS 2020), Tables 1 and 2, and some more. docs/streams.md
// says what each is.
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "loop/kernel.hpp"

namespace hoist::tasks {

struct TaskFacts {
  double loop_nest = 0;            ///< at which level of its nest the loop is that is cut, from 1
  double loop_count = 0;           ///< its iterations; of several kernels the most
  double max_tasks = 1;            ///< into how many tasks the program can be cut
  double min_task_iterations = 0;  ///< a task's smallest part of the loop: those of a work-group
  double transfers = 0;            ///< uploads and downloads of a run that is not cut
  double transfer_bytes = 0, upload_bytes = 0, download_bytes = 0;
  double redundant_bytes = 0;  ///< what two neighbouring tasks of eight both upload
  double shared_bytes = 0;     ///< of the uploads, what all tasks read
  double input_arrays = 0, output_arrays = 0;
  double kernels = 0;          ///< launches of a task
  double steps = 0;            ///< of the plan: launches, copies, repetitions
  double temporary_bytes = 0;  ///< between kernels
  double work_items = 0;       ///< of all launches of a run that is not cut
  double group_size = 0;       ///< of the largest kernel
  /// Accesses to arrays whose place moves with the cut loop by one element an iteration, and by more.
  double access_type_1 = 0, access_type_2 = 0;

  std::vector<std::pair<std::string, double>> named() const;
};

/// All sizes of the plan are numbers. A plan that cannot be cut has facts, too: max_tasks is 1.
Result<TaskFacts> task_facts(const loop::Plan& plan);

}  // namespace hoist::tasks
