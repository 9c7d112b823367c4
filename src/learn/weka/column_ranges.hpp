#pragma once
// The ranges of columns, to which several learners of Weka scale their inputs.
#include <algorithm>
#include <span>
#include <vector>

#include "base/matrix.hpp"

namespace hoist::learn {

struct ColumnRange {
  double least = 0, most = 0;

  void include(double number) {
    least = std::min(least, number);
    most = std::max(most, number);
  }
  bool is_constant() const { return least == most; }
  /// From 0 to 1 inside of the range, and 0 for everything where the range is a single number.
  double scaled(double number) const { return is_constant() ? 0 : (number - least) / (most - least); }
};

/// The range of numbers, of which there is at least one.
inline ColumnRange range_of(std::span<const double> numbers) {
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  return {*least, *most};
}

/// The range of each column among at least one row.
inline std::vector<ColumnRange> column_ranges(const Matrix& rows) {
  std::vector<ColumnRange> ranges;
  for (const double number : rows.row(0)) ranges.push_back({number, number});
  for (std::size_t i = 1; i < rows.count(); ++i) {
    for (std::size_t column = 0; column < rows.width; ++column) ranges[column].include(rows.at(i, column));
  }
  return ranges;
}

}  // namespace hoist::learn
