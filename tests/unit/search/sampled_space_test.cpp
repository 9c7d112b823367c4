#include "search/sampled_space.hpp"

#include <gmock/gmock.h>

#include <set>

#include "base/random.hpp"
#include "search/strategies.hpp"
#include "unit/search/spaces.hpp"

namespace hoist::search {
namespace {

using testing::ElementsAre;

TEST(SampledSpace, NeighboursAreTheNearest) {
  // The numbers stand at 0, 1/5, ... 1 of their ranges; no two configurations differ in one of them only.
  const SampledSpace space({{1, 10}, {2, 20}, {3, 30}, {4, 40}, {5, 50}, {6, 60}});
  EXPECT_THAT(space.neighbours({1, 10}), ElementsAre(Configuration{2, 20}, Configuration{3, 30},
                                                     Configuration{4, 40}, Configuration{5, 50}));
  EXPECT_THAT(space.neighbours({4, 40}), ElementsAre(Configuration{3, 30}, Configuration{5, 50},
                                                     Configuration{2, 20}, Configuration{6, 60}));
  EXPECT_TRUE(ListedSpace({{1, 10}, {2, 20}, {3, 30}}).neighbours({2, 20}).empty());
}

TEST(SampledSpace, OfFewHasFewNeighbours) {
  EXPECT_THAT(SampledSpace({{1, 5}, {2, 6}}).neighbours({1, 5}), ElementsAre(Configuration{2, 6}));
  EXPECT_TRUE(SampledSpace(std::vector<Configuration>(1, Configuration{1})).neighbours({1}).empty());
}

/// One in ten of a space whose times fall towards one place: mutation finds the best sooner than chance does.
TEST(SampledSpace, IsSearchedBetterThanAtRandom) {
  std::vector<Configuration> some = bowl_configurations();
  Random random(3);
  random.shuffle(some);
  some.resize(some.size() / 10);
  const SampledSpace space(some);
  const auto runs_of = [&](const char* name, std::uint64_t seed) {
    double least = 1;
    for (const Configuration& each : some) least = std::min(least, bowl_seconds(each));
    const auto strategy = make_strategy(name, space, {.seed = seed});
    std::size_t runs = 0;
    while (true) {
      const Configuration tried = (*strategy)->propose(1).at(0);
      const Trial trial{tried, Outcome::of_time(bowl_seconds(tried), 0)};
      (*strategy)->report({&trial, 1});
      ++runs;
      if (bowl_seconds(tried) <= 1.05 * least) return static_cast<double>(runs);
    }
  };
  double genetic = 0, chance = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    genetic += runs_of("genetic", seed);
    chance += runs_of("random", seed);
  }
  EXPECT_LT(genetic, 0.7 * chance);
}

}  // namespace
}  // namespace hoist::search
