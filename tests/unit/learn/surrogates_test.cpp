// Learners that guide a search: what they predict, and what they say of how wrong that may be.
#include <gmock/gmock.h>

#include <cmath>

#include "base/random.hpp"
#include "learn/forest.hpp"
#include "learn/gaussian_process.hpp"
#include "learn/triangle.hpp"

namespace hoist::learn {
namespace {

double truth(std::span<const double> x) { return 3 * x[0] + std::sin(5 * x[1]) + (x[2] > 0.5 ? 1 : 0); }

/// Random points of four numbers, the last of which means nothing.
Matrix points(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  Matrix rows;
  for (std::size_t i = 0; i < count; ++i)
    rows.add(std::vector<double>{random.unit(), random.unit(), random.unit(), random.unit()});
  return rows;
}
std::vector<double> values(const Matrix& rows) {
  std::vector<double> result;
  for (std::size_t i = 0; i < rows.count(); ++i) result.push_back(truth(rows.row(i)));
  return result;
}
Examples examples(const Matrix& rows) { return {rows, values(rows)}; }

/// The share of the values' variance that predictions leave.
double error_share(const Regressor& predictor) {
  const Matrix rows = points(500, 99);
  const std::vector<double> right = values(rows);
  const std::vector<Prediction> predicted = predictor.predict(rows);
  double mean = 0, variance = 0, error = 0;
  for (const double value : right) mean += value / static_cast<double>(right.size());
  for (std::size_t i = 0; i < right.size(); ++i) {
    variance += std::pow(right[i] - mean, 2);
    error += std::pow(predicted[i].mean - right[i], 2);
  }
  return error / variance;
}

TEST(GaussianProcess, LearnsAndKnowsWhatItDoesNotKnow) {
  const auto predictor = make_gaussian_process();
  const Matrix rows = points(150, 1);
  predictor->fit(examples(rows));
  EXPECT_LT(error_share(*predictor), 0.1);
  const std::vector<Prediction> at_known = predictor->predict(rows);
  Matrix far;
  far.add(std::vector<double>{9, 9, 9, 9});
  EXPECT_LT(at_known[0].deviation, 0.3 * predictor->predict(far)[0].deviation);
}

TEST(GaussianProcess, IsTheSameWhetherItGrewOrNot) {
  const Matrix all = points(60, 2);
  const std::vector<double> right = values(all);
  const auto grown = make_gaussian_process(), again = make_gaussian_process();
  Matrix some;
  std::vector<double> known;
  for (std::size_t i = 0; i < all.count(); ++i) {
    some.add(all.row(i));
    known.push_back(right[i]);
    if (i >= 1) grown->fit({some, known});
  }
  // Another order than before makes it begin anew, with the scales that it has.
  for (std::size_t i = 2; i < all.count(); ++i)
    again->fit({{4, {all.numbers.begin(), all.numbers.begin() + static_cast<std::ptrdiff_t>(4 * (i + 1))}},
                {right.begin(), right.begin() + static_cast<std::ptrdiff_t>(i + 1)}});
  EXPECT_LT(error_share(*grown), 0.2);
  EXPECT_NEAR(grown->predict(all)[7].mean, again->predict(all)[7].mean, 0.05);
}

TEST(GaussianProcess, OutlineHasTheMeansAndNoSmallerDeviations) {
  const auto predictor = make_gaussian_process();
  const Matrix rows = points(80, 3), others = points(100, 4);
  predictor->fit(examples(rows));
  const std::vector<Prediction> exact = predictor->predict(others), outlined = predictor->outline(others);
  for (std::size_t i = 0; i < exact.size(); ++i) {
    EXPECT_NEAR(outlined[i].mean, exact[i].mean, 1e-9);
    EXPECT_GE(outlined[i].deviation, exact[i].deviation - 1e-9);
  }
}

TEST(GaussianProcess, WhatIsAwaitedNarrowsDeviationsAndMovesNoMean) {
  const auto predictor = make_gaussian_process();
  const Matrix rows = points(40, 5), awaited = points(10, 6), others = points(100, 7);
  predictor->fit(examples(rows));
  const std::vector<Prediction> before = predictor->predict(others), there = predictor->predict(awaited);
  predictor->await(awaited);
  const std::vector<Prediction> after = predictor->predict(others), narrowed = predictor->predict(awaited);
  for (std::size_t i = 0; i < others.count(); ++i) {
    EXPECT_NEAR(after[i].mean, before[i].mean, 1e-9);
    EXPECT_LE(after[i].deviation, before[i].deviation + 1e-9);
  }
  for (std::size_t i = 0; i < awaited.count(); ++i)
    EXPECT_LT(narrowed[i].deviation, 0.8 * there[i].deviation);
  predictor->fit(examples(rows));
  EXPECT_NEAR(predictor->predict(others)[0].deviation, before[0].deviation, 1e-9);
}

TEST(GaussianProcess, TakesTheSameRowTwiceAndValuesThatAreAllEqual) {
  const auto predictor = make_gaussian_process();
  Matrix rows;
  for (int i = 0; i < 12; ++i) rows.add(std::vector<double>{0.5, 0.5});
  predictor->fit({rows, std::vector<double>(12, 3.0)});
  EXPECT_NEAR(predictor->predict(rows)[0].mean, 3, 1e-6);
}

TEST(Forest, LearnsAndIsTheSameForASeed) {
  const Matrix rows = points(300, 1);
  const auto predictor = make_forest(5), again = make_forest(5);
  predictor->fit(examples(rows));
  again->fit(examples(rows));
  EXPECT_LT(error_share(*predictor), 0.2);
  EXPECT_EQ(predictor->predict(rows)[3].mean, again->predict(rows)[3].mean);
}

TEST(Triangle, SolvesAndGivesTheDeterminant) {
  // [[4, 2], [2, 5]] has the determinant 16.
  Triangle triangle;
  EXPECT_TRUE(triangle.append({9}));
  triangle.shrink(0);
  EXPECT_TRUE(triangle.append({4}));
  EXPECT_TRUE(triangle.append({2, 5}));
  EXPECT_NEAR(triangle.log_determinant(), std::log(16), 1e-12);
  std::vector<double> x{8, 12};
  triangle.solve(x.data());
  triangle.solve_transposed(x.data());
  EXPECT_NEAR(x[0], 1, 1e-12);
  EXPECT_NEAR(x[1], 2, 1e-12);
  EXPECT_FALSE(triangle.append({4, 2, 1}));
  EXPECT_EQ(triangle.size(), 2U);
}

}  // namespace
}  // namespace hoist::learn
