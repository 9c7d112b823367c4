// When a search ends.
#include "search/run.hpp"

#include <gmock/gmock.h>

#include "search/strategies.hpp"
#include "unit/search/spaces.hpp"

namespace hoist::search {
namespace {

const ListedSpace space(bowl_configurations());

std::unique_ptr<Strategy> made(const std::string& name) { return std::move(*make_strategy(name, space, {})); }

TEST(Run, EndsWhenEvaluationsAreUsedUp) {
  const auto strategy = made("random");
  Budget budget;
  budget.evaluations = 25;
  budget.batch = 10;
  const RunResult result = run(*strategy, bowl_trials, budget);
  EXPECT_EQ(result.ending, Ending::Evaluations);
  EXPECT_EQ(result.evaluations, 25U);
  EXPECT_EQ(strategy->history().trials().size(), 25U);
}

TEST(Run, EndsWhenTheTimeIsUsedUp) {
  const auto strategy = made("random");
  Budget budget;
  budget.seconds = 30;
  const RunResult result = run(*strategy, bowl_trials, budget);
  EXPECT_EQ(result.ending, Ending::Seconds);
  EXPECT_GE(result.cost + result.proposing, 30);
  EXPECT_LE(result.cost, 31);
}

TEST(Run, EndsWhenInterruptedAndWhenNothingIsLeft) {
  const auto strategy = made("random");
  Budget budget;
  budget.batch = 4;
  const auto interrupted = [](std::span<const Configuration> asked) { return bowl_trials(asked.first(2)); };
  EXPECT_EQ(run(*strategy, interrupted, budget).ending, Ending::Interrupted);
  EXPECT_EQ(strategy->history().trials().size(), 2U);
  EXPECT_EQ(run(*made("exhaustive"), bowl_trials, budget).ending, Ending::Exhausted);
}

TEST(Run, EndsWhenABetterOneIsTooUnlikely) {
  const auto strategy = made("model");
  Budget budget;
  budget.chance = 0.01;
  budget.evaluations = 2000;
  const RunResult result = run(*strategy, bowl_trials, budget);
  EXPECT_EQ(result.ending, Ending::Chance);
  EXPECT_EQ(strategy->history().best()->configuration, bowl_optimum);
}

TEST(Chance, OfRandomDrawsIsHowOftenTheyAreBetter) {
  // Logarithms of times that are uniform: one more draw of 200 is better by the margin in about (1/200 - ...)
  // of cases.
  double estimated = 0, observed = 0;
  constexpr int repetitions = 300;
  Random random(7);
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    std::vector<Trial> trials;
    double best = 1;
    for (int i = 0; i < 100; ++i) {
      const double log_time = random.unit();
      best = std::min(best, log_time);
      trials.push_back({{i}, Outcome::of_time(std::exp(log_time), 1)});
    }
    estimated += chance_of_better(trials, 0) / repetitions;
    observed += best / repetitions;  // the exact chance of the next draw
  }
  EXPECT_GE(estimated, observed);
  EXPECT_LE(estimated, 6 * observed);
}

TEST(Chance, IsOneBeforeThereIsEnoughAndFailuresAreNotBetter) {
  std::vector<Trial> trials;
  for (int i = 0; i < 19; ++i) trials.push_back({{i}, Outcome::of_time(1 + i, 1)});
  EXPECT_EQ(chance_of_better(trials), 1);
  EXPECT_EQ(trials.size(), 19U);
  for (int i = 0; i < 100; ++i) trials.push_back({{100 + i}, Outcome::of_time(2 + i, 1)});
  EXPECT_LT(chance_of_better(trials), 0.02);
  std::vector<Trial> failing;
  for (int i = 0; i < 50; ++i) failing.push_back({{i}, Outcome::of_failure(FailureKind::Run, 1)});
  EXPECT_EQ(chance_of_better(failing), 1);
}

}  // namespace
}  // namespace hoist::search
