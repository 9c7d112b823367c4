#pragma once
// What the host does to run a program as tasks on several queues: uploads and downloads of ranges, launches,
// and what each waits for. Tasks are placed on partitions in turn; a partition has a queue each for uploads,
// for kernels and for downloads, so that copies of one task overlap the kernels of another.
//
// Memory. Each array of the launch plan has memory on the device. Where the cut has it in windows, there are
// `slots` windows, which tasks take in turn (a ring of buffers): task t uses slot t % slots, and waits for
// what the task before in that slot does. Other arrays are whole, and are uploaded range by range as tasks
// need them, each element once.
//
// Steps. A plan may run a program several times, each time on the results of the run before (`steps`). A
// result and the input that it becomes, both whole, stay on the device: they exchange their memory after each
// step. Where one of both is windows the result passes through the host's memory, as ranges: a task uploads
// what tasks of the step before have downloaded. Dependences between steps are like those within one: they
// follow from the bytes that nodes touch, there or here.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "execute/launch_plan.hpp"
#include "runtime/queue.hpp"

namespace hoist::execute {

struct StreamedPlan {
  /// Bytes of an array's memory on the device; or of the host's memory of a result between two steps.
  struct Range {
    std::size_t array;   ///< of the launch plan, whose memory it is; or `on_host` of a result
    std::size_t slot;    ///< of windows; on the host `host_slot` of the step that writes it
    runtime::Rows rows;  ///< one where it is a run of bytes
  };
  /// What a node does with a range, which orders it against others.
  enum class Access : std::uint8_t { Read, Write, Update };
  struct Touch {
    Range range;
    Access access;
  };

  /// The bytes of a flattened input in these rows: in a step behind the first, where the result of the one
  /// before becomes that input (`fed`), from there.
  struct Upload {
    std::size_t input;
    runtime::Rows host;
    Range to;
  };
  /// To the caller's memory in the last step; in an earlier one to that which the next step uploads from.
  struct Download {
    std::size_t output;
    std::size_t host_offset;
    Range from;
  };
  using Launch = TaskLaunch;
  /// A copy or a repetition: which of the plan's steps. The host runs a repetition, alone.
  struct Step {
    std::size_t step;
  };
  struct Node {
    std::variant<Upload, Download, Launch, Step> work;
    std::size_t step = 0;
    std::size_t task = 0;
    std::size_t queue = 0;
    std::vector<std::size_t> slots = {};  ///< by array: which window the node uses
    std::vector<Touch> touches = {};
    std::vector<std::size_t> after = {};  ///< earlier nodes of other queues that must have ended
  };

  /// A result that is an input of the next step.
  struct Fed {
    std::size_t input, output;              ///< flattened ones of the program
    std::size_t input_array, output_array;  ///< of the launch plan
    bool stays;  ///< on the device, where both exchange their memory after each step
  };

  enum class QueueKind : std::uint8_t { Upload, Compute, Download };
  static constexpr std::size_t queues_per_partition = 3;

  LaunchPlan launch;               ///< of the cut plan; its tasks are not those of the nodes
  std::vector<std::size_t> slots;  ///< by array: how many windows there are of it; 1 where it is whole
  std::vector<bool> is_windowed;   ///< by array
  std::vector<bool> has_columns;   ///< by array: whether tasks upload columns of it
  std::vector<std::size_t> array_elements;  ///< by array: of the whole array, which the caller has
  std::vector<Node> nodes;                  ///< in an order in which they may run
  std::vector<Fed> fed;
  std::size_t steps = 1;  ///< that nodes are listed of
  /// Of many steps only some are listed: the nodes from `loop_begin` to `loop_end` (two steps, which exchange
  /// memory twice) run `loop_times` times. What a node from `loop_begin` on has in `after` that lies before
  /// the loop is one of the loop's round before: that node, the length of the loop later.
  std::size_t loop_begin = 0, loop_end = 0, loop_times = 1;
  std::size_t partitions = 1, tasks = 1;
  std::size_t tasks_in_flight = 1;  ///< windows of each array, at the most
  std::size_t memory_bytes = 0;     ///< on the device, of all arrays
  std::size_t program_inputs = 0;   ///< flattened ones of the program: further ones are numbers of tasks
  std::size_t shared_bytes = 0;     ///< in a step, for all tasks together, since most need most of it
  std::size_t upload_bytes = 0, download_bytes = 0;
  std::size_t redundant_bytes = 0;  ///< uploaded more than once
  std::vector<std::string> notes;   ///< kernels that are not cut, and why

  /// Whether tasks have windows of what the program is given or gives, since memory is short or was limited.
  bool is_short_of_memory() const {
    const auto is_window = [&](std::size_t array) { return is_windowed[array]; };
    return std::ranges::any_of(launch.outputs, is_window) ||
           std::ranges::any_of(launch.inputs, [&](const LaunchPlan::Input& input) {
             return input.is_array && is_window(input.index);
           });
  }
  std::size_t all_steps() const { return steps + (loop_times - 1) * steps_of_loop; }
  static constexpr std::size_t steps_of_loop = 2;
  /// Whether all results stay on the device between steps.
  bool results_stay() const {
    for (const Fed& each : fed) {
      if (!each.stays) return false;
    }
    return !fed.empty();
  }
  /// Which memory of the host a step of those listed writes its results to: 0 is the caller's, where the last
  /// step writes; both are used in turn.
  std::size_t host_slot(std::size_t step) const { return (steps - 1 - step) % 2; }
  std::size_t on_host(std::size_t output) const { return launch.arrays.size() + output; }
  /// The array in whose memory an array of the launch plan lies in a step.
  std::size_t memory_of(std::size_t array, std::size_t step) const {
    for (const Fed& each : fed) {
      if (!each.stays || step % 2 == 0) continue;
      if (each.input_array == array) return each.output_array;
      if (each.output_array == array) return each.input_array;
    }
    return array;
  }
  /// The result of the step before that is this flattened input; null where it is the caller's.
  const Fed* fed_to(std::size_t input, std::size_t step) const {
    for (const Fed& each : fed) {
      if (each.input == input && step > 0) return &each;
    }
    return nullptr;
  }

  std::size_t queues() const { return partitions * queues_per_partition; }
  static QueueKind kind_of_queue(std::size_t queue) {
    return static_cast<QueueKind>(queue % queues_per_partition);
  }
};

}  // namespace hoist::execute
