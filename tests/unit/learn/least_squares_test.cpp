// Fits of formulas whose numbers are known, and of what outliers and beliefs do to them.
#include "learn/least_squares.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace hoist::learn {
namespace {

/// a exp(-b x) + c at some places.
std::vector<double> decay(double a, double b, double c) {
  std::vector<double> values;
  for (int i = 0; i < 30; ++i) values.push_back(a * std::exp(-b * i / 5.0) + c);
  return values;
}

LeastSquares problem_of(const std::vector<double>& observed, double belief) {
  LeastSquares problem;
  problem.errors = [observed](std::span<const double> numbers) {
    std::vector<double> errors = decay(numbers[0], numbers[1], numbers[2]);
    for (std::size_t i = 0; i < errors.size(); ++i) errors[i] -= observed[i];
    return errors;
  };
  problem.weights.assign(observed.size(), 1);
  problem.huber = 0.1;
  problem.means = {1, 1, 0};
  problem.deviations.assign(3, belief);
  return problem;
}

TEST(LeastSquares, FindTheNumbersOfAFormula) {
  const std::vector<double> numbers = fitted(problem_of(decay(3, 0.4, -1), 1e6));
  EXPECT_THAT(numbers, testing::Pointwise(testing::DoubleNear(1e-3), {3.0, 0.4, -1.0}));
}

/// The squares would move by a tenth of the outliers and more.
TEST(LeastSquares, HardlyFollowOutliers) {
  std::vector<double> observed = decay(3, 0.4, -1);
  observed[3] += 20;
  observed[17] += 20;
  const std::vector<double> numbers = fitted(problem_of(observed, 1e6));
  EXPECT_THAT(numbers, testing::Pointwise(testing::DoubleNear(0.15), {3.0, 0.4, -1.0}));
}

/// The mean of ten observations that say 2, and of a belief that says 0.
/// / 0.5^2.
TEST(LeastSquares, WeighWhatIsBelievedBeforehand) {
  LeastSquares line;
  line.errors = [](std::span<const double> numbers) { return std::vector<double>(10, numbers[0] - 2); };
  line.weights.assign(10, 1);
  line.huber = 100;
  line.means = {0};
  line.deviations = {5};
  EXPECT_NEAR(fitted(line)[0], 2 * (10 / 1e4) / (10 / 1e4 + 1 / 25.0), 1e-5);
  line.weights.assign(10, 0);
  EXPECT_EQ(fitted(line)[0], 0) << "nothing was observed";
}

}  // namespace
}  // namespace hoist::learn
