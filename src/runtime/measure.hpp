#pragma once
// Repeated timing and what is told of it.
#include <cstddef>
#include <cstdint>
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

/// Between which of the times the median of all that could be taken lies, with a confidence.
struct MedianInterval {
  double low = 0, high = 0;
  double confidence =
      0;  ///< what is reached: the smallest above what was asked; 0 where there are too few times
};

/// From the order of the times alone, so that nothing is supposed of how they are distributed: of n times
/// each is below the median with probability 1/2, so the k-th smallest and the k-th largest enclose it with
/// probability 1 - 2 P(X < k), X being binomial (n, 1/2). The narrowest such interval. (Hahn and Meeker,
/// "Statistical Intervals", 1991, section 5.2; Hoefler and Belli, "Scientific Benchmarking of Parallel
/// Computing Systems", 2015, ask for it where run times are reported.) 95% need at least six times.
/// Precondition: sorted, one at least.
MedianInterval median_interval(const std::vector<double>& sorted, double confidence = 0.95);

/// When to stop measuring.
struct StoppingRule {
  std::size_t warm_ups = 2;            ///< fewer, where they have taken as long as a long run
  std::size_t least = 6, most = 1000;  ///< times
  double seconds = 0.25;               ///< spent on them together, unless `least` take longer
  /// From so many seconds on a run is long: what disturbs a measurement hardly disturbs it.
  double long_run = 1;
  double longest = 5;   ///< seconds, those of warm-ups too, after which one time is enough
  double width = 0.01;  ///< of the median's interval, over the median, that is narrow enough
  double confidence = 0.95;
  /// One whose fastest run is slower than so many seconds is of no interest; 0: every one is.
  double hopeless = 0;
  /// Shorter runs may take several times as long now and then: of them so many tell that it is hopeless.
  double short_run = 0.02;
  std::size_t least_hopeless = 3;
};

struct AdaptiveMeasurement {
  Measurement measurement;  ///< outliers are in it
  MedianInterval interval;
  enum class Stop : std::uint8_t { Narrow, Spent, Hopeless } stop = Stop::Spent;
};

/// Calls `run` as the rule says; runs that are hopelessly slow end it, a warm-up too, which then is its only
/// time. The first error ends it and is returned.
Result<AdaptiveMeasurement> measure_until(const std::function<Result<double>()>& run,
                                          const StoppingRule& rule);

}  // namespace hoist::runtime
