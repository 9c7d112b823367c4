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

MedianInterval median_interval(const std::vector<double>& sorted, double confidence) {
  const std::size_t count = sorted.size();
  const auto n = static_cast<double>(count);
  MedianInterval interval{sorted.front(), sorted.back(), 0};
  // P(X < k), of which each term is computed by itself: 2^-n alone would vanish for large n.
  double below = 0;
  for (std::size_t k = 1; 2 * k <= count; ++k) {
    const auto less = static_cast<double>(k - 1);
    below +=
        std::exp(std::lgamma(n + 1) - std::lgamma(less + 1) - std::lgamma(n - less + 1) - n * std::log(2.0));
    if (1 - 2 * below < confidence) break;
    interval = {sorted[k - 1], sorted[count - k], 1 - 2 * below};
  }
  return interval;
}

namespace {

AdaptiveMeasurement concluded(std::vector<double> times, const StoppingRule& rule,
                              AdaptiveMeasurement::Stop stop) {
  std::vector<double> sorted = times;
  std::sort(sorted.begin(), sorted.end());
  return {summarize(std::move(times)), median_interval(sorted, rule.confidence), stop};
}

}  // namespace

Result<AdaptiveMeasurement> measure_until(const std::function<Result<double>()>& run,
                                          const StoppingRule& rule) {
  using enum AdaptiveMeasurement::Stop;
  const auto is_hopeless = [&](double seconds) { return rule.hopeless > 0 && seconds > rule.hopeless; };
  double ran = 0;
  bool is_warm = false;  // after a long run, too
  for (std::size_t warm_up = 0; warm_up < rule.warm_ups && !is_warm; ++warm_up) {
    auto seconds = run();
    if (!seconds) return tl::unexpected(std::move(seconds.error()));
    ran += *seconds;
    is_warm = ran >= rule.long_run;
    // The first run may be slow for reasons that do not last, such as a driver that makes room for the values
    // of all work-items that registers do not hold, which takes a tenth of a second and more: unless it is
    // long, and slow by an order of magnitude, the next one decides. A short one never does.
    const bool may_pass = *seconds < rule.short_run ||
                          (warm_up == 0 && (*seconds < rule.long_run || !is_hopeless(*seconds / 10)));
    if (!may_pass && is_hopeless(*seconds)) return concluded({*seconds}, rule, Hopeless);
  }
  std::vector<double> times, sorted;
  double spent = 0;
  while (times.size() < std::max<std::size_t>(rule.most, 1)) {
    auto seconds = run();
    if (!seconds) return tl::unexpected(std::move(seconds.error()));
    times.push_back(*seconds);
    sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), *seconds), *seconds);
    spent += *seconds;
    const bool is_told = *seconds >= rule.short_run || times.size() >= rule.least_hopeless;
    if (is_told && is_hopeless(sorted.front())) return concluded(std::move(times), rule, Hopeless);
    if (ran + spent >= rule.longest) break;
    if (times.size() < rule.least) continue;
    if (spent >= rule.seconds) break;
    const MedianInterval interval = median_interval(sorted, rule.confidence);
    if (interval.confidence > 0 && interval.high - interval.low <= rule.width * quantile(sorted, 0.5))
      return concluded(std::move(times), rule, Narrow);
  }
  return concluded(std::move(times), rule, Spent);
}

}  // namespace hoist::runtime
