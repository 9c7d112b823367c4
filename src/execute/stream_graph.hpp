#pragma once
// What the host does to run a program as tasks on several queues: uploads and downloads of ranges, launches,
// and what each waits for. Tasks are placed on partitions in turn; a partition has a queue each for uploads,
// for kernels and for downloads, so that copies of one task overlap the kernels of another.
//
// Memory. Each array of the launch plan has memory on the device. Where the cut has it in windows, there are
// `slots` windows, which tasks take in turn (a ring of buffers): task t uses slot t % slots, and waits for
// what the task before in that slot does. Other arrays are whole, and are uploaded range by range as tasks
// need them, each element once.
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "execute/launch_plan.hpp"

namespace hoist::execute {

struct StreamedPlan {
  /// Bytes of an array's memory on the device.
  struct Range {
    std::size_t array;  ///< of the launch plan
    std::size_t slot;
    std::size_t offset, bytes;
  };
  /// What a node does with a range, which orders it against others.
  enum class Access : std::uint8_t { Read, Write, Update };
  struct Touch {
    Range range;
    Access access;
  };

  /// The bytes of a flattened input from `host_offset` on.
  struct Upload {
    std::size_t input;
    std::size_t host_offset;
    Range to;
  };
  struct Download {
    std::size_t output;
    std::size_t host_offset;
    Range from;
  };
  /// A kernel of the launch plan, told these values of scalars (by their index in the plan), with as many
  /// work-items as they say.
  struct Launch {
    std::size_t kernel;
    runtime::Range range;
    std::vector<std::pair<std::size_t, ScalarValue>> numbers;
  };
  /// A copy or a repetition: which of the plan's steps. The host runs a repetition, alone.
  struct Step {
    std::size_t step;
  };
  struct Node {
    std::variant<Upload, Download, Launch, Step> work;
    std::size_t task = 0;
    std::size_t queue = 0;
    std::vector<std::size_t> slots;  ///< by array: which window the node uses
    std::vector<Touch> touches;
    std::vector<std::size_t> after;  ///< earlier nodes of other queues that must have ended
  };

  enum class QueueKind : std::uint8_t { Upload, Compute, Download };
  static constexpr std::size_t queues_per_partition = 3;

  LaunchPlan launch;               ///< of the cut plan; its tasks are not those of the nodes
  std::vector<std::size_t> slots;  ///< by array: how many windows there are of it; 1 where it is whole
  std::vector<std::size_t> array_elements;  ///< by array: of the whole array, which the caller has
  std::vector<Node> nodes;                  ///< in an order in which they may run
  std::size_t partitions = 1, tasks = 1;
  std::size_t tasks_in_flight = 1;  ///< windows of each array, at the most
  std::size_t memory_bytes = 0;     ///< on the device, of all arrays
  std::size_t program_inputs = 0;   ///< flattened ones of the program: further ones are numbers of tasks
  std::size_t shared_bytes = 0;     ///< uploaded for all tasks together, since most need most of it
  std::size_t upload_bytes = 0, download_bytes = 0;
  std::size_t redundant_bytes = 0;  ///< uploaded more than once
  std::vector<std::string> notes;   ///< kernels that are not cut, and why

  std::size_t queues() const { return partitions * queues_per_partition; }
  static QueueKind kind_of_queue(std::size_t queue) {
    return static_cast<QueueKind>(queue % queues_per_partition);
  }
};

}  // namespace hoist::execute
