// Searches on recorded spaces: budgets, the baseline and the score.
#include "search/replay.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "search/strategies.hpp"
#include "unit/search/spaces.hpp"

namespace hoist::search {
namespace {

using testing::ElementsAre;

/// One parameter; its values are the times in milliseconds of which a trial of `cost` seconds each found out.
Recording line(std::size_t count, double cost = 1) {
  Recording recording;
  recording.name = "line";
  recording.parameters = {"x"};
  recording.values.emplace_back();
  for (std::size_t i = 0; i < count; ++i) {
    recording.values[0].push_back(std::to_string(i));
    recording.trials.push_back(
        {{static_cast<std::int64_t>(i)}, Outcome::of_time(1e-3 * static_cast<double>(i + 1), cost)});
  }
  return recording;
}

TEST(Replay, BudgetIsWhereRandomSearchIsExpectedNearTheOptimum) {
  const Replay space(line(199));
  EXPECT_DOUBLE_EQ(space.optimum(), 1e-3);
  EXPECT_DOUBLE_EQ(space.median(), 100e-3);
  // Times up to 1 + 0.05 * 99 = 5.95 ms are near: five of them, so (199 - 5) / (1 + 5) draws, rounded up.
  EXPECT_EQ(space.budget_evaluations(), 33U);
  EXPECT_DOUBLE_EQ(space.budget_seconds(), 33);
  EXPECT_NEAR(space.expected_of_random(0), space.median(), 1.5e-3);
  EXPECT_NEAR(space.expected_of_random(3), 50e-3, 1.5e-3);
  EXPECT_NEAR(space.expected_of_random(33), 6e-3, 1.5e-3);
}

TEST(Replay, FailuresCostRandomSearchTime) {
  Recording recording = line(199);
  for (std::size_t i = 0; i < recording.trials.size(); i += 2)
    recording.trials[i].outcome = Outcome::of_failure(FailureKind::Run, 1);
  const Replay half(std::move(recording));
  const Replay all(line(99));
  EXPECT_EQ(half.times().size(), 99U);
  EXPECT_NEAR(half.budget_seconds(), 2 * all.budget_seconds(), 1);
}

TEST(Replay, RandomSearchScoresNothingAndKnowingAllScoresOne) {
  const Replay space(line(999));
  std::vector<ReplayRun> random, knowing;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    StrategyOptions options;
    options.seed = seed;
    random.push_back(replay(space, *make_random(space.space(), options)));
    knowing.push_back(replay(space, *make_ordered(space.space(), {{0}}, seed)));
  }
  EXPECT_NEAR(summary(space, random).score, 0, 0.05);
  const ReplaySummary best = summary(space, knowing);
  EXPECT_GT(best.score, 0.97);
  EXPECT_LT(best.score, 1);  // until the first evaluation is over nothing is known
  EXPECT_NEAR(best.deviation, 0, 1e-9);
  EXPECT_DOUBLE_EQ(best.by_seconds.back().median, 1);
}

TEST(Replay, CurvesFallAndStepsAreTheBestSoFar) {
  const Replay space(line(199, 2));
  const auto strategy = make_ordered(space.space(), {{50}, {70}, {10}, {0}}, 1);
  const ReplayRun run = replay(space, *strategy);
  ASSERT_EQ(run.steps.size(), 3U);
  EXPECT_EQ(run.steps[1].evaluation, 3U);
  EXPECT_DOUBLE_EQ(run.steps[1].seconds, 6);
  EXPECT_EQ(run.rank_at(5.9, 99), 50U);
  EXPECT_EQ(run.rank_at(1.9, 99), 99U);
  EXPECT_EQ(run.rank_after(4, 99), 0U);
}

std::vector<Configuration> order_of(const std::vector<Expected>& expected) {
  std::vector<Configuration> order;
  for (const Expected& each : expected) order.push_back(each.configuration);
  return order;
}

TEST(Transfer, ExpectsTheMeanLogarithmOfSlowdowns) {
  const Recording target = line(2);
  Recording one = line(2), other = line(2);
  one.trials[0].outcome = Outcome::of_time(2, 1);
  one.trials[1].outcome = Outcome::of_time(4, 1);
  other.trials[0].outcome = Outcome::of_time(8, 1);
  other.trials[1].outcome = Outcome::of_time(1, 1);
  const std::vector<Expected> expected = transfer_expectations(target, {&one, &other});
  ASSERT_EQ(expected.size(), 2U);
  EXPECT_EQ(expected[0].configuration, Configuration{1});
  EXPECT_NEAR(expected[0].log_seconds, std::log(2.0) / 2, 1e-12);
  EXPECT_NEAR(expected[1].log_seconds, std::log(8.0) / 2, 1e-12);
}

TEST(Transfer, OrdersByTheMeanSlowdownElsewhere) {
  const Recording target = line(5);
  Recording other = line(5);
  for (std::size_t i = 0; i < 5; ++i)
    other.trials[i].outcome = Outcome::of_time(i == 2 ? 1 : 2 + static_cast<double>(i), 1);
  other.trials[0].outcome = Outcome::of_failure(FailureKind::Run, 1);
  EXPECT_THAT(
      order_of(transfer_expectations(target, {&other})),
      ElementsAre(Configuration{2}, Configuration{1}, Configuration{3}, Configuration{4}, Configuration{0}));
  other.parameters = {"y"};
  EXPECT_TRUE(transfer_expectations(target, {&other}).empty());
}

TEST(Transfer, ParametersMayComeInAnotherOrder) {
  Recording target, other;
  target.parameters = {"a", "b"};
  other.parameters = {"b", "a"};
  target.values = {{"1", "2"}, {"1", "2"}};
  other.values = target.values;
  for (const std::int64_t a : {0, 1}) {
    for (const std::int64_t b : {0, 1}) {
      target.trials.push_back({{a, b}, Outcome::of_time(1, 1)});
      other.trials.push_back({{b, a}, Outcome::of_time(1 + static_cast<double>(2 * a + b), 1)});
    }
  }
  EXPECT_THAT(
      order_of(transfer_expectations(target, {&other})),
      ElementsAre(Configuration{0, 0}, Configuration{0, 1}, Configuration{1, 0}, Configuration{1, 1}));
}

}  // namespace
}  // namespace hoist::search
