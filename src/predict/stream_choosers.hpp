#pragma once
// What chooses the streams of a program, for comparison: fixed choices, two analytic models of others, the
// classifier and the network of Zhang et al. (TPDS 2020, sections 3 and 5.2), and ours. Each sees the
// features of a program and which of its configurations were timed, but no time.
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "predict/stream_table.hpp"

namespace hoist::predict {

class StreamChooser {
 public:
  virtual ~StreamChooser() = default;
  /// From programs with their times, of which there is one at least. Throws Failure where a learner does.
  virtual void learn(std::span<const StreamRecord* const> records) = 0;
  /// One of these, among which is a single stream.
  virtual StreamConfiguration choose(const StreamFeatures& features,
                                     std::span<const StreamConfiguration> configurations) const = 0;
};

struct StreamChooserKind {
  const char* name;
  const char* about;
  std::unique_ptr<StreamChooser> (*make)(std::uint64_t seed);
};
/// Ours first.
std::span<const StreamChooserKind> stream_chooser_kinds();

/// The one that is nearest: by the ratios of partitions and of tasks, on a logarithmic scale.
StreamConfiguration nearest_configuration(std::span<const StreamConfiguration> configurations,
                                          const StreamConfiguration& wanted);
/// What each record's choice reaches of its best configuration's speed.
double share_of_best(const StreamRecord& record, const StreamConfiguration& chosen);
std::vector<StreamConfiguration> configurations_of(const StreamRecord& record);

// The models of others, for tests.

/// What a program's transfers and kernels take in a single stream, and what a device's do beside that.
struct TransferModel {
  double upload = 0, kernel = 0, download = 0;  ///< seconds, without latencies
  double latency = 0;                           ///< L + o of a transfer
  double gap = 0;                               ///< g between two transfers
  double launch = 0;                            ///< of a launch, whatever its work
};
/// The total time of n tasks by Liu et al. (Software pipelining for graphic processing unit acceleration,
/// IJHPCA 2016): with kernels longer than transfers one task's transfer and all kernels with a launch each,
/// with transfers longer all of them and two latencies a task. Its least is at sqrt(transfers / launch), and
/// at the fewest tasks that are more than one.
double liu_seconds(const TransferModel& model, double tasks);
/// The same by van Werkhoven et al. (Performance models for CPU-GPU data transfers, CCGrid 2014): the
/// greatest of three times, in which the upload, the kernel or the download is whole, and what comes before
/// and behind it is that of one task. Whole transfers have a gap between tasks.
double werkhoven_seconds(const TransferModel& model, double tasks);

/// A few configurations that have, of each program, one with the given share of its best speed or more:
/// greedily, the one that serves most of the programs that are left (the labels of the classifier, merged).
std::vector<StreamConfiguration> covering_configurations(std::span<const StreamRecord* const> records,
                                                         double share);

}  // namespace hoist::predict
