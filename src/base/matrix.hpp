#pragma once
// Numbers in rows.
#include <cstddef>
#include <span>
#include <vector>

namespace hoist {

/// A table of numbers: a row for each thing, a column for each of its numbers.
struct Matrix {
  std::size_t width = 0;
  std::vector<double> numbers;

  std::size_t count() const { return width == 0 ? 0 : numbers.size() / width; }
  std::span<const double> row(std::size_t i) const { return {numbers.data() + i * width, width}; }
  double at(std::size_t i, std::size_t column) const { return numbers[i * width + column]; }
  void add(std::span<const double> row) {
    width = row.size();
    numbers.insert(numbers.end(), row.begin(), row.end());
  }
};

}  // namespace hoist
