#pragma once
// Which features make a candidate look fast or slow.
#include "model/model.hpp"

namespace hoist::model {

/// What one feature adds to the difference of two predictions.
struct Contribution {
  std::string feature;
  double candidate = 0, other = 0;  ///< the feature's value in each
  double value = 0;                 ///< positive: it makes the candidate faster than the other
};

/// Divides predicted mean of `candidate` less that of `other` among the features in which they differ; by
/// falling size. Shapley values over drawn orders (Štrumbelj and Kononenko, 2014), so the contributions add
/// up to the difference.
Result<std::vector<Contribution>> explain(const Model& model, std::span<const double> candidate,
                                          std::span<const double> other, const Population& population,
                                          std::uint64_t seed);

}  // namespace hoist::model
