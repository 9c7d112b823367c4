#include "learn/column_selection.hpp"

#include <algorithm>
#include <cmath>

#include "learn/statistics.hpp"

namespace hoist::learn {

namespace {

std::vector<double> column_of(const Matrix& rows, std::size_t column) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < rows.count(); ++i) numbers.push_back(rows.at(i, column));
  return numbers;
}

bool is_constant(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [&](double each) { return each == numbers.front(); });
}

}  // namespace

std::vector<std::size_t> uncorrelated_columns(const Matrix& rows, double limit) {
  std::vector<std::size_t> places;
  std::vector<std::vector<double>> kept;
  for (std::size_t column = 0; column < rows.width; ++column) {
    std::vector<double> numbers = column_of(rows, column);
    const auto says_the_same = [&](const std::vector<double>& other) {
      return std::abs(correlation(numbers, other)) > limit;
    };
    if (is_constant(numbers) || std::any_of(kept.begin(), kept.end(), says_the_same)) continue;
    places.push_back(column);
    kept.push_back(std::move(numbers));
  }
  return places;
}

Matrix select_columns(const Matrix& rows, const std::vector<std::size_t>& columns) {
  Matrix result{columns.size(), {}};
  result.numbers.reserve(rows.count() * columns.size());
  for (std::size_t i = 0; i < rows.count(); ++i) {
    for (const std::size_t column : columns) result.numbers.push_back(rows.at(i, column));
  }
  return result;
}

}  // namespace hoist::learn
