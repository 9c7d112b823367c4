#pragma once
// Repeated timing and what is told of it.
#include <cstddef>
#include <functional>
#include <vector>

#include "base/error.hpp"

namespace hoist::runtime {

/// Times of one thing, in seconds.
struct Measurement {
  double median = 0, minimum = 0, mean = 0;
  /// Interquartile range divided by the median; 0 for a single time, or when the median is 0. Quartiles are
  /// interpolated linearly between the two nearest times.
  double spread = 0;
  std::vector<double> times;  ///< all of them, in the order they were taken
};

/// The summary of times that were taken elsewhere. Precondition: at least one time.
Measurement summarize(std::vector<double> times);

/// Calls `run` `warm_ups` times and forgets what it returned, then `repetitions` times (at least once) and
/// summarizes the seconds. The first error ends it and is returned, that of a warm-up too.
Result<Measurement> measure(const std::function<Result<double>()>& run, std::size_t repetitions,
                            std::size_t warm_ups);

}  // namespace hoist::runtime
