// Every strategy on small spaces: what all of them owe, and what each is for.
#include <gmock/gmock.h>

#include <set>

#include "search/strategies.hpp"
#include "unit/search/spaces.hpp"

namespace hoist::search {
namespace {

using testing::Ge;
using testing::Le;

std::unique_ptr<Strategy> made(const std::string& name, const Space& space, std::uint64_t seed) {
  StrategyOptions options;
  options.seed = seed;
  auto strategy = make_strategy(name, space, options);
  EXPECT_TRUE(strategy) << name;
  return std::move(*strategy);
}

std::vector<Configuration> tried(Strategy& strategy, std::size_t evaluations, std::size_t batch = 1) {
  Budget budget;
  budget.evaluations = evaluations;
  budget.batch = batch;
  std::vector<Configuration> all;
  run(
      strategy,
      [&](std::span<const Configuration> asked) {
        all.insert(all.end(), asked.begin(), asked.end());
        return bowl_trials(asked);
      },
      budget);
  return all;
}

class EveryStrategy : public testing::TestWithParam<std::string> {
 protected:
  const ListedSpace space{bowl_configurations()};
};

TEST_P(EveryStrategy, ProposesNothingTwiceAndOnlyWhatTheSpaceHas) {
  for (const std::size_t batch : {1U, 7U}) {
    const auto strategy = made(GetParam(), space, 3);
    const std::vector<Configuration> all = tried(*strategy, 70, batch);
    EXPECT_EQ(all.size(), 70U);
    EXPECT_EQ(std::set(all.begin(), all.end()).size(), all.size());
    for (const Configuration& each : all) EXPECT_TRUE(space.contains(each));
  }
}

TEST_P(EveryStrategy, IsTheSameForASeedAndDiffersForAnother) {
  EXPECT_EQ(tried(*made(GetParam(), space, 5), 30), tried(*made(GetParam(), space, 5), 30));
  if (GetParam() == "exhaustive") return;
  EXPECT_NE(tried(*made(GetParam(), space, 5), 30), tried(*made(GetParam(), space, 6), 30));
}

TEST_P(EveryStrategy, TriesAllWhereThereIsTime) {
  std::vector<Configuration> few;
  for (std::int64_t i = 0; i < 60; ++i) few.push_back({i / 10, i % 10, 5, 3});
  const ListedSpace small(few);
  const auto strategy = made(GetParam(), small, 1);
  const std::vector<Configuration> all = tried(*strategy, 1000, 4);
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), few.size());
  EXPECT_TRUE(strategy->propose(1).empty());
}

TEST_P(EveryStrategy, TakesWhatItDidNotProposeAndDoesNotAskForItAgain) {
  const auto earlier = made("random", space, 9);
  const std::vector<Trial> known = bowl_trials(tried(*earlier, 40));
  const auto strategy = made(GetParam(), space, 2);
  strategy->report(known);
  strategy->report(known);  // told twice, learned once
  EXPECT_EQ(strategy->history().trials().size(), known.size());
  ASSERT_NE(strategy->history().best(), nullptr);
  for (const Configuration& each : tried(*strategy, 30)) EXPECT_EQ(earlier->history().outcome(each), nullptr);
}

TEST_P(EveryStrategy, GoesOnWhereEverythingFails) {
  const auto strategy = made(GetParam(), space, 4);
  for (int i = 0; i < 15; ++i) {
    const std::vector<Configuration> asked = strategy->propose(3);
    ASSERT_EQ(asked.size(), 3U);
    std::vector<Trial> trials;
    for (const Configuration& each : asked)
      trials.push_back({each, Outcome::of_failure(FailureKind::Compile, 1)});
    strategy->report(trials);
  }
  EXPECT_EQ(strategy->history().best(), nullptr);
}

