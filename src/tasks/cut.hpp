#pragma once
// A plan cut into tasks: its steps in phases, of which each runs its kernels whole, or some iterations of
// each at a time, so that what a task needs can be moved while another computes.
//
// Example. Of
//
//   kernel0: for row in global(0) [0, N): tmp[row] = ... x[row - 1], x[row], x[row + 1] ...
//   kernel1: for row in global(0) [0, N): out[row] = ... tmp[row - 1], tmp[row], tmp[row + 1] ...
//   kernel2: one work-group: sum = ... all of out ...
//
// kernels 0 and 1 are a phase. Its task t of T computes rows [t*N/T, (t+1)*N/T) of `out`, from one row more
// of `tmp` on each side, which it computes for itself (overlapped tiling), from two rows more of `x`. Kernel
// 2 is a last phase that is not cut. A reduction whose partial results are parts of an array is so too: tasks
// make parts, and a phase that is not cut finishes them.
//
// Columns. Of a transposed input a task needs columns, of which a run of elements from the first to the last
// is nearly all of the array. Such an input is seen as rows of equal length, and tasks touch rectangles of
// it.
//
// Two loops. Tasks may be the parts of a grid, too: rows 0-31 and columns 0-31, rows 0-31 and columns 32-63,
// ... Then arrays are seen as rows of equal length, and tasks touch rectangles of them. A kernel that has no
// two loops to be cut is cut along its outermost one, into as many parts.
//
// A cut kernel keeps its meaning and the indices of the whole program; it is told from which iteration on it
// runs, and where the window of each array begins that is in memory as windows only.
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "loop/kernel.hpp"
#include "tasks/region.hpp"
#include "tasks/task_kernel.hpp"

namespace hoist::tasks {

/// A part of a loop's iterations: from one fraction of them to another.
struct Fractions {
  double from = 0, to = 1;
};

/// Tasks that are parts of the iterations of two loops.
struct Grid {
  struct Part {
    Fractions outer, inner;
  };
  std::vector<Part> parts;  ///< by task; together they are all, and none is part of another
  /// How many there are beside each other in either direction: loops with fewer iterations are not cut so.
  std::int64_t rows = 1, columns = 1;
  /// The flattened input that takes the first result in the next step: both are laid out in the same rows.
  std::optional<std::size_t> fed = std::nullopt;
};

/// Columns of fewer bytes in a row are not worth uploading apart: copy engines take a time for each row.
inline constexpr std::int64_t usual_least_row_bytes = 256;

struct CutOptions {
  std::int64_t tasks = 1;
  /// Whether inputs and outputs, too, are in memory as windows, where a task needs a part of them only.
  /// Otherwise these are arrays of which tasks need parts, and only temporaries between the kernels of a
  /// phase are windows.
  bool has_windows = false;
  /// How large the tasks' parts are beside each other, a number for each task; empty: as even as can be.
  std::vector<double> weights = {};
  /// Whether all tasks run on one memory. Where they do not, a kernel that updates an array in place, as
  /// counts by key are, is not cut, and inputs are not seen as rows unless there is a grid.
  bool share_memory = true;
  /// Inputs of which a task would read columns of fewer bytes are not seen as rows.
  std::int64_t least_row_bytes = usual_least_row_bytes;
  /// Where two loops are to be cut. Weights are those of the parts then, for kernels that are cut along one.
  std::optional<Grid> grid = std::nullopt;
};

/// What a step touches of an array, in elements of the whole array.
struct Touch {
  std::size_t array;
  Region read, written;
  /// Of the elements written those that may be part of the program's result: none where the task computes
  /// them for its own kernels alone.
  Region result;
  bool is_update = false;  ///< written by atomic updates, which need no order
  /// Of arrays that are seen as rows: what is read without what lies between, as the corners of a stencil
  /// that reads none.
  std::vector<Region> read_parts = {};
};

struct Array {
  std::string name;
  Scalar scalar = Scalar::F32;
  std::int64_t elements = 0;          ///< of the whole array
  std::optional<std::size_t> input;   ///< which flattened input it is
  std::optional<std::size_t> output;  ///< which flattened output
  bool is_fault_flag = false;
  /// Where it is windows in a phase: the longest one, and by task the element at which it begins; where a
  /// window is some columns of all rows, the column.
  std::int64_t window = 0;
  std::vector<std::int64_t> begins = {};
  std::int64_t row_length = 1;  ///< elements of the rows that it is seen as
  std::int64_t window_row = 0;  ///< where a window is columns: elements of its rows

  bool is_windowed() const { return window > 0; }
  bool has_column_windows() const { return window_row > 0; }
  Region whole() const { return {{0, elements / row_length}, {0, row_length}}; }
};

/// A step of a phase. In a phase that is not cut there is one task.
struct TaskStep {
  std::size_t step = 0;                          ///< of the plan
  std::optional<Footprint> loop = std::nullopt;  ///< its kernel's, where that is cut
  std::vector<Region> iterations = {};           ///< of it, by task: the rows are those of the outer loop
  std::vector<TaskNumber> numbers = {};
  std::vector<std::vector<Touch>> touches = {};  ///< by task
};

struct Phase {
  bool is_cut = false;
  std::vector<TaskStep> steps;
};

struct Cut {
  std::int64_t tasks = 1;
  /// The plan with kernels that are told their tasks. Arrays that are windows have the size of a window; the
  /// numbers that kernels are told are inputs behind those of the program.
  loop::Plan plan;
  std::size_t program_inputs = 0;  ///< the plan's inputs that are the program's
  std::vector<Array> arrays;       ///< inputs, outputs and temporaries, in the order of the plan
  std::vector<Phase> phases;
  /// Why kernels are not cut, one sentence each.
  std::vector<std::string> uncut;
  /// Of a grid: why kernels are cut along one loop alone.
  std::vector<std::string> cut_along_one;

  bool has_cut_phase() const;
  /// Whether two loops of a kernel are cut.
  bool has_grid() const;
};

/// Cuts a plan, all of whose sizes are numbers. User errors: no kernel can be cut into so many tasks, with
/// the reason for each.
Result<Cut> cut(const loop::Plan& plan, const CutOptions& options);

/// The plan as it is, as one phase of one task.
Result<Cut> uncut(const loop::Plan& plan);

/// The most tasks into which the plan can be cut, 1 where it cannot be.
std::int64_t most_tasks(const loop::Plan& plan);

}  // namespace hoist::tasks
