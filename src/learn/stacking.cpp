#include "learn/stacking.hpp"

#include <algorithm>

namespace hoist::learn {

namespace {

/// The weighted covariance of two lists; the mean of the weights (`shares`) is 1.
double covariance(const std::vector<double>& one, const std::vector<double>& other,
                  const std::vector<double>& shares) {
  double one_sum = 0, other_sum = 0, products = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    one_sum += shares[i] * one[i];
    other_sum += shares[i] * other[i];
    products += shares[i] * one[i] * other[i];
  }
  const auto rows = static_cast<double>(one.size());
  return products / rows - one_sum / rows * (other_sum / rows);
}

}  // namespace

Stack Stack::of(const std::vector<std::vector<double>>& unseen, const std::vector<double>& targets,
                const std::vector<double>& shares) {
  constexpr int rounds = 1000;
  constexpr double shrinking = 1e-3, little = 1e-3;
  const std::size_t learners = unseen.size();
  std::vector<std::vector<double>> among(learners);
  std::vector<double> with_targets, weights(learners, 0.0);
  for (std::size_t k = 0; k < learners; ++k) {
    for (std::size_t other = 0; other < learners; ++other)
      among[k].push_back(covariance(unseen[k], unseen[other], shares));
    with_targets.push_back(covariance(unseen[k], targets, shares));
  }
  // One weight at a time until they stay.
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t k = 0; k < learners; ++k) {
      double rest = with_targets[k] + among[k][k] * weights[k];
      for (std::size_t other = 0; other < learners; ++other) rest -= among[k][other] * weights[other];
      weights[k] = among[k][k] > 0 ? std::max(rest / (among[k][k] * (1 + shrinking)), 0.0) : 0.0;
    }
  }
  if (std::all_of(weights.begin(), weights.end(), [](double each) { return each < little; }))
    weights.assign(learners, little);
  Stack result{weights, 0};
  for (std::size_t i = 0; i < targets.size(); ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < learners; ++k) sum += weights[k] * unseen[k][i];
    result.constant += shares[i] * (targets[i] - sum) / static_cast<double>(targets.size());
  }
  return result;
}

}  // namespace hoist::learn
