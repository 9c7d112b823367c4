// Configurations in parts: two bowls whose times add up.
#include "search/side_by_side.hpp"

#include <gmock/gmock.h>

#include <set>

#include "search/listed_space.hpp"
#include "search/strategies.hpp"
#include "unit/search/spaces.hpp"

namespace hoist::search {
namespace {

using testing::Each;
using testing::Lt;
using testing::SizeIs;

constexpr std::size_t parts = 2;

class SideBySide : public testing::Test {
 protected:
  static Configuration joined(const Configuration& a, const Configuration& b) {
    Configuration whole = a;
    whole.insert(whole.end(), b.begin(), b.end());
    return whole;
  }
  static std::vector<Configuration> split(const Configuration& whole) {
    const auto middle = whole.begin() + static_cast<std::ptrdiff_t>(whole.size() / parts);
    return {{whole.begin(), middle}, {middle, whole.end()}};
  }

  /// The product of two bowls is never listed.
  class Product : public Space {
   public:
    std::uint64_t size() const override { return std::uint64_t{1} << 40; }
    Configuration at(std::uint64_t) const override { throw std::logic_error("the product is listed"); }
    bool contains(const Configuration&) const override { return true; }
    std::vector<Configuration> neighbours(const Configuration&) const override { return {}; }
    std::vector<double> features(const Configuration&) const override { return {}; }
  };

  std::unique_ptr<Strategy> made(const char* strategy = "random") {
    std::vector<SearchedPart> searched;
    for (std::uint64_t seed = 1; seed <= parts; ++seed) {
      StrategyOptions options;
      options.seed = seed;
      searched.push_back({make_strategy(strategy, bowl, options).value(), safe});
    }
    return make_side_by_side(product, std::move(searched), split, {});
  }
  Trial timed(const Configuration& whole) const {
    Trial trial{whole, Outcome::of_time(0, 0)};
    for (const Configuration& part : split(whole)) {
      trial.outcome.part_seconds.push_back(bowl_seconds(part));
      *trial.outcome.seconds += bowl_seconds(part);
    }
    return trial;
  }
  Trial tried(Strategy& strategy) {
    const Trial trial = timed(strategy.propose(1).at(0));
    strategy.report(std::span(&trial, 1));
    return trial;
  }

  const Configuration safe = bowl_configurations().front();
  const ListedSpace bowl{bowl_configurations()};
  const Product product;
};

TEST_F(SideBySide, BeginsWithWhatIsSafe) { EXPECT_EQ(tried(*made()).configuration, joined(safe, safe)); }

TEST_F(SideBySide, FindsTheOptimaOfAllPartsAsSoonAsOne) {
  const auto strategy = made();
  // Each trial tells of both parts: all of the bowl, and the fastest together whenever there is a faster.
  const std::size_t most = 2 * bowl_configurations().size() + 1;
  std::size_t trials = 0;
  while (trials < most && tried(*strategy).configuration != joined(bowl_optimum, bowl_optimum)) ++trials;
  EXPECT_THAT(trials, Lt(most));
}

TEST_F(SideBySide, EndsWhereEveryPartHasNothingLeft) {
  const auto strategy = made();
  std::set<Configuration> proposed;
  for (;;) {
    const auto next = strategy->propose(1);
    if (next.empty()) break;
    EXPECT_TRUE(proposed.insert(next.front()).second);
    const Trial trial = timed(next.front());
    strategy->report(std::span(&trial, 1));
    ASSERT_THAT(proposed.size(), Lt(10 * bowl_configurations().size()));
  }
  EXPECT_TRUE(proposed.contains(joined(bowl_optimum, bowl_optimum)));
}

TEST_F(SideBySide, AFailureIsBlamedOnThePartThatFails) {
  const auto strategy = made();
  tried(*strategy);
  const Configuration both = strategy->propose(1).at(0);
  const auto own = split(both);
  const Trial failed{both, Outcome::of_failure(FailureKind::Run, 0)};
  strategy->report(std::span(&failed, 1));
  // Each part's new choice is tried beside what is known not to fail.
  const Configuration first = strategy->propose(1).at(0), second = strategy->propose(1).at(0);
  EXPECT_EQ(first, joined(own[0], safe));
  EXPECT_EQ(second, joined(safe, own[1]));
}

TEST_F(SideBySide, WhatWasNotTimedApartTellsNothingOfParts) {
  const auto strategy = made();
  const Configuration whole = strategy->propose(1).at(0);
  const Trial trial{whole, Outcome::of_time(1, 0)};
  strategy->report(std::span(&trial, 1));
  EXPECT_EQ(strategy->improvement_left(), std::nullopt);
  EXPECT_THAT(strategy->propose(1), SizeIs(1));
}

}  // namespace
}  // namespace hoist::search
