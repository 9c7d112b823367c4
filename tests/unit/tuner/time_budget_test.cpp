#include "tuner/time_budget.hpp"

#include <gtest/gtest.h>

namespace hoist::tuner {
namespace {

TEST(TimeBudget, IsDealtOutByWeights) {
  double now = 0;
  const TimeBudget budget(100, {1, 3, 4}, [&] { return now; });
  EXPECT_DOUBLE_EQ(budget.share(0), 12.5);
  now = 12.5;
  EXPECT_DOUBLE_EQ(budget.share(1), 37.5);
  now = 50;
  EXPECT_DOUBLE_EQ(budget.share(2), 50);
}

TEST(TimeBudget, WhatATaskDoesNotUseGoesToAllThatFollow) {
  double now = 2.5;
  const TimeBudget budget(100, {1, 3, 4}, [&] { return now; });
  // 97.5 seconds to 3 and 4 parts.
  EXPECT_DOUBLE_EQ(budget.share(1), 97.5 * 3 / 7);
  now = 60;
  EXPECT_DOUBLE_EQ(budget.share(2), 40);
}

TEST(TimeBudget, WhatATaskTakesTooMuchTheOthersLack) {
  double now = 80;
  const TimeBudget budget(100, {1, 1, 1}, [&] { return now; });
  EXPECT_DOUBLE_EQ(budget.share(1), 10);
  now = 110;
  EXPECT_DOUBLE_EQ(budget.left(), -10);
  EXPECT_DOUBLE_EQ(budget.share(2), -10);
}

TEST(TimeBudget, BeginsWhenItIsMade) {
  const TimeBudget budget(1000, {1});
  EXPECT_GT(budget.left(), 990);
  EXPECT_LE(budget.left(), 1000);
}

}  // namespace
}  // namespace hoist::tuner
