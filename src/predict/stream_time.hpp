#pragma once
// How long a streamed program takes, by an analytic model: uploads, kernels and downloads of tasks overlap as
// far as the device lets them. Its constants are a device's, fitted to what was measured there.
//
// A task of a program that is cut into T tasks on P partitions uploads for u seconds, computes for k and
// downloads for d. The first task runs through all three alone; behind it, the others keep busy
//
//   the upload engine    (T - 1) u          the download engine    (T - 1) d
//   each partition       (R - 1) k          R = ceil(T / P) rounds
//   each queue           (R - 1) s (u + k + d), s the share of a queue's commands that waits for the others
//   the host             (T - 1) c          commands that it gives
//
// at the same time. How well these overlap is the exponent of the norm that joins them: the sum where nothing
// overlaps (1), the greatest where all does (infinity). What happens once comes on top: uploads that all
// tasks share, partitions that are made, the start.
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "predict/stream_features.hpp"

namespace hoist::predict {

enum class StreamConstant : std::uint8_t {
  UploadLatency,  ///< seconds of an upload beside its bytes
  UploadRate,     ///< bytes a second
  DownloadLatency,
  DownloadRate,
  LaunchSeconds,     ///< of a launch beside its work
  CommandSeconds,    ///< of the host, for each command
  TaskSeconds,       ///< for each task, whatever it overlaps with
  PartitionSeconds,  ///< for each partition
  QueueWaiting,      ///< s above: 0 where the queue's commands overlap, 1 where each waits for the one before
  Exclusion,         ///< 1 over the exponent of the norm: 0 where all overlaps
  HalfDuplex,        ///< 0 where uploads and downloads overlap, 1 where one waits for the other
  PartitionSlowdown,  ///< e: a kernel takes P^e times as long on a partition as on the whole device
  ItemsToFill,        ///< work-items by which the whole device is busy
  Underuse,           ///< f: with x times too few of them a kernel is x^f times less efficient
  CacheBytes,         ///< of a task's arrays, up to which they stay where kernels read them faster
  CacheGain,          ///< what accesses to such arrays take of the time of others
  InstructionRate,    ///< instructions a second; for kernels of which no time is known
  MemoryRate,         ///< bytes a second
};
inline constexpr std::size_t stream_constant_count = 18;
/// As models keep them: "upload_latency".
std::string_view name_of(StreamConstant constant);

/// Positive numbers.
class StreamConstants {
 public:
  /// Those of a usual device behind PCIe.
  StreamConstants();
  double operator[](StreamConstant constant) const { return values_[static_cast<std::size_t>(constant)]; }
  std::array<double, stream_constant_count>& values() { return values_; }
  const std::array<double, stream_constant_count>& values() const { return values_; }

 private:
  std::array<double, stream_constant_count> values_;
};

/// What binds a streamed run.
enum class StreamBound : std::uint8_t { Upload, Kernel, Download, Queue, Host };

/// Seconds of a run and what they are of.
struct StreamEstimate {
  double seconds = 0;
  double upload = 0, kernel = 0, download = 0;  ///< of one task
  double shared_upload = 0;                     ///< of what all tasks need
  double once = 0;                              ///< shared uploads, partitions
  double first_task = 0;                        ///< upload + kernel + download
  double rest = 0;                              ///< of the other tasks
  double overhead = 0;                          ///< of the task, beside all that overlaps, for all tasks
  double uploads = 0, kernels = 0, downloads = 0, queue = 0, host = 0;  ///< what the rest keeps busy
  StreamBound bound = StreamBound::Kernel;                              ///< the greatest of these
};

/// What of a program's estimates is the same for all configurations.
class StreamTimes {
 public:
  /// Both must outlive this.
  StreamTimes(const StreamFeatures& features, const StreamConstants& constants);
  StreamEstimate of(const StreamConfiguration& configuration) const;

 private:
  /// What accesses to arrays of a task take, of what they take of a large one.
  double access_factor(double tasks) const;

  const StreamConstants& constants_;
  double cut_bytes_, shared_bytes_, redundant_bytes_, download_bytes_;
  double access_share_;  ///< of the kernels' time, by the rates of the device
  double upload_commands_, download_commands_, launches_;
  double upload_rate_, download_rate_;
  double kernel_seconds_;  ///< without the launches
  double work_items_, iterations_;
};

/// What a run in streams moved, and what its commands took.
struct StreamedRun {
  StreamConfiguration configuration;
  double upload_bytes = 0, download_bytes = 0;
  double upload_seconds = 0, download_seconds = 0;  ///< during which at least one ran
  double kernel_seconds = 0;                        ///< of all kernels together
  /// Features that processors count, as far as this one did.
  std::vector<std::pair<StreamFeature, double>> counted = {};
};
/// The features with what such a run tells: the times of a single stream are those of the run's commands as
/// the analytic model, whose constants these are, has a single stream's to the run's. What the run did not
/// move, since it was valid where it is needed, counts as nothing that the program moves. Rates that the
/// processor counted in the run are taken for those of a single stream.
StreamFeatures features_after(const StreamFeatures& features, const StreamedRun& run,
                              const StreamConstants& constants);

/// A program with measured times: what constants are fitted to.
struct TimedStreams {
  const StreamFeatures* features = nullptr;
  std::vector<StreamConfiguration> configurations;
  std::vector<double> seconds;
};
/// The constants by which the logarithms of times, those of a program to each other before all, have the
/// least errors (Levenberg and Marquardt's method, with Huber's weights), and which are likely beforehand:
/// what the measurements do not tell stays that of a usual device. There is at least one program.
StreamConstants fitted_constants(std::span<const TimedStreams> programs);

}  // namespace hoist::predict