TEST_P(EveryStrategy, WorksInASpaceThatCannotBeListed) {
  // 2^60 points: twelve numbers of five bits.
  class Huge : public Space {
   public:
    std::uint64_t size() const override { return std::uint64_t{1} << 60; }
    Configuration at(std::uint64_t rank) const override {
      Configuration result;
      for (int i = 0; i < 12; ++i) result.push_back(static_cast<std::int64_t>(rank >> (5 * i) & 31));
      return result;
    }
    bool contains(const Configuration& configuration) const override { return configuration.size() == 12; }
    std::vector<Configuration> neighbours(const Configuration& configuration) const override {
      std::vector<Configuration> result;
      for (std::size_t i = 0; i < configuration.size(); ++i) {
        for (const int step : {-1, 1}) {
          result.push_back(configuration);
          result.back()[i] = std::clamp<std::int64_t>(configuration[i] + step, 0, 31);
        }
      }
      return result;
    }
    std::vector<double> features(const Configuration& configuration) const override {
      return {configuration.begin(), configuration.end()};
    }
  };
  const Huge huge;
  const auto strategy = made(GetParam(), huge, 1);
  for (int i = 0; i < 60; ++i) {
    const std::vector<Configuration> asked = strategy->propose(1);
    ASSERT_EQ(asked.size(), 1U);
    double sum = 1;
    for (const std::int64_t value : asked.front()) sum += static_cast<double>(value);
    const Trial trial{asked.front(), Outcome::of_time(sum, 1)};
    strategy->report({&trial, 1});
  }
}

std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const StrategyEntry& entry : all_strategies()) result.push_back(entry.name);
  return result;
}
INSTANTIATE_TEST_SUITE_P(Search, EveryStrategy, testing::ValuesIn(names()),
                         [](const auto& each) { return each.param; });

/// Evaluations until the optimum of the bowl; the median of three seeds.
std::size_t evaluations_to_optimum(const std::string& name) {
  const ListedSpace space(bowl_configurations());
  std::vector<std::size_t> needed;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto strategy = made(name, space, seed);
    std::size_t count = 0;
    for (bool found = false; !found && count < 1000; ++count) {
      const std::vector<Configuration> asked = strategy->propose(1);
      found = asked.front() == bowl_optimum;
      strategy->report(bowl_trials(asked));
    }
    needed.push_back(count);
  }
  std::sort(needed.begin(), needed.end());
  return needed[1];
}

TEST(Strategies, FindTheOptimumSoonerThanRandomDrawsWould) {
  EXPECT_THAT(evaluations_to_optimum("local"), Le(150U));
  EXPECT_THAT(evaluations_to_optimum("annealing"), Le(400U));
  EXPECT_THAT(evaluations_to_optimum("genetic"), Le(300U));
  EXPECT_THAT(evaluations_to_optimum("bandit"), Le(200U));
}

TEST(ModelGuided, FindsTheOptimumOfABowlInAFewDozen) {
  EXPECT_THAT(evaluations_to_optimum("model"), Le(50U));
}

TEST(ModelGuided, BeginsInTheMiddleWhereNothingIsKnown) {
  const ListedSpace space(bowl_configurations());
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto strategy = made("model", space, seed);
    const std::vector<Configuration> proposed = strategy->propose(1);
    for (const std::int64_t value : proposed.front())
      EXPECT_THAT(value, testing::AllOf(testing::Ge(2), testing::Le(5)));
  }
  const ListedSpace one(std::vector<Configuration>{Configuration{7, 3}});
  EXPECT_EQ(made("model", one, 1)->propose(2), std::vector<Configuration>{Configuration({7, 3})});
}

TEST(ModelGuided, DoesNotSayWhenToEnd) {
  // What it learned from the trials of this search alone is too little to give up by.
  const ListedSpace space(bowl_configurations());
  const auto strategy = made("model", space, 1);
  tried(*strategy, 30);
  EXPECT_FALSE(strategy->improvement_left());
}

