#include "model/explain.hpp"

#include <algorithm>
#include <cmath>

#include "base/random.hpp"

namespace hoist::model {

namespace {
constexpr int drawn_orders = 32;  ///< and as many backwards
}

Result<std::vector<Contribution>> explain(const Model& model, std::span<const double> candidate,
                                          std::span<const double> other, const Population& population,
                                          std::uint64_t seed) {
  std::vector<std::size_t> different;
  for (std::size_t i = 0; i < candidate.size(); ++i) {
    if (candidate[i] != other[i]) different.push_back(i);
  }
  if (different.empty()) return std::vector<Contribution>{};
  // For each order a walk from the other to the candidate, a feature a step.
  std::vector<std::vector<std::size_t>> orders;
  Random random(seed);
  for (int i = 0; i < drawn_orders; ++i) {
    random.shuffle(different);
    orders.push_back(different);
    orders.emplace_back(different.rbegin(), different.rend());
  }
  Matrix walks;
  for (const auto& order : orders) {
    std::vector<double> row(other.begin(), other.end());
    walks.add(row);
    for (const std::size_t feature : order) {
      row[feature] = candidate[feature];
      walks.add(row);
    }
  }
  const auto predictions = model.predict(walks, population);
  if (!predictions) return tl::unexpected(predictions.error());

  std::vector<Contribution> contributions(candidate.size());
  auto at = predictions->begin();
  for (const auto& order : orders) {
    for (const std::size_t feature : order) {
      const double before = (at++)->mean;
      contributions[feature].value += (at->mean - before) / static_cast<double>(orders.size());
    }
    ++at;
  }
  std::vector<Contribution> result;
  for (const std::size_t feature : different) {
    result.push_back({model.description().schema.features[feature].name, candidate[feature], other[feature],
                      contributions[feature].value});
  }
  std::sort(result.begin(), result.end(), [](const Contribution& a, const Contribution& b) {
    const double size_a = std::abs(a.value), size_b = std::abs(b.value);
    return size_a != size_b ? size_a > size_b : a.feature < b.feature;
  });
  return result;
}

}  // namespace hoist::model
