// Candidates that were ranked before anything was measured.
#include <gmock/gmock.h>

#include <deque>
#include <set>

#include "search/strategies.hpp"
#include "unit/search/spaces.hpp"

namespace hoist::search {
namespace {

using testing::Ge;
using testing::Le;
using testing::Lt;

class Predicted : public testing::Test {
 protected:
  template <class LogSeconds>
  std::unique_ptr<Strategy> made(LogSeconds log_seconds, double deviation = 0) {
    std::vector<Expected> expected;
    for (const Configuration& each : bowl_configurations())
      expected.push_back({each, log_seconds(each), deviation});
    return make_predicted(space, std::move(expected), {});
  }
  Configuration next(Strategy& strategy) {
    const Configuration asked = strategy.propose(1).front();
    strategy.report(bowl_trials(std::vector<Configuration>{asked}));
    return asked;
  }
  std::size_t until_optimum(Strategy& strategy) {
    for (std::size_t count = 1; count < 1000; ++count) {
      if (next(strategy) == bowl_optimum) return count;
    }
    return 1000;
  }

  const ListedSpace space{bowl_configurations()};
};

TEST_F(Predicted, BeginsWithTheFastestExpected) {
  const auto strategy = made([](const Configuration& c) { return 40 + std::log(bowl_seconds(c)); });
  EXPECT_EQ(next(*strategy), bowl_optimum);
  for (int i = 0; i < 20; ++i) EXPECT_THAT(bowl_seconds(next(*strategy)), Lt(1.5e-3));
}

TEST_F(Predicted, ExpectsLessAndLessImprovement) {
  const auto strategy = made([](const Configuration& c) { return std::log(bowl_seconds(c)); });
  EXPECT_FALSE(strategy->improvement_left());
  for (int i = 0; i < 10; ++i) next(*strategy);
  ASSERT_TRUE(strategy->improvement_left());
  EXPECT_THAT(*strategy->improvement_left(), Lt(0.01));
}

TEST_F(Predicted, DoubtKeepsFromEndingEarly) {
  const auto strategy = made([](const Configuration& c) { return std::log(bowl_seconds(c)); }, 0.5);
  for (int i = 0; i < 10; ++i) next(*strategy);
  EXPECT_THAT(*strategy->improvement_left(), Ge(0.02));
}

TEST_F(Predicted, DoubtFadesWhereNothingIsFasterThanPredicted) {
  const auto strategy = made([](const Configuration& c) { return std::log(bowl_seconds(c)); }, 0.5);
  for (int i = 0; i < 150; ++i) next(*strategy);
  EXPECT_THAT(*strategy->improvement_left(), Lt(0.001));
}

TEST_F(Predicted, ExpectationsDoNotFeedOnWhatIsUnderWay) {
  // Times that neither features nor what is expected tell much of: a surrogate's predictions are rough, too.
  const auto drawn = [](Configuration c, std::int64_t kind) {
    c.push_back(kind);
    return static_cast<double>(ConfigurationHash{}(c)*2654435761U / 128 % 1009) / 1009;
  };
  const auto seconds = [&](const Configuration& c) {
    return 1e-3 * std::exp(0.3 * drawn(c, 2) + (c[0] == 3 ? 2 : 0));
  };
  const auto strategy =
      made([&](const Configuration& c) { return std::log(bowl_seconds(c)) + 0.1 * drawn(c, 1); });
  std::deque<Configuration> under_way;
  for (int i = 0; i < 500; ++i) {
    under_way.push_back(strategy->propose(1).front());
    if (under_way.size() < 32) continue;
    const Configuration& done = under_way.front();
    strategy->report(std::vector<Trial>{{done, Outcome::of_time(seconds(done), 1)}});
    under_way.pop_front();
    if (i < 50) continue;
    ASSERT_THAT(*strategy->improvement_left(), Lt(0.5)) << i;
  }
}

TEST_F(Predicted, LearnsWhatWasExpectedWrongly) {
  // One number is thought to be good where it is bad.
  const auto wrong = [](const Configuration& c) {
    return std::log(bowl_seconds(c)) - 0.4 * static_cast<double>(c[0]);
  };
  const auto strategy = made(wrong);
  std::vector<Configuration> order = bowl_configurations();
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) { return wrong(a) < wrong(b); });
  const auto place = std::find(order.begin(), order.end(), bowl_optimum) - order.begin();
  ASSERT_THAT(place, Ge(100));
  EXPECT_THAT(until_optimum(*strategy), Le(60U));
}