TEST(ModelGuided, LearnsWhereThingsFail) {
  const ListedSpace space(bowl_configurations());
  const auto fails = [](const Configuration& c) { return c[2] < 4; };
  const auto strategy = made("model", space, 1);
  std::size_t early = 0, late = 0;
  for (std::size_t i = 0; i < 60; ++i) {
    const Configuration asked = strategy->propose(1).front();
    (i < 8 ? early : late) += fails(asked) ? 1 : 0;
    // Slower where it works than anywhere it might: the model alone would go there.
    const Trial trial{asked, fails(asked) ? Outcome::of_failure(FailureKind::Run, 1)
                                          : Outcome::of_time(1 + 0.1 * asked[2], 1)};
    strategy->report({&trial, 1});
  }
  EXPECT_THAT(late, Le(12U));
}

TEST(ModelGuided, UsesWhatWasExpectedBefore) {
  const ListedSpace space(bowl_configurations());
  // Times without any order but the one that is told.
  const auto seconds = [](const Configuration& c) {
    return 1.0 + static_cast<double>(ConfigurationHash()(c) % 1000);
  };
  std::size_t with = 0, without = 0;
  for (const bool is_told : {true, false}) {
    StrategyOptions options;
    if (is_told) options.expectation = [&](const Configuration& c) { return std::log(seconds(c)) / 7; };
    const auto strategy = std::move(*make_strategy("model", space, options));
    for (int i = 0; i < 40; ++i) {
      const Configuration asked = strategy->propose(1).front();
      const Trial trial{asked, Outcome::of_time(seconds(asked), 1)};
      strategy->report({&trial, 1});
      (is_told ? with : without) += seconds(asked) < 20 ? 1 : 0;
    }
  }
  EXPECT_THAT(with, Ge(without + 10));
}

TEST(ModelGuided, ABatchDoesNotAskOneQuestionTwice) {
  // Batches of eight need hardly more trials than single ones, and are not all around one place.
  const ListedSpace space(bowl_configurations());
  const auto strategy = made("model", space, 1);
  std::size_t count = 0;
  for (bool found = false; !found && count < 200; count += 8) {
    const std::vector<Configuration> asked = strategy->propose(8);
    found = std::find(asked.begin(), asked.end(), bowl_optimum) != asked.end();
    strategy->report(bowl_trials(asked));
  }
  EXPECT_THAT(count, Le(80U));
}

TEST(ModelGuided, TakesAnotherSurrogate) {
  struct Constant : learn::Regressor {
    explicit Constant(int* calls) : calls_(calls) {}
    void fit(const learn::Examples&) override { ++*calls_; }
    std::vector<learn::Prediction> predict(const Matrix& rows) const override {
      return std::vector<learn::Prediction>(rows.count(), {0, 1});
    }
    int* calls_;
  };
  const ListedSpace space(bowl_configurations());
  int calls = 0;
  StrategyOptions options;
  options.surrogate = [&](std::uint64_t) { return std::make_unique<Constant>(&calls); };
  tried(**make_strategy("model", space, options), 20);
  EXPECT_GT(calls, 5);
}

TEST(Strategies, UnknownNameIsTheUsersError) {
  const ListedSpace space(bowl_configurations());
  const auto strategy = make_strategy("genetics", space, {});
  ASSERT_FALSE(strategy);
  EXPECT_EQ(strategy.error().kind, ErrorKind::User);
  EXPECT_THAT(strategy.error().render(),
              testing::AllOf(testing::HasSubstr("'genetics'"), testing::HasSubstr("genetic, model")));
}

TEST(Ordered, GoesByTheOrderThenTheRest) {
  const ListedSpace space(std::vector<Configuration>{{1}, {2}, {3}, {4}});
  const auto strategy = make_ordered(space, {{3}, {9}, {1}}, 1);
  const std::vector<Configuration> all = strategy->propose(10);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0], Configuration{3});
  EXPECT_EQ(all[1], Configuration{1});
}

}  // namespace
}  // namespace hoist::search
