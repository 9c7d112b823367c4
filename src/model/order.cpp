#include "model/order.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "base/random.hpp"

namespace hoist::model {

namespace {

double least(const std::vector<double>& seconds) {
  double result = std::numeric_limits<double>::infinity();
  for (const double each : seconds) result = each < result ? each : result;
  return result;
}

/// Throughputs over the best, greatest first; failed ones have none.
std::vector<double> throughputs(const std::vector<double>& seconds) {
  const double best = least(seconds);
  std::vector<double> result;
  for (const double each : seconds) result.push_back(each > 0 ? best / each : 0);
  std::sort(result.begin(), result.end(), std::greater<>());
  return result;
}

/// The expected greatest of `runs` numbers drawn without replacement. The probability that it is the i-th of
/// the falling order is that of the one before times (n - i - runs + 1) / (n - i).
double expected_greatest(const std::vector<double>& falling, std::size_t runs) {
  const auto count = static_cast<double>(falling.size());
  double chance = static_cast<double>(runs) / count, sum = 0;
  for (std::size_t i = 0; i + runs <= falling.size(); ++i) {
    sum += chance * falling[i];
    const double left = count - static_cast<double>(i) - 1;
    if (left > 0) chance *= (left - static_cast<double>(runs) + 1) / left;
  }
  return sum;
}

std::vector<std::size_t> counts_of_curve(std::size_t all) {
  constexpr std::size_t each_until = 10, steps = 4;
  std::vector<std::size_t> counts;
  for (std::size_t count = 1; count < all; count += count < each_until ? 1 : count / steps)
    counts.push_back(count);
  counts.push_back(all);
  return counts;
}

}  // namespace

Reach reach_in_order(const std::vector<double>& seconds, const std::vector<std::uint32_t>& order,
                     double share) {
  const double best = least(seconds);
  Reach reach;
  for (const std::uint32_t place : order) {
    ++reach.runs;
    if (!(seconds[place] > 0)) continue;
    reach.seconds += seconds[place];
    if (best / seconds[place] >= share) break;
  }
  return reach;
}

Reach reach_at_random(const std::vector<double>& seconds, double share) {
  const double best = least(seconds);
  double good = 0, good_seconds = 0, other_seconds = 0;
  for (const double each : seconds) {
    if (!(each > 0)) continue;
    const bool is_good = best / each >= share;
    good += is_good ? 1 : 0;
    (is_good ? good_seconds : other_seconds) += each;
  }
  // Each of the others comes before all good ones with the chance 1 / (good + 1).
  return {(static_cast<double>(seconds.size()) + 1) / (good + 1),
          other_seconds / (good + 1) + good_seconds / good};
}

std::vector<CurvePoint> best_so_far(const std::vector<double>& seconds,
                                    const std::vector<std::uint32_t>& order) {
  const double best = least(seconds);
  const std::vector<double> falling = throughputs(seconds);
  std::vector<CurvePoint> curve;
  double greatest = 0;
  std::size_t runs = 0;
  for (const std::size_t count : counts_of_curve(order.size())) {
    for (; runs < count; ++runs) {
      const double time = seconds[order[runs]];
      if (time > 0) greatest = std::max(greatest, best / time);
    }
    curve.push_back({count, greatest, expected_greatest(falling, count)});
  }
  return curve;
}

std::vector<std::uint32_t> order_by(const std::vector<double>& scores, std::uint64_t seed) {
  std::vector<std::uint32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0U);
  Random random(seed);
  random.shuffle(order);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return scores[a] > scores[b]; });
  return order;
}

}  // namespace hoist::model
