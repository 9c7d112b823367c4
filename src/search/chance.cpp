// The chance that a search still finds something better.
#include <algorithm>
#include <cmath>

#include "search/run.hpp"

namespace hoist::search {

namespace {

constexpr std::size_t most_looked_at = 100;  ///< what was proposed long ago tells little of what comes next
constexpr std::size_t fewest = 20;

/// The share of a generalised Pareto distribution beyond `distance`, fitted to distances in ascending order.
double pareto_tail(const std::vector<double>& distances, double distance) {
  const double count = static_cast<double>(distances.size());
  double mean = 0, weighted = 0;  // the moments a0 and a1 of the paper
  for (std::size_t i = 0; i < distances.size(); ++i) {
    mean += distances[i] / count;
    weighted += distances[i] * (count - 1 - static_cast<double>(i)) / (count - 1) / count;
  }
  if (mean <= 0 || mean - 2 * weighted <= 0) return 0;
  const double shape = mean / (mean - 2 * weighted) - 2;
  const double scale = 2 * mean * weighted / (mean - 2 * weighted);
  if (scale <= 0) return 0;
  if (std::abs(shape) < 1e-9) return std::exp(-distance / scale);
  const double base = 1 - shape * distance / scale;
  return base <= 0 ? 0 : std::pow(base, 1 / shape);
}

}  // namespace

double chance_of_better(std::span<const Trial> trials, double margin) {
  if (trials.size() < fewest) return 1;
  double best = std::numeric_limits<double>::infinity();
  std::size_t since = 0;  // trials since the last that was better
  for (const Trial& trial : trials) {
    const double seconds = trial.outcome.seconds.value_or(std::numeric_limits<double>::infinity());
    since = seconds < best * (1 - margin) ? 0 : since + 1;
    best = std::min(best, seconds);
  }
  const auto latest = trials.last(std::min(trials.size(), most_looked_at));
  std::vector<double> times;
  for (const Trial& trial : latest) {
    if (trial.outcome.seconds) times.push_back(std::log(*trial.outcome.seconds));
  }
  const double by_succession = 1 / static_cast<double>(since + 2);
  if (times.size() < fewest) return std::isinf(best) ? 1 : by_succession;
  std::sort(times.begin(), times.end());
  // The threshold is the first that is not of the fastest quarter; distances grow towards faster ones.
  const std::size_t tail = times.size() / 4;
  std::vector<double> distances;
  for (std::size_t i = tail; i > 0; --i) distances.push_back(times[tail] - times[i - 1]);
  const double wanted = times[tail] - (std::log(best) + std::log1p(-margin));
  const double share = static_cast<double>(tail) / static_cast<double>(latest.size());
  return std::max(by_succession, share * pareto_tail(distances, wanted));
}

}  // namespace hoist::search
