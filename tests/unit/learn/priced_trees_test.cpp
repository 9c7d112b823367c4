#include "learn/priced_trees.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/random.hpp"
#include "learn/statistics.hpp"

namespace hoist::learn {
namespace {

bool has_xgboost() {
  for (const char* name : {"libxgboost.so.0", "libxgboost.so"}) {
    if (dlopen(name, RTLD_NOW | RTLD_LOCAL) != nullptr) return true;
  }
  return false;
}

class PricedTrees : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_xgboost()) GTEST_SKIP() << "xgboost (libxgboost0) is not installed";
  }

  /// Rows of two amounts and a switch. A unit of work takes twice the first and three times the second
  /// amount, and half as long again where the switch is on.
  static Examples groups(std::uint32_t count, std::uint64_t seed) {
    Random random(seed);
    Examples examples;
    for (std::uint32_t group = 0; group < count; ++group) {
      for (int i = 0; i < 40; ++i) {
        const double first = 0.1 + random.unit(), second = 0.1 + random.unit();
        const bool is_on = random.below(2) == 1;
        examples.rows.add(std::vector<double>{first, second, is_on ? 1.0 : 0.0});
        examples.targets.push_back(1 / ((2 * first + 3 * second) * (is_on ? 1.5 : 1)));
        examples.groups.push_back(group);
      }
    }
    return examples;
  }
};

TEST_F(PricedTrees, PricesAndTreesTogetherOrderWhatTheyHaveNotSeen) {
  const auto ranker = make_priced_trees(2, {});
  ranker->fit(groups(10, 1));
  const Examples others = groups(1, 2);
  EXPECT_GT(rank_correlation(ranker->scores(others.rows), others.targets), 0.98);
}

/// Without the switch the speeds are exactly what the prices say.
TEST_F(PricedTrees, FindsThePrices) {
  Examples examples = groups(6, 1);
  for (std::size_t i = 0; i < examples.targets.size(); ++i) {
    examples.rows.numbers[3 * i + 2] = 0;
    examples.targets[i] = 1 / (2 * examples.rows.at(i, 0) + 3 * examples.rows.at(i, 1));
  }
  const auto ranker = make_priced_trees(2, {});
  ranker->fit(examples);
  const auto prices = ranker->to_json().at("prices").get<std::vector<double>>();
  ASSERT_EQ(prices.size(), 2U);
  EXPECT_NEAR(prices[0], 2, 1e-6);
  EXPECT_NEAR(prices[1], 3, 1e-6);
}

/// An amount that makes rows faster has no price.
TEST_F(PricedTrees, PricesAreNotNegative) {
  Examples examples = groups(6, 1);
  for (std::size_t i = 0; i < examples.targets.size(); ++i)
    examples.targets[i] = 1 / (2 * examples.rows.at(i, 0) + 0.1 / examples.rows.at(i, 1));
  const auto ranker = make_priced_trees(2, {});
  ranker->fit(examples);
  for (const double price : ranker->to_json().at("prices").get<std::vector<double>>()) EXPECT_GE(price, 0);
}

TEST_F(PricedTrees, AFileScoresAsWhatWasLearned) {
  const auto ranker = make_priced_trees(2, {});
  const Examples examples = groups(4, 1);
  ranker->fit(examples);
  const auto read = make_priced_trees(2, {});
  ASSERT_TRUE(read->from_json(ranker->to_json(), 3));
  EXPECT_EQ(read->scores(groups(1, 3).rows), ranker->scores(groups(1, 3).rows));
  EXPECT_FALSE(make_priced_trees(2, {})->from_json(Json::object(), 3));
  EXPECT_FALSE(make_priced_trees(2, {})->from_json({{"prices", {1, 2, 3, 4}}, {"trees", Json::array()}}, 3));
  EXPECT_TRUE(ranker->scores({3, {}}).empty());
}

}  // namespace
}  // namespace hoist::learn
