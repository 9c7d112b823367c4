#pragma once
// A kernel that runs some iterations of one of its parallel loops, or of two, on arrays of which windows are
// in memory.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "loop/traverse.hpp"
#include "tasks/footprint.hpp"
#include "tasks/region.hpp"

namespace hoist::tasks {

/// What a cut kernel is told, by the names of its scalars.
struct TaskNumber {
  std::string scalar;
  Scalar type = Scalar::I32;
  std::vector<std::int64_t> values;  ///< by task
};

/// Where the window of an array begins is a multiple of so many elements, so that accesses by vectors stay
/// aligned.
inline constexpr std::int64_t window_alignment = 64;

/// The memory of an array of which windows are there: from one element to another, or some columns of all
/// rows.
struct Window {
  loop::BufferPtr buffer;
  bool has_columns = false;
};

struct TaskKernel {
  loop::Kernel kernel;
  /// The scalars that it has beside those of the kernel it was made from, with their values by task, and the
  /// variables of these.
  std::vector<TaskNumber> numbers;
  std::vector<loop::VariablePtr> variables;
  /// The scalars that say where the window of an array begins, and how long its rows are where it is columns,
  /// both in whole units of window_alignment.
  struct ToldWindow {
    std::string array;
    loop::VariablePtr begin, row;
  };
  std::vector<ToldWindow> windows;
};

/// The kernel with a launch that follows from how many iterations it is told to run. `windows` are the arrays
/// that are windows, by name; `kept` the memory of accumulators, in their order, where the loop is that of a
/// reduction; `names` gives names of scalars that are unique in the plan.
TaskKernel task_kernel(const loop::Kernel& kernel, const Footprint& footprint,
                       const std::vector<Region>& iterations, const std::map<std::string, Window>& windows,
                       const std::vector<loop::BufferPtr>& kept, loop::NameSource& names);

}  // namespace hoist::tasks
