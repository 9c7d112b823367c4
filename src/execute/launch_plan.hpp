#pragma once
// What the host does to run a program, with every number known: memory to allocate, and the graph of tasks:
// copies from and to the caller's memory, kernels to launch, each with the tasks that it waits for. It refers
// to no terms or expressions, so it outlives the arena that it was made in. Executable carries it out, on one
// queue, and `hoist export` prints it as C.
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "loop/kernel.hpp"
#include "runtime/device.hpp"

namespace hoist::execute {

struct LaunchPlan {
  /// An array in global memory, by the name that kernels have for it.
  struct Array {
    std::string name;
    Scalar scalar;
    std::size_t elements;
    /// Index into `memory`. Temporaries share one where all tasks that touch the one end before any that
    /// touches the other begins, in whatever order the graph is run.
    std::size_t memory;
    std::size_t alignment;  ///< bytes of an element, or of a vector where elements are vectors

    std::size_t bytes() const { return elements * size_of(scalar); }
  };
  struct ScalarInput {
    std::string name;
    Scalar type;
  };
  /// A flattened input: an index into `arrays`, or into `scalars`.
  struct Input {
    bool is_array;
    std::size_t index;
  };
  /// A kernel's parameter, likewise.
  struct Parameter {
    bool is_array;
    std::size_t index;
    bool is_written = false;
    std::optional<runtime::ImageArgument> image =
        std::nullopt;  ///< its shape, where the kernel reads it as one
  };
  struct Kernel {
    std::string name;
    runtime::Range range;  ///< the largest, where it depends on scalars
    std::vector<Parameter> parameters;
  };
  /// A flattened input that is an array comes from the caller's memory; a flattened output goes there.
  /// Neither is done where the caller's array is on the device.
  struct Upload {
    std::size_t input;
  };
  struct Download {
    std::size_t output;
  };
  struct Launch {
    std::size_t kernel;
  };
  /// The whole of `from`, which is as large as `to`.
  struct Copy {
    std::size_t from, to;
  };
  struct Task;
  /// After each round the two arrays of each pair exchange their memory; they are temporaries.
  struct Repeat {
    std::int64_t count;                     ///< how often, where no array says it
    std::optional<std::size_t> count_from;  ///< an array of one i32
    std::optional<std::size_t> number;      ///< a scalar that is the number of the round, from 0 on
    std::vector<Task> test;                 ///< run before each round
    std::optional<std::size_t>
        condition;  ///< an array of one bool: where `test` leaves it false, no round follows
    std::vector<Task> body;
    std::vector<std::pair<std::size_t, std::size_t>> exchanged;
  };
  /// Tasks are listed in an order in which they may run.
  struct Task {
    std::variant<Upload, Download, Launch, Copy, Repeat> node;
    std::vector<std::size_t> after;  ///< earlier ones of the same list that must have ended
  };

  std::string name;
  std::vector<Array> arrays;  ///< inputs, outputs, temporaries; inputs and outputs have memory of their own
  std::vector<ScalarInput> scalars;  ///< inputs that are one number, and the numbers of rounds
  std::vector<std::size_t> memory;   ///< bytes to allocate
  std::vector<Input> inputs;         ///< in the order of the program's flattened parameters
  std::vector<std::size_t> outputs;  ///< in the order of the flattened result
  std::vector<Kernel> kernels;
  std::vector<Task> tasks;
  /// The array that lower::fault_flag speaks of: set to 0 before a run, a lower::Fault after one that had it.
  std::optional<std::size_t> faults;
};

/// A kernel of a launch plan as one task of a program that is cut launches it: told these values of scalars
/// (by their index in the plan), with as many work-items as they say.
struct TaskLaunch {
  std::size_t kernel;
  runtime::Range range;
  std::vector<std::pair<std::size_t, ScalarValue>> numbers;
};

/// User error when a size is still a variable, or an assumption does not hold.
Result<LaunchPlan> launch_plan(const loop::Plan& plan);

}  // namespace hoist::execute
