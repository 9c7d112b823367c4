#include "learn/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace hoist::learn {
namespace {

TEST(Statistics, CorrelationsAreThoseOfKnownLists) {
  EXPECT_NEAR(correlation({1, 2, 3, 4}, {2, 4, 6, 8}), 1, 1e-12);
  EXPECT_NEAR(correlation({1, 2, 3, 4}, {-2, -4, -6, -8}), -1, 1e-12);
  EXPECT_NEAR(correlation({1, 2, 3, 4, 5}, {1, 3, 2, 5, 4}), 0.8, 1e-12);
  EXPECT_EQ(correlation({1, 1, 1}, {1, 2, 3}), 0);
  EXPECT_EQ(correlation({}, {}), 0);
  EXPECT_NEAR(rank_correlation({1, 2, 3, 4}, {1, 10, 100, 1000}), 1, 1e-12);
  // With ties: ranks 0.5 0.5 2 3 against 0 1 2 3.
  EXPECT_NEAR(rank_correlation({5, 5, 6, 7}, {1, 2, 3, 4}), 4.5 / std::sqrt(4.5 * 5), 1e-12);
}

TEST(Statistics, MeansAreThoseOfKnownLists) {
  EXPECT_EQ(mean({1, 2, 6}), 3);
  EXPECT_EQ(median({9, 1, 2}), 2);
  EXPECT_EQ(median({9, 1, 2, 4}), 3);
  EXPECT_NEAR(geometric_mean({1, 4, 16}), 4, 1e-12);
  EXPECT_EQ(mean({}) + median({}) + geometric_mean({}), 0);
}

TEST(Statistics, EqualNumbersShareTheMeanOfTheirRanks) {
  EXPECT_EQ(ranks({30, 10, 20, 20, 40}), (std::vector<double>{3, 0, 1.5, 1.5, 4}));
  EXPECT_EQ(ranks({}), std::vector<double>{});
}

TEST(Statistics, RedundancyIsThatOfKnownDistributions) {
  EXPECT_NEAR(redundancy({1, 2, 1, 2}, {5, 7, 5, 7}, 8), 0.5, 1e-12) << "one determines the other";
  EXPECT_NEAR(redundancy({1, 1, 2, 2}, {5, 7, 5, 7}, 8), 0, 1e-12) << "independent";
  EXPECT_EQ(redundancy({1, 1, 1, 1}, {5, 7, 5, 7}, 8), 0) << "a constant says nothing";
  // I = H(X) = 1 bit of H(Y) = 2 bits: 1 / 3.
  EXPECT_NEAR(redundancy({1, 1, 2, 2}, {1, 2, 3, 4}, 8), 1.0 / 3, 1e-12);
  // The same through bins: 1000 different values in 2 bins are the halves.
  std::vector<double> halves, values;
  for (int i = 0; i < 1000; ++i) {
    halves.push_back(i < 500 ? 0 : 1);
    values.push_back(std::exp(0.01 * i));
  }
  EXPECT_NEAR(redundancy(halves, values, 2), 0.5, 1e-12);
  EXPECT_NEAR(redundancy(halves, values, 4), 1.0 / 3, 1e-12);
}

}  // namespace
}  // namespace hoist::learn
