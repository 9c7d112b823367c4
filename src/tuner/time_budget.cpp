#include "tuner/time_budget.hpp"

#include <numeric>
#include <utility>

namespace hoist::tuner {

TimeBudget::TimeBudget(double seconds, std::vector<double> weights, Clock elapsed)
    : seconds_(seconds), weights_(std::move(weights)), elapsed_(std::move(elapsed)) {}

double TimeBudget::share(std::size_t task) const {
  const auto first = weights_.begin() + static_cast<std::ptrdiff_t>(task);
  return left() * weights_[task] / std::accumulate(first, weights_.end(), 0.0);
}

}  // namespace hoist::tuner