TEST_F(Predicted, GoesOnWhenAllThatWasExpectedIsKnown) {
  const auto strategy =
      make_predicted(space, {{bowl_configurations()[0], 0, 0}, {bowl_configurations()[1], 1, 0}}, {});
  EXPECT_EQ(next(*strategy), bowl_configurations()[0]);
  EXPECT_EQ(next(*strategy), bowl_configurations()[1]);
  EXPECT_THAT(until_optimum(*strategy), Le(120U));
  EXPECT_THAT(until_optimum(*make_predicted(space, {}, {})), Le(120U));
}

TEST_F(Predicted, TriesTheFastestOfEachKindEarly) {
  // Three kinds by the first number; the third is expected to be far too slow to be worth a look.
  std::vector<Expected> expected;
  for (const Configuration& each : bowl_configurations()) {
    const auto kind = static_cast<std::uint64_t>(std::min<std::int64_t>(each[0], 3));
    expected.push_back(
        {each,
         static_cast<double>(expected.size()) * 1e-6 + (kind == 3 ? 5.0 : 0.2 * static_cast<double>(kind)),
         0.1, kind});
  }
  const auto strategy = make_predicted(space, std::move(expected), {});
  std::set<std::int64_t> tried;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(next(*strategy)[0], bowl_configurations().front()[0]) << "in order";
  for (int i = 0; i < 2; ++i) tried.insert(next(*strategy)[0]);
  EXPECT_EQ(tried, (std::set<std::int64_t>{1, 2}));
}

TEST_F(Predicted, LooksAroundTheFastestOfASample) {
  // A tenth of the space is ranked, without the optimum and what is next to it.
  std::vector<Expected> expected;
  std::size_t number = 0;
  for (const Configuration& each : bowl_configurations()) {
    if (number++ % 10 == 0 && bowl_seconds(each) > 1.35e-3)
      expected.push_back({each, std::log(bowl_seconds(each)), 0.1});
  }
  EXPECT_THAT(until_optimum(*make_predicted(space, std::move(expected), {})), Le(60U));
}

/// A third of the space is ranked, not the optimum; what is asked of the others is told by `tell`.
std::unique_ptr<Strategy> asking(const Space& space, const Expectations& tell) {
  std::vector<Expected> expected;
  std::size_t number = 0;
  for (const Configuration& each : bowl_configurations()) {
    if (number++ % 3 == 0 && each != bowl_optimum)
      expected.push_back({each, std::log(bowl_seconds(each)), 0.1});
  }
  return make_predicted(space, std::move(expected), {}, tell);
}

TEST_F(Predicted, AsksWhatIsThoughtOfNeighbours) {
  const auto tell = [](const std::vector<Configuration>& configurations) {
    std::vector<std::optional<Expected>> told;
    for (const Configuration& each : configurations)
      told.push_back(Expected{each, std::log(bowl_seconds(each)), 0.1});
    return told;
  };
  EXPECT_THAT(until_optimum(*asking(space, tell)), Le(20U));
}

TEST_F(Predicted, LeavesOutWhatCannotBeTried) {
  std::set<Configuration> refused;
  const auto strategy = asking(space, [&](const std::vector<Configuration>& configurations) {
    refused.insert(configurations.begin(), configurations.end());
    return std::vector<std::optional<Expected>>(configurations.size());
  });
  for (int i = 0; i < 60; ++i) EXPECT_FALSE(refused.contains(next(*strategy)));
  EXPECT_THAT(refused.size(), Ge(20U));
}

TEST_F(Predicted, LearnsFromTrialsThatWereNotExpected) {
  const auto strategy = make_predicted(space, {{bowl_optimum, 0, 0}}, {});
  strategy->report(
      bowl_trials(std::vector<Configuration>{bowl_configurations()[5], bowl_configurations()[6]}));
  EXPECT_EQ(next(*strategy), bowl_optimum);
}

}  // namespace
}  // namespace hoist::search
