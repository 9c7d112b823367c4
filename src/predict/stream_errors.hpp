#pragma once
// What is learned of a table of streams: the analytic model's constants, and by how much it is wrong.
#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "learn/learners.hpp"
#include "predict/stream_table.hpp"
#include "predict/stream_time.hpp"

namespace hoist::predict {

/// The analytic model's constants for the device on which these programs were timed.
StreamConstants device_constants(std::span<const StreamRecord* const> records);

/// Numbers of a program and each of its configurations: shares of the time by the analytic model, sizes of
/// tasks, and what the program is like. All but the first few are the same for all of a program.
Matrix error_inputs(const StreamFeatures& features, const StreamConstants& constants,
                    std::span<const StreamConfiguration> configurations);
/// How many there are of each.
std::size_t error_input_count();

/// What overlap alone can make of a single stream, in seconds: the longest of its uploads, kernels and
/// downloads.
double least_seconds(const StreamTimes& times);
/// How an expectation becomes a choice. Errors are believed as far as they differ from that of a single
/// stream, which is known best.
struct StreamCaution {
  double trust = 0;          ///< how much is believed of what makes a configuration faster: from 0 to 1
  double doubt = 0;          ///< of what makes it slower: from trust to 1
  double least_gain = 1.01;  ///< what must be expected to gain over a single stream
  double tolerance = 1;      ///< as fast as the expected fastest is what takes so much longer at the most
  /// Whether what makes a configuration faster is believed only down to what overlap alone can reach, not
  /// that kernels run faster in parts.
  bool is_overlap_alone = false;

  bool uses_errors() const { return trust + doubt > 0; }
  /// The logarithm of expected seconds: `error` is that of measured over estimated seconds, less that of a
  /// single stream; `least` the logarithm of least_seconds.
  double corrected(double estimated, double error, double least) const {
    const double expected = estimated + (error < 0 ? trust : doubt) * error;
    return is_overlap_alone && expected < least ? std::min(estimated, least) : expected;
  }
};
/// Of a program whose kernels were timed, and of one of which only static features are known.
struct StreamCautions {
  StreamCaution measured, not_measured;

  const StreamCaution& of(const StreamFeatures& features) const {
    return features.has(StreamFeature::KernelSeconds) ? measured : not_measured;
  }
  bool use_errors() const { return measured.uses_errors() || not_measured.uses_errors(); }
};

/// The place of the configuration that is chosen by the expected seconds: a single stream where the gain over
/// it is less than the least, else of the fastest ones that with the fewest tasks, and of these that on the
/// fewest partitions. What differs less from a single stream is better known.
std::size_t chosen_by(std::span<const StreamConfiguration> configurations, std::span<const double> seconds,
                      const StreamCaution& caution);

/// What is learned of the errors.
struct LearnedErrors {
  std::shared_ptr<const learn::StoredRegressor> errors;  ///< logarithms of measured over estimated seconds
  StreamCautions cautions;
};
/// Each program is learned from twice, with all that is known of it and with its static features alone. How
/// cautious choices are is what makes the best ones for programs that are left out of learning. Where a
/// single stream is the best of most programs, what is slower than it by more than 1% counts twentyfold, and
/// gains are believed only as far as overlap alone can reach. With too few programs nothing is learned.
LearnedErrors learned_errors(std::span<const StreamRecord* const> records, const StreamConstants& constants,
                             std::uint64_t seed);

}  // namespace hoist::predict
