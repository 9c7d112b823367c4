#include "learn/neighbours.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "unit/learn/tables.hpp"

namespace hoist::learn {
namespace {

TEST(Neighbours, TheMeanAndTheDeviationAreThoseOfTheNearest) {
  const auto learner = make_neighbours(3);
  learner->fit({{1, {0, 1, 2, 10, 11}}, {1, 2, 6, 40, 80}});
  const Matrix rows{1, {0.9, 12}};
  const std::vector<Prediction> found = learner->predict(rows);
  EXPECT_DOUBLE_EQ(found[0].mean, 3);
  EXPECT_DOUBLE_EQ(found[0].deviation, std::sqrt((4.0 + 1 + 9) / 3));
  EXPECT_DOUBLE_EQ(found[1].mean, (6 + 40 + 80) / 3.0);
}

/// The search goes outwards along the first column and ends early; it must find what looking at all finds.
TEST(Neighbours, TheSearchIsExact) {
  const Matrix known = tables::points(500, 3, 1), rows = tables::points(100, 3, 2);
  Examples examples{known, {}};
  for (int i = 0; i < 500; ++i) examples.targets.push_back(i);
  const auto learner = make_neighbours(5);
  learner->fit(examples);
  const std::vector<Prediction> found = learner->predict(rows);
  for (std::size_t i = 0; i < rows.count(); ++i) {
    std::vector<std::pair<double, int>> all;
    for (int k = 0; k < 500; ++k) {
      double distance = 0;
      for (std::size_t c = 0; c < 3; ++c)
        distance += std::pow(rows.at(i, c) - known.at(static_cast<std::size_t>(k), c), 2);
      all.emplace_back(distance, k);
    }
    std::sort(all.begin(), all.end());
    double sum = 0;
    for (int k = 0; k < 5; ++k) sum += all[static_cast<std::size_t>(k)].second;
    EXPECT_DOUBLE_EQ(found[i].mean, sum / 5);
  }
}

TEST(Neighbours, FewerExamplesThanAskedForAreAllNear) {
  const auto learner = make_neighbours(5);
  learner->fit({{1, {0, 9}}, {1, 3}});
  EXPECT_DOUBLE_EQ(learner->predict({1, {4}})[0].mean, 2);
}

TEST(Neighbours, ThatDoNotFitAreRefused) {
  const auto learner = make_neighbours(5);
  EXPECT_FALSE(learner->from_json({{"points", {1, 2, 3}}, {"targets", {1, 2}}}, 2));
  EXPECT_FALSE(learner->from_json({{"points", Json::array()}, {"targets", Json::array()}}, 2));
}

}  // namespace
}  // namespace hoist::learn
