#include "search/sampled_space.hpp"

#include <algorithm>
#include <cmath>

namespace hoist::search {

namespace {

constexpr std::size_t neighbour_count = 4;

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return sum;
}

}  // namespace

SampledSpace::SampledSpace(const std::vector<Configuration>& configurations) : ListedSpace(configurations) {
  std::vector<std::vector<double>> numbers;
  for (const Configuration& each : configurations) numbers.push_back(features(each));
  for (std::size_t here = 0; here < numbers.size(); ++here) {
    std::vector<std::pair<double, std::size_t>> others;
    for (std::size_t other = 0; other < numbers.size(); ++other) {
      if (other != here) others.emplace_back(distance(numbers[here], numbers[other]), other);
    }
    const auto count = static_cast<std::ptrdiff_t>(std::min(neighbour_count, others.size()));
    std::partial_sort(others.begin(), others.begin() + count, others.end());
    nearest_.emplace_back();
    for (auto each = others.begin(); each != others.begin() + count; ++each)
      nearest_.back().push_back(each->second);
  }
}

std::vector<Configuration> SampledSpace::neighbours(const Configuration& configuration) const {
  std::vector<Configuration> found;
  for (const std::size_t each : nearest_[rank(configuration)]) found.push_back(at(each));
  return found;
}

}  // namespace hoist::search
