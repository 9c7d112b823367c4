#pragma once
// A program on a device as tasks on several queues (streamed_plan.hpp): its kernels, its memory, its queues,
// and what gives them their commands.
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/trace.hpp"
#include "driver/compile.hpp"
#include "execute/cut_program.hpp"
#include "execute/executable.hpp"
#include "execute/tracked_array.hpp"
#include "runtime/counters.hpp"
#include "runtime/device.hpp"
#include "runtime/queue.hpp"

namespace hoist::execute {

/// Of one run, in seconds. What is busy at the same time on several queues counts once for each kind, so the
/// sum of the three less `busy` is how long different kinds overlapped. Of a run that keeps no times of its
/// commands `wall` alone is known, and bytes.
struct StreamTimes {
  double wall = 0;         ///< from the first command to the end of the last, as the host sees it
  double uploads = 0;      ///< during which at least one upload ran
  double kernels = 0;      ///< ... kernel
  double downloads = 0;    ///< ... download
  double busy = 0;         ///< ... any of them
  double each_kernel = 0;  ///< of all kernels together, those that ran at the same time, too
  std::size_t upload_bytes = 0, download_bytes = 0;
  /// What the processor counted, where a run asks for it and there are counters.
  runtime::CounterRates counters = {};
  double overlapped() const { return uploads + kernels + downloads - busy; }

  /// When each node ran, in each step; a repetition counts as a kernel.
  struct Ran {
    std::size_t node = 0;
    std::size_t step = 0;
    runtime::Times times;
  };
  std::vector<Ran> nodes;
};

/// Whether a run asks the device when each command ran, which on some devices costs commands of its own; and
/// what the processor counts meanwhile, where the device is this one.
enum class CommandTimes { Kept, NotKept, KeptAndCounted };

/// Arrays of the caller's that know where they are valid, by flattened input and output, in place of spans of
/// the host's memory; null: there is a span.
struct TrackedArrays {
  std::vector<TrackedArray*> inputs = {}, outputs = {};
};

/// What executables of one device may share. What is missing, an executable makes for itself.
struct StreamParts {
  std::shared_ptr<runtime::Program> program = {};            ///< of the same source
  std::shared_ptr<runtime::Partitioning> partitioning = {};  ///< of as many partitions
  bool has_pinned = false;  ///< whether the caller has pinned the arrays that runs are given
};

class StreamedExecutable {
 public:
  /// Builds the kernels, allocates memory and makes queues. User errors: partitions that the device cannot
  /// have.
  static Result<StreamedExecutable> prepare(runtime::Device& device, CutProgram program,
                                            StreamParts parts = {});
  /// The same of a program that is cut first. User errors: those of cut_program, too.
  static Result<StreamedExecutable> prepare(runtime::Device& device, const driver::Compiled& compiled,
                                            StreamOptions options);
  /// The same program in other partitions and tasks: kernels of the same text are not built again. User
  /// errors: those of prepare.
  Result<StreamedExecutable> prepare_again(const driver::Compiled& compiled, StreamOptions options) const;
  StreamedExecutable(StreamedExecutable&&) noexcept;
  StreamedExecutable& operator=(StreamedExecutable&&) noexcept;
  ~StreamedExecutable();

  /// Runs all tasks of all steps: from the caller's memory, one span for each flattened input, to the
  /// caller's, one for each flattened output. Neither is used, changed or freed by anyone else while this
  /// runs; where the device needs pinned memory, and StreamOptions::unpins is not set, neither is freed
  /// before the executable is. Of an array that is given in place of a span only what the device lacks is
  /// uploaded, and what is written stays there, unless tasks have windows of it: then it is in the array's
  /// memory on the host. Steps take spans only. Errors of devices name the node that failed, and its step,
  /// and say of each output whether it is whole; no later node writes to the caller's memory once run has
  /// returned. Arrays that it was to write hold nothing then.
  Result<StreamTimes> run(const Transfers& transfers, const TrackedArrays& arrays = {},
                          CommandTimes command_times = CommandTimes::Kept);

  const StreamedPlan& plan() const;
  /// What ran when in a run, for report/trace.hpp. Title and facts are the caller's to add.
  Trace trace(const StreamTimes& times) const;
  /// The kernels as the device's compiler got them.
  const std::string& source() const;
  double build_seconds() const;
  /// What is not as it could be: kernels that are not cut, partitions that share the device, memory that is
  /// not pinned.
  std::vector<std::string> notes() const;

 private:
  struct State;
  class Run;
  explicit StreamedExecutable(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace hoist::execute
