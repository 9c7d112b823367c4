// Configurations of several kinds: the kind that leads gets most turns, others are given up.
#include "search/race.hpp"

#include <gmock/gmock.h>

#include <map>

#include "search/listed_space.hpp"
#include "search/strategies.hpp"
#include "unit/search/spaces.hpp"

namespace hoist::search {
namespace {

using testing::Each;
using testing::Ge;
using testing::Gt;
using testing::Lt;

class Racing : public testing::Test {
 protected:
  /// Kinds of the bowl's configurations.
  class Kinds : public Space {
   public:
    explicit Kinds(const Space& inside) : inside_(inside) {}
    std::uint64_t size() const override { return kinds * inside_.size(); }
    Configuration at(std::uint64_t rank) const override {
      Configuration whole = inside_.at(rank / kinds);
      whole.insert(whole.begin(), static_cast<std::int64_t>(rank % kinds));
      return whole;
    }
    bool contains(const Configuration& whole) const override {
      return inside_.contains({whole.begin() + 1, whole.end()});
    }
    std::vector<Configuration> neighbours(const Configuration&) const override { return {}; }
    std::vector<double> features(const Configuration&) const override { return {}; }

   private:
    const Space& inside_;
  };

  std::unique_ptr<Strategy> made() {
    std::vector<std::unique_ptr<Strategy>> strategies;
    for (std::uint64_t seed = 1; seed <= kinds; ++seed) {
      StrategyOptions options;
      options.seed = seed;
      strategies.push_back(make_strategy("random", bowl, options).value());
    }
    return make_race(space, std::move(strategies), {});
  }
  /// Turns of each kind, of so many trials.
  std::map<std::int64_t, int> turns_of(Strategy& strategy, int trials,
                                       const std::function<Outcome(const Configuration&)>& outcome) {
    std::map<std::int64_t, int> turns;
    for (int i = 0; i < trials; ++i) {
      const auto proposed = strategy.propose(1);
      if (proposed.empty()) break;
      ++turns[proposed[0][0]];
      const Trial trial{proposed[0], outcome(proposed[0])};
      strategy.report(std::span(&trial, 1));
    }
    return turns;
  }

  static constexpr std::size_t kinds = 3;
  ListedSpace bowl{bowl_configurations()};
  Kinds space{bowl};
};

TEST_F(Racing, KindsThatStayBehindAreGivenUp) {
  const auto strategy = made();
  const auto turns = turns_of(
      *strategy, 60, [](const Configuration& whole) { return Outcome::of_time(whole[0] == 1 ? 1 : 2, 0); });
  EXPECT_THAT(turns.at(0), Lt(8));
  EXPECT_THAT(turns.at(2), Lt(8));
  EXPECT_THAT(turns.at(1), Gt(40));
}

TEST_F(Racing, KindsThatFailHaveTheirFirstTurnsOnly) {
  const auto strategy = made();
  const auto turns = turns_of(*strategy, 40, [](const Configuration& whole) {
    return whole[0] == 0 ? Outcome::of_time(1, 0) : Outcome::of_failure(FailureKind::Compile, 0);
  });
  EXPECT_EQ(turns.at(1), 4);
  EXPECT_EQ(turns.at(2), 4);
}

TEST_F(Racing, KindsThatAreAlikeGoOn) {
  const auto strategy = made();
  const auto turns = turns_of(*strategy, 40, [](const Configuration&) { return Outcome::of_time(1, 0); });
  EXPECT_THAT((std::vector<int>{turns.at(0), turns.at(1), turns.at(2)}), Each(Ge(8)));
}

}  // namespace
}  // namespace hoist::search
