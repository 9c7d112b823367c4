#include "runtime/measure.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hoist::runtime {

namespace {

double quantile(const std::vector<double>& sorted, double fraction) {
  const double place = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double weight = place - static_cast<double>(below);
  return sorted[below] + weight * (sorted[above] - sorted[below]);
}

}  // namespace

Measurement summarize(std::vector<double> times) {
  if (times.empty()) throw Bug("summarize: no times");
  std::vector<double> sorted = times;
  std::sort(sorted.begin(), sorted.end());
  Measurement measurement;
  measurement.median = quantile(sorted, 0.5);
  measurement.minimum = sorted.front();
  measurement.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / static_cast<double>(sorted.size());
  if (measurement.median > 0)
    measurement.spread = (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / measurement.median;
  measurement.times = std::move(times);
  return measurement;
}

Result<Measurement> measure(const std::function<Result<double>()>& run, std::size_t repetitions,
                            std::size_t warm_ups) {
  for (std::size_t warm_up = 0; warm_up < warm_ups; ++warm_up) {
    if (auto seconds = run(); !seconds) return tl::unexpected(std::move(seconds.error()));
  }
  std::vector<double> times;
  for (std::size_t repetition = 0; repetition < std::max<std::size_t>(repetitions, 1); ++repetition) {
    auto seconds = run();
    if (!seconds) return tl::unexpected(std::move(seconds.error()));
    times.push_back(*seconds);
  }
  return summarize(std::move(times));
}

}  // namespace hoist::runtime
