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

/// Each column from 0 to 1, its least and its greatest number among the rows that it was made from (min-max
/// scaling). What lies outside of that range later is cut at its ends.
struct RangeScaling {
  std::vector<double> least;
  std::vector<double> most;

  static RangeScaling of(const Matrix& rows);
  /// A column that was constant is 0.
  Matrix apply(const Matrix& rows) const;
};

}  // namespace hoist::learn
