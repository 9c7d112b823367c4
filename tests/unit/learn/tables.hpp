#pragma once
// Examples whose answer is known.
#include <functional>
#include <span>
#include <vector>

#include "base/matrix.hpp"
#include "base/random.hpp"
#include "learn/learners.hpp"

namespace hoist::learn::tables {

/// Rows of so many numbers from 0 to 1.
inline Matrix points(std::size_t count, std::size_t width, std::uint64_t seed) {
  Random random(seed);
  Matrix rows{width, {}};
  for (std::size_t i = 0; i < count * width; ++i) rows.numbers.push_back(random.unit());
  return rows;
}

template <class Value>
std::vector<Value> values_of(const Matrix& rows,
                             const std::function<Value(std::span<const double> row)>& function) {
  std::vector<Value> result;
  for (std::size_t i = 0; i < rows.count(); ++i) result.push_back(function(rows.row(i)));
  return result;
}

inline std::vector<double> means(const Regressor& learner, const Matrix& rows) {
  std::vector<double> result;
  for (const Prediction& each : learner.predict(rows)) result.push_back(each.mean);
  return result;
}

}  // namespace hoist::learn::tables
