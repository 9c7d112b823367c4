#pragma once
// What a program takes at many numbers of partitions and tasks, measured in one process: its inputs stay
// where they are, kernels are built side by side, those of the same text once, and what divides a device is
// made once for each number of partitions.
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/tensor.hpp"
#include "driver/compile.hpp"
#include "execute/streamed_executable.hpp"
#include "measure/device_turn.hpp"
#include "runtime/device.hpp"
#include "runtime/measure.hpp"
#include "runtime/queue.hpp"

namespace hoist::measure {

struct StreamPair {
  std::int64_t partitions = 1, tasks = 1;
};

/// What is measured of a program at its sizes.
struct StreamsTask {
  ir::Program program;  ///< with its sizes put in
  /// Kernels of the program, the preferred ones first: of each pair the first that can be cut so.
  std::vector<driver::Compiled> kernels;
  std::vector<Data> inputs;
  std::vector<StreamPair> pairs;
  /// Of a pair in a round; its `hopeless` is set by what follows.
  runtime::StoppingRule rule = {};
  /// How often each pair is made ready and measured, all others between: what disturbs a machine lasts, and
  /// where arrays lie makes a difference, too.
  std::size_t rounds = 3;
  /// A pair that is slower than the fastest one so far by this factor is run no further; 0: none is. A
  /// single stream, which others are compared with, is always measured to the end.
  double hopeless_factor = 2;
};

/// What came of a pair.
struct MeasuredPair {
  StreamPair pair;
  /// It cannot be cut or run so, or its result is wrong; then there is no more.
  std::optional<Error> failure = {};
  const execute::StreamedExecutable* executable = nullptr;
  std::size_t round = 1;
  bool is_last = true;  ///< of the pair's rounds
  /// Those that were timed in this round, from their first command to their last.
  std::vector<execute::StreamTimes> runs = {};
  /// Of a single stream in the first round one more, in which each command is timed, too.
  std::optional<execute::StreamTimes> of_commands = {};
  runtime::AdaptiveMeasurement::Stop stop = runtime::AdaptiveMeasurement::Stop::Spent;
};

/// Measures one task after the other on a device.
class StreamsMeasurer {
 public:
  explicit StreamsMeasurer(runtime::Device& device);

  /// Tells what is to be measured next, and of each pair as soon as it is measured, in each round. Each
  /// pair's first result is held against that of the whole program at once: elements of floats may differ by
  /// interpret::error_bound. Device errors: the whole program does not run; a run failed, which may have lost
  /// the device's state, so that the measurer is not to be used any more (that pair has been told).
  Result<void> measure(const StreamsTask& task, const std::function<void(const StreamPair&)>& begun,
                       const std::function<void(const MeasuredPair&)>& told);

 private:
  /// A pair's program, or why there is none.
  using Cut = Result<execute::CutProgram>;
  using Programs = std::map<std::string, Result<std::shared_ptr<runtime::Program>>>;

  std::vector<Cut> cut(const StreamsTask& task) const;
  Result<Programs> built(const std::vector<Cut>& cuts);
  Result<execute::StreamedExecutable> prepared(const Cut& cut, const Programs& programs,
                                               const StreamPair& pair, bool has_pinned);
  Result<std::shared_ptr<runtime::Partitioning>> partitioning(std::int64_t partitions);

  runtime::Device& device_;
  DeviceTurn turn_;
  std::vector<std::unique_ptr<runtime::Builder>> builders_;  ///< of threads
  std::map<std::int64_t, std::shared_ptr<runtime::Partitioning>> partitionings_;
};

}  // namespace hoist::measure
