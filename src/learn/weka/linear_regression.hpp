#pragma once
// Linear regression as Weka does it: it chooses the columns that count.
#include <span>
#include <vector>

#include "learn/learners.hpp"

namespace hoist::learn {

struct LinearModel {
  std::vector<double> coefficients;  ///< of each column; 0 where it does not count
  double intercept = 0;

  double at(std::span<const double> row) const;
};

/// Ridge regression with the defaults of Weka 3.6.14's LinearRegression. The inputs are centred and scaled to
/// a deviation of 1, and the ridge is 1e-8. As long as a column has a coefficient of more than 1.5 deviations
/// of the targets, the one with the greatest is left out, since it is nearly a linear combination of others.
/// Then M5's selection (Quinlan: Learning with continuous classes, 1992): the column with the smallest
/// coefficient is left out as long as Akaike's criterion improves. `columns` are those to choose from,
/// ascending.
LinearModel fit_linear_model(const Examples& examples, const std::vector<std::size_t>& columns);

/// The same for all columns, as a learner.
std::unique_ptr<StoredRegressor> make_linear_regression();

}  // namespace hoist::learn
