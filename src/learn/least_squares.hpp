#pragma once
// Numbers of a formula, fitted to what was observed.
#include <functional>
#include <span>
#include <vector>

namespace hoist::learn {

struct LeastSquares {
  /// Errors for some numbers, always as many and in the same order; finite.
  std::function<std::vector<double>(std::span<const double> numbers)> errors;
  std::vector<double> weights;  ///< how much each error counts; not negative
  double huber = 1;             ///< errors beyond this count linearly, not squared (Huber, 1964)
  /// What is likely of each number beforehand: a normal distribution. The fit begins at its means.
  std::vector<double> means, deviations;
};

/// The numbers of the least loss that is found from the means on: the sum of each error over `huber`,
/// squared, times its weight, and of each number's distance from its mean over its deviation, squared. By
/// Levenberg and Marquardt's method (Marquardt, 1963), slopes by differences.
std::vector<double> fitted(const LeastSquares& problem);

}  // namespace hoist::learn
