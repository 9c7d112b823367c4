#include "learn/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace hoist::learn {

namespace {

std::vector<std::size_t> ascending(const std::vector<double>& numbers) {
  std::vector<std::size_t> order(numbers.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return numbers[a] < numbers[b]; });
  return order;
}

/// The bin of each number.
std::vector<std::size_t> binned(const std::vector<double>& numbers, std::size_t bins) {
  const std::vector<std::size_t> order = ascending(numbers);
  std::size_t different = 0;
  for (std::size_t i = 0; i < order.size(); ++i)
    different += i == 0 || numbers[order[i]] != numbers[order[i - 1]] ? 1 : 0;
  std::vector<std::size_t> result(numbers.size());
  std::size_t value = 0;
  for (std::size_t from = 0, to = 0; from < order.size(); from = to, ++value) {
    while (to < order.size() && numbers[order[to]] == numbers[order[from]]) ++to;
    // The bin is that of the middle of the equal values.
    const std::size_t bin = different <= bins ? value : (from + to - 1) / 2 * bins / order.size();
    for (std::size_t i = from; i < to; ++i) result[order[i]] = bin;
  }
  return result;
}

template <class Key>
double entropy(const std::vector<Key>& values) {
  std::map<Key, std::size_t> counts;
  for (const Key& value : values) ++counts[value];
  double sum = 0;
  for (const auto& [value, count] : counts) {
    const double share = static_cast<double>(count) / static_cast<double>(values.size());
    sum -= share * std::log2(share);
  }
  return sum;
}

}  // namespace

std::vector<double> ranks(const std::vector<double>& numbers) {
  const std::vector<std::size_t> order = ascending(numbers);
  std::vector<double> result(numbers.size());
  for (std::size_t from = 0, to = 0; from < order.size(); from = to) {
    while (to < order.size() && numbers[order[to]] == numbers[order[from]]) ++to;
    for (std::size_t i = from; i < to; ++i) result[order[i]] = static_cast<double>(from + to - 1) / 2;
  }
  return result;
}

double mean(const std::vector<double>& numbers) {
  if (numbers.empty()) return 0;
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

double median(std::vector<double> numbers) {
  if (numbers.empty()) return 0;
  std::sort(numbers.begin(), numbers.end());
  return (numbers[(numbers.size() - 1) / 2] + numbers[numbers.size() / 2]) / 2;
}

double geometric_mean(const std::vector<double>& numbers) {
  if (numbers.empty()) return 0;
  double sum = 0;
  for (const double number : numbers) sum += std::log(number);
  return std::exp(sum / static_cast<double>(numbers.size()));
}

double correlation(const std::vector<double>& one, const std::vector<double>& other) {
  const double one_mean = mean(one), other_mean = mean(other);
  double product = 0, one_squares = 0, other_squares = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    product += (one[i] - one_mean) * (other[i] - other_mean);
    one_squares += (one[i] - one_mean) * (one[i] - one_mean);
    other_squares += (other[i] - other_mean) * (other[i] - other_mean);
  }
  const double scale = std::sqrt(one_squares) * std::sqrt(other_squares);
  return scale > 0 ? product / scale : 0;
}

double rank_correlation(const std::vector<double>& one, const std::vector<double>& other) {
  return correlation(ranks(one), ranks(other));
}

double redundancy(const std::vector<double>& one, const std::vector<double>& other, std::size_t bins) {
  const std::vector<std::size_t> first = binned(one, bins), second = binned(other, bins);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < first.size(); ++i) pairs.emplace_back(first[i], second[i]);
  const double entropies = entropy(first) + entropy(second);
  return entropies > 0 ? std::max(entropies - entropy(pairs), 0.0) / entropies : 0;
}

}  // namespace hoist::learn
