#pragma once
// Columns on one scale, for learners that compare them.
#include <vector>

#include "base/matrix.hpp"

namespace hoist::learn {

/// Each column with the mean 0 and the standard deviation 1 among the rows that it was made from.
struct Standardization {
  std::vector<double> mean;
  std::vector<double> deviation;  ///< 1 for a column that is constant

  static Standardization of(const Matrix& rows);
  Matrix apply(const Matrix& rows) const;
};

}  // namespace hoist::learn
