// First the constants: their names, the values of a usual device and how far these may be off; then the model
// (StreamTimes), and last the fit.
#include "predict/stream_time.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "learn/least_squares.hpp"

namespace hoist::predict {

namespace {

/// A constant beforehand: its logarithm is about that of `usual`, and as far from it as `spread`.
struct ConstantRow {
  StreamConstant constant;
  const char* name;
  double usual, spread;
  double most;  ///< shares end at 1
};
constexpr double no_limit = 1e18;
constexpr ConstantRow constant_rows[] = {
    {StreamConstant::UploadLatency, "upload_latency", 8e-6, 1.5, no_limit},
    {StreamConstant::UploadRate, "upload_rate", 1e10, 2, no_limit},
    {StreamConstant::DownloadLatency, "download_latency", 8e-6, 1.5, no_limit},
    {StreamConstant::DownloadRate, "download_rate", 1e10, 2, no_limit},
    {StreamConstant::LaunchSeconds, "launch_seconds", 5e-6, 1.5, no_limit},
    {StreamConstant::CommandSeconds, "command_seconds", 2e-6, 1.5, no_limit},
    {StreamConstant::TaskSeconds, "task_seconds", 1e-6, 2, no_limit},
    {StreamConstant::PartitionSeconds, "partition_seconds", 2e-6, 2, no_limit},
    {StreamConstant::QueueWaiting, "queue_waiting", 0.3, 1.5, 1},
    {StreamConstant::Exclusion, "exclusion", 0.3, 1, 1},
    {StreamConstant::HalfDuplex, "half_duplex", 0.1, 1.5, 1},
    {StreamConstant::PartitionSlowdown, "partition_slowdown", 0.9, 0.3, 1.5},
    {StreamConstant::ItemsToFill, "items_to_fill", 2e4, 3, no_limit},
    {StreamConstant::Underuse, "underuse", 0.3, 1, 1},
    {StreamConstant::CacheBytes, "cache_bytes", 1e6, 2.5, no_limit},
    {StreamConstant::CacheGain, "cache_gain", 0.9, 0.5, 1},
    {StreamConstant::InstructionRate, "instruction_rate", 1e11, 3, no_limit},
    {StreamConstant::MemoryRate, "memory_rate", 1e11, 3, no_limit},
};
static_assert(std::size(constant_rows) == stream_constant_count);

/// The sum of powers, its root taken: from the sum (1) to the greatest (0) of numbers that are not negative.
double joined(std::span<const double> parts, double exclusion) {
  const double greatest = *std::max_element(parts.begin(), parts.end());
  constexpr double all_overlaps = 0.01;
  if (greatest <= 0 || exclusion < all_overlaps) return greatest;
  double sum = 0;
  for (const double each : parts) sum += each > 0 ? std::exp(std::log(each / greatest) / exclusion) : 0;
  return greatest * std::exp(std::log(sum) * exclusion);
}

/// Bytes a second of this program: by the time that its transfers took, or as the device has it.
double own_rate(double bytes, std::optional<double> seconds, double latencies, double usual) {
  if (!seconds || bytes <= 0) return usual;
  // Most of a short transfer's time is latency, of which the device's constant knows only the mean.
  const double moving = std::max(*seconds - latencies, *seconds / 4);
  return moving > 0 ? bytes / moving : usual;
}

/// Seconds of a program's kernels where none were measured: its instructions behind its accesses.
double computing_seconds(const StreamFeatures& features, const StreamConstants& constants) {
  return features.get_or(StreamFeature::Instructions, 0) / constants[StreamConstant::InstructionRate];
}
double access_seconds(const StreamFeatures& features, const StreamConstants& constants) {
  using enum StreamFeature;
  const double transferred = features.get_or(UploadBytes, 0) + features.get_or(DownloadBytes, 0);
  return features.get_or(GlobalBytes, transferred) / constants[StreamConstant::MemoryRate];
}
double estimated_kernel(const StreamFeatures& features, const StreamConstants& constants) {
  return computing_seconds(features, constants) + access_seconds(features, constants);
}
double estimated_upload(const StreamFeatures& features, const StreamConstants& constants) {
  using enum StreamFeature;
  using enum StreamConstant;
  const double bytes = features.get_or(UploadBytes, 0);
  return features.get_or(InputArrays, 1) * constants[UploadLatency] + bytes / constants[UploadRate];
}
double estimated_download(const StreamFeatures& features, const StreamConstants& constants) {
  using enum StreamFeature;
  using enum StreamConstant;
  const double bytes = features.get_or(DownloadBytes, 0);
  return features.get_or(OutputArrays, 1) * constants[DownloadLatency] + bytes / constants[DownloadRate];
}

}  // namespace

std::string_view name_of(StreamConstant constant) {
  const ConstantRow& row = constant_rows[static_cast<std::size_t>(constant)];
  if (row.constant != constant) throw Bug("the table of a device's constants is not in their order");
  return row.name;
}

StreamConstants::StreamConstants() {
  for (std::size_t i = 0; i < stream_constant_count; ++i) values_[i] = constant_rows[i].usual;
}

StreamTimes::StreamTimes(const StreamFeatures& features, const StreamConstants& constants)
    : constants_(constants) {
  using enum StreamFeature;
  using enum StreamConstant;
  const double upload_bytes = features.get_or(UploadBytes, 0);
  download_bytes_ = features.get_or(DownloadBytes, 0);
  shared_bytes_ = std::min(features.get_or(SharedBytes, 0), upload_bytes);
  cut_bytes_ = upload_bytes - shared_bytes_;
  redundant_bytes_ = features.get_or(RedundantBytes, 0);
  upload_commands_ = features.get_or(InputArrays, upload_bytes > 0 ? 1 : 0);
  download_commands_ = features.get_or(OutputArrays, download_bytes_ > 0 ? 1 : 0);
  launches_ = std::max(features.get_or(Kernels, 1), 1.0);
  upload_rate_ = own_rate(upload_bytes, features.get(UploadSeconds),
                          upload_commands_ * constants_[UploadLatency], constants_[UploadRate]);
  download_rate_ = own_rate(download_bytes_, features.get(DownloadSeconds),
                            download_commands_ * constants_[DownloadLatency], constants_[DownloadRate]);
  if (const auto measured = features.get(KernelSeconds)) {
    kernel_seconds_ = std::max(*measured - launches_ * constants_[LaunchSeconds], *measured / 4);
  } else {
    kernel_seconds_ = estimated_kernel(features, constants_);
  }
  const double accessing = access_seconds(features, constants_);
  access_share_ = accessing > 0 ? accessing / estimated_kernel(features, constants_) : 0;
  iterations_ = std::max(features.get_or(LoopCount, features.get_or(MostTasks, 0)), 0.0);
  work_items_ = parallel_items(features);
}

double StreamTimes::access_factor(double tasks) const {
  const double bytes = shared_bytes_ + (cut_bytes_ + download_bytes_) / tasks;
  const double in_caches = bytes / constants_[StreamConstant::CacheBytes];
  const double gain = std::min(constants_[StreamConstant::CacheGain], 1.0);
  return gain + (1 - gain) * in_caches * in_caches / (1 + in_caches * in_caches);
}

StreamEstimate StreamTimes::of(const StreamConfiguration& configuration) const {
  using enum StreamConstant;
  const auto tasks = static_cast<double>(configuration.tasks);
  const auto partitions = static_cast<double>(configuration.partitions);
  const double rounds = std::ceil(tasks / partitions);
  // The largest task has the iterations that are left over.
  const double share = iterations_ >= tasks ? std::ceil(iterations_ / tasks) / iterations_ : 1 / tasks;

  StreamEstimate estimate;
  estimate.upload = upload_commands_ * constants_[UploadLatency] +
                    (cut_bytes_ / tasks + redundant_bytes_ * (tasks - 1) / tasks) / upload_rate_;
  estimate.download =
      download_commands_ * constants_[DownloadLatency] + download_bytes_ / tasks / download_rate_;
  const double items = work_items_ * share, needed = constants_[ItemsToFill] / partitions;
  const double underused = items > 0 && items < needed ? std::pow(needed / items, constants_[Underuse]) : 1;
  // What the measured time of a whole run contains of that already.
  const double usual = work_items_ > 0 && work_items_ < constants_[ItemsToFill]
                           ? std::pow(constants_[ItemsToFill] / work_items_, constants_[Underuse])
                           : 1;
  const double cached = 1 - access_share_ * (1 - access_factor(tasks) / access_factor(1));
  estimate.kernel =
      launches_ * constants_[LaunchSeconds] + kernel_seconds_ * share * cached * underused / usual *
                                                  std::pow(partitions, constants_[PartitionSlowdown]);

  const double commands = upload_commands_ + download_commands_ + launches_;
  estimate.shared_upload = shared_bytes_ / upload_rate_;
  estimate.once = estimate.shared_upload + (partitions - 1) * constants_[PartitionSeconds];
  estimate.first_task = estimate.upload + estimate.kernel + estimate.download;
  const double lesser = constants_[HalfDuplex] * (tasks - 1) * std::min(estimate.upload, estimate.download);
  const bool uploads_longer = estimate.upload >= estimate.download;
  estimate.uploads = (tasks - 1) * estimate.upload + (uploads_longer ? lesser : 0);
  estimate.kernels = (rounds - 1) * estimate.kernel;
  estimate.downloads = (tasks - 1) * estimate.download + (uploads_longer ? 0 : lesser);
  estimate.queue = (rounds - 1) * constants_[QueueWaiting] * estimate.first_task;
  estimate.host = (tasks - 1) * commands * constants_[CommandSeconds];
  const double parts[] = {estimate.uploads, estimate.kernels, estimate.downloads, estimate.queue,
                          estimate.host};
  constexpr StreamBound bounds[] = {StreamBound::Upload, StreamBound::Kernel, StreamBound::Download,
                                    StreamBound::Queue, StreamBound::Host};
  estimate.bound = bounds[std::max_element(std::begin(parts), std::end(parts)) - std::begin(parts)];
  estimate.rest = joined(parts, constants_[Exclusion]);
  estimate.overhead = (tasks - 1) * constants_[TaskSeconds];
  estimate.seconds = estimate.once + estimate.first_task + estimate.rest + estimate.overhead;
  return estimate;
}

StreamFeatures features_after(const StreamFeatures& features, const StreamedRun& run,
                              const StreamConstants& constants) {
  using enum StreamFeature;
  StreamFeatures known = features.static_ones();
  // Which arrays stayed is not known, so a share of each counts as moved.
  const auto keep = [&](std::initializer_list<StreamFeature> of, StreamFeature arrays, double all,
                        double in_run) {
    if (all <= 0) return;
    const double share = std::min(in_run / all, 1.0);
    for (const StreamFeature each : of) known.set(each, known.get_or(each, 0) * share);
    if (share > 0) return;
    known.set(Transfers, std::max(known.get_or(Transfers, 0) - known.get_or(arrays, 0), 0.0));
    known.set(arrays, 0);
  };
  keep({UploadBytes, SharedBytes, RedundantBytes}, InputArrays, known.get_or(UploadBytes, 0),
       run.upload_bytes);
  keep({DownloadBytes}, OutputArrays, known.get_or(DownloadBytes, 0), run.download_bytes);
  known.set(TransferBytes, known.get_or(UploadBytes, 0) + known.get_or(DownloadBytes, 0));

  const StreamTimes times(known, constants);
  const StreamEstimate single = times.of({1, 1}), streamed = times.of(run.configuration);
  const auto tasks = static_cast<double>(run.configuration.tasks);
  const auto set = [&](StreamFeature feature, double seconds, double of_single, double of_run) {
    if (of_run > 0) known.set(feature, seconds * of_single / of_run);
  };
  set(UploadSeconds, run.upload_seconds, single.shared_upload + single.upload,
      streamed.shared_upload + tasks * streamed.upload);
  set(KernelSeconds, run.kernel_seconds, single.kernel, tasks * streamed.kernel);
  set(DownloadSeconds, run.download_seconds, single.download, tasks * streamed.download);
  for (const auto& [feature, value] : run.counted) known.set(feature, value);
  return known;
}

namespace {

/// Times are fitted by how they compare within a program; this much of an error that all times of a program
/// share counts, too, since it tells what a program without a time of its own takes.
constexpr double shared_error = 0.2;
/// What the parts of a single stream take is fitted besides, where they were measured: of programs of which
/// nothing was, the rates are all that is known. An error of a part counts so much of one of a program's
/// times.
constexpr double part_weight = 0.02;
constexpr double huber = 0.1;  ///< errors of logarithms from which on they count linearly

StreamConstants constants_of(std::span<const double> logarithms) {
  StreamConstants constants;
  for (std::size_t i = 0; i < stream_constant_count; ++i)
    constants.values()[i] = std::min(std::exp(logarithms[i]), constant_rows[i].most);
  return constants;
}

struct Part {
  StreamFeature measured;
  double (*estimated)(const StreamFeatures&, const StreamConstants&);
};
constexpr Part parts_of_single_stream[] = {{StreamFeature::UploadSeconds, estimated_upload},
                                           {StreamFeature::KernelSeconds, estimated_kernel},
                                           {StreamFeature::DownloadSeconds, estimated_download}};

bool has_part(const StreamFeatures& features, const Part& part) {
  return features.get_or(part.measured, 0) > 0;
}

/// How much each time counts: the fast ones, among which is chosen, more than the slow ones, and every
/// program alike.
std::vector<double> weights_of(std::span<const TimedStreams> programs) {
  std::vector<double> weights;
  for (const TimedStreams& each : programs) {
    const double best = *std::min_element(each.seconds.begin(), each.seconds.end());
    double sum = 0;
    for (const double seconds : each.seconds) sum += 0.1 + best / seconds;
    for (const double seconds : each.seconds) weights.push_back((0.1 + best / seconds) / sum);
  }
  for (const TimedStreams& each : programs) {
    for (const Part& part : parts_of_single_stream) {
      if (has_part(*each.features, part)) weights.push_back(part_weight);
    }
  }
  return weights;
}

/// Errors of logarithms, of all programs behind each other, then of all parts.
std::vector<double> errors_of(std::span<const TimedStreams> programs, const StreamConstants& constants) {
  std::vector<double> errors;
  for (const TimedStreams& each : programs) {
    const StreamTimes times(*each.features, constants);
    const std::size_t from = errors.size();
    double sum = 0;
    for (std::size_t i = 0; i < each.seconds.size(); ++i) {
      errors.push_back(std::log(times.of(each.configurations[i]).seconds / each.seconds[i]));
      sum += errors.back();
    }
    const double mean = sum / static_cast<double>(each.seconds.size());
    for (std::size_t i = from; i < errors.size(); ++i) errors[i] -= (1 - shared_error) * mean;
  }
  for (const TimedStreams& each : programs) {
    for (const Part& part : parts_of_single_stream) {
      if (has_part(*each.features, part))
        errors.push_back(std::log(std::max(part.estimated(*each.features, constants), 1e-12) /
                                  each.features->get_or(part.measured, 0)));
    }
  }
  return errors;
}

}  // namespace

StreamConstants fitted_constants(std::span<const TimedStreams> programs) {
  learn::LeastSquares problem;
  problem.errors = [&](std::span<const double> logarithms) {
    return errors_of(programs, constants_of(logarithms));
  };
  problem.weights = weights_of(programs);
  problem.huber = huber;
  for (const ConstantRow& each : constant_rows) {
    problem.means.push_back(std::log(each.usual));
    problem.deviations.push_back(each.spread);
  }
  return constants_of(learn::fitted(problem));
}

}  // namespace hoist::predict
