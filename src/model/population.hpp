#pragma once
// The candidates that one competes with.
#include "base/matrix.hpp"

namespace hoist::model {

/// What the features of a task's candidates are on the whole: a number says more by comparison with its like,
/// since what is much for one program is little for another.
struct Population {
  std::vector<double> middle;  ///< the median of each feature
  std::vector<double> least;

  /// The population of these candidates, of which there is at least one.
  static Population of(const Matrix& candidates);
};

}  // namespace hoist::model
