// Cross-validation and stacking: what learners are worth on what they have not seen.
#include <gmock/gmock.h>

#include <cmath>

#include "learn/cross_validation.hpp"
#include "learn/stacking.hpp"

namespace hoist::learn {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Not;
using testing::SizeIs;

TEST(Folds, LeaveEachExampleOutOnceWithAllThatBelongsToIt) {
  // Group 40 has three examples, others two or one.
  const std::vector<std::uint32_t> groups = {40, 7, 40, 9, 9, 7, 40, 1, 2, 3, 3};
  Random random(4);
  const std::vector<Fold> folds = folds_of(groups, 4, random);
  ASSERT_THAT(folds, SizeIs(4));
  std::vector<int> left_out(groups.size());
  for (const Fold& fold : folds) {
    EXPECT_EQ(fold.seen.size() + fold.left_out.size(), groups.size());
    for (const std::uint32_t out : fold.left_out) {
      ++left_out[out];
      for (const std::uint32_t seen : fold.seen) EXPECT_NE(groups[out], groups[seen]);
    }
  }
  EXPECT_THAT(left_out, Each(1));
}

TEST(Folds, AreNoMoreThanThereAreGroups) {
  Random random(4);
  EXPECT_THAT(folds_of({5, 5, 6}, 5, random), SizeIs(2));
  EXPECT_EQ(count_different({5, 5, 6}), 2U);
}

TEST(Folds, AreDealtBySeed) {
  std::vector<std::uint32_t> groups;
  for (std::uint32_t i = 0; i < 30; ++i) groups.push_back(i);
  const auto first = [&](std::uint64_t seed) {
    Random random(seed);
    return folds_of(groups, 5, random).front().left_out;
  };
  EXPECT_EQ(first(1), first(1));
  EXPECT_NE(first(1), first(2));
  EXPECT_THAT(first(1), SizeIs(6));
}

/// Two learners of which the targets are a sum.
TEST(Stack, FindsHowMuchEachLearnerCounts) {
  const std::vector<std::vector<double>> unseen = {{1, 2, 3, 4, 5, 6}, {1, -1, 2, -2, 0, 0}};
  std::vector<double> targets;
  for (std::size_t i = 0; i < 6; ++i) targets.push_back(2 * unseen[0][i] + 0.5 * unseen[1][i] + 7);
  const Stack stack = Stack::of(unseen, targets, std::vector<double>(6, 1.0));
  EXPECT_NEAR(stack.weights[0], 2, 0.01);
  EXPECT_NEAR(stack.weights[1], 0.5, 0.01);
  EXPECT_NEAR(stack.constant, 7, 0.05);
}

TEST(Stack, ALearnerThatIsWrongTheOtherWayDoesNotCount) {
  const Stack stack = Stack::of({{1, 2, 3, 4}, {4, 3, 2, 1}}, {1, 2, 3, 4}, std::vector<double>(4, 1.0));
  EXPECT_NEAR(stack.weights[0], 1, 0.01);
  EXPECT_EQ(stack.weights[1], 0);
}

TEST(Stack, ExamplesCountByTheirShares) {
  // The learner is right of the first four, which count, and says nothing of the last four, which do not.
  const std::vector<std::vector<double>> unseen = {{1, 2, 3, 4, 1, 2, 3, 4}};
  const std::vector<double> targets = {1, 2, 3, 4, 4, 3, 2, 1};
  const Stack right = Stack::of(unseen, targets, {1.99, 1.99, 1.99, 1.99, 0.01, 0.01, 0.01, 0.01});
  EXPECT_NEAR(right.weights[0], 1, 0.02);
  const Stack torn = Stack::of(unseen, targets, std::vector<double>(8, 1.0));
  EXPECT_LT(torn.weights[0], 0.01);
  EXPECT_NEAR(torn.constant, 2.5, 0.01);
}

TEST(Stack, WhereNobodySaysAnythingAllCountTheSame) {
  const Stack stack = Stack::of({{1, 1, 1}, {2, 2, 2}}, {1, 2, 3}, std::vector<double>(3, 1.0));
  EXPECT_GT(stack.weights[0], 0);
  EXPECT_EQ(stack.weights[0], stack.weights[1]);
  EXPECT_NEAR(stack.constant, 2, 0.01);
}

}  // namespace
}  // namespace hoist::learn
