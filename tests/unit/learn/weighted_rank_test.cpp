#include "learn/weighted_rank.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "learn/weka/ibk.hpp"
#include "learn/weka/k_star.hpp"
#include "unit/learn/tables.hpp"

namespace hoist::learn {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

/// Predicts a column, whatever it is told.
class PredictsColumn : public StoredRegressor {
 public:
  explicit PredictsColumn(std::size_t column) : column_(column) {}
  void fit(const Examples& /*examples*/) override {}
  std::vector<Prediction> predict(const Matrix& rows) const override {
    std::vector<Prediction> result;
    for (std::size_t i = 0; i < rows.count(); ++i) result.push_back({rows.at(i, column_), 0});
    return result;
  }
  Json to_json() const override { return column_; }

 private:
  void read(const Json& learned, std::size_t /*width*/) override { column_ = learned.get<std::size_t>(); }

  std::size_t column_;
};

/// Predicts targets that it has seen by their first column, and 0 for other rows.
class Remembers : public StoredRegressor {
 public:
  void fit(const Examples& examples) override { seen_ = examples; }
  std::vector<Prediction> predict(const Matrix& rows) const override {
    std::vector<Prediction> result(rows.count());
    for (std::size_t i = 0; i < rows.count(); ++i) {
      for (std::size_t k = 0; k < seen_.targets.size(); ++k) {
        if (seen_.rows.at(k, 0) == rows.at(i, 0)) result[i].mean = seen_.targets[k];
      }
    }
    return result;
  }
  Json to_json() const override { return {}; }

 private:
  void read(const Json& /*learned*/, std::size_t /*width*/) override {}

  Examples seen_;
};

std::unique_ptr<StoredRanker> of_columns() {
  return make_weighted_rank({[] { return std::make_unique<PredictsColumn>(0); },
                             [] { return std::make_unique<PredictsColumn>(1); }});
}

/// Two groups of `count` rows. The first column has the targets' order, upside down where `is_wrong`; the
/// second has an order of its own.
Examples two_groups(std::size_t count, bool is_wrong) {
  Examples examples;
  for (std::uint32_t group = 0; group < 2; ++group) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto place = static_cast<double>(i);
      examples.rows.add(
          std::vector<double>{is_wrong ? -place : place * place, static_cast<double>(i * 7 % count)});
      examples.targets.push_back(place);
      examples.groups.push_back(group);
    }
  }
  return examples;
}

TEST(WeightedRank, TrustsTheLearnerThatRanksWhatItHasNotSeen) {
  const auto ranker = of_columns();
  ranker->fit(two_groups(20, false));
  // The second column says the opposite; the ranks by the first are 3, 1 and 2.
  EXPECT_THAT(ranker->scores({2, {0.1, 3, 0.9, 1, 0.5, 2}}),
              ElementsAre(DoubleNear(-3, 1e-6), DoubleNear(-1, 1e-6), DoubleNear(-2, 1e-6)));
}

TEST(WeightedRank, TurnsAnOrderThatIsAlwaysWrongAround) {
  const auto ranker = of_columns();
  ranker->fit(two_groups(20, true));
  EXPECT_THAT(ranker->scores({2, {0.1, 3, 0.9, 1, 0.5, 2}}),
              ElementsAre(DoubleNear(3, 1e-6), DoubleNear(1, 1e-6), DoubleNear(2, 1e-6)));
}

/// Each row's actual rank is the mean of both learners' ranks.
TEST(WeightedRank, FindsTheWeightsThatMakeTheActualRanks) {
  Examples examples;
  const double orders[2][5] = {{5, 4, 3, 2, 1}, {5, 3, 4, 1, 2}};
  for (std::uint32_t group = 0; group < 2; ++group) {
    for (std::size_t i = 0; i < 5; ++i) {
      examples.rows.add(std::vector<double>{orders[0][i], orders[1][i]});
      examples.targets.push_back(orders[0][i] + orders[1][i]);
      examples.groups.push_back(group);
    }
  }
  const auto ranker = of_columns();
  ranker->fit(examples);
  // The actual ranks are 1, 2.5, 2.5, 4.5 and 4.5, the means of those by the columns.
  EXPECT_THAT(ranker->scores(examples.select({0, 1, 2, 3, 4}).rows),
              ElementsAre(DoubleNear(-1, 1e-6), DoubleNear(-2.5, 1e-6), DoubleNear(-2.5, 1e-6),
                          DoubleNear(-4.5, 1e-6), DoubleNear(-4.5, 1e-6)));
}

/// What was learned by heart is no merit: the memory is right for all rows that it has seen, but the ranks of
/// the other learner count.
TEST(WeightedRank, WeighsLearnersByGroupsThatTheyHaveNotSeen) {
  Examples examples = two_groups(10, false);
  for (std::size_t i = 0; i < 20; ++i) examples.rows.numbers[2 * i + 1] = static_cast<double>(i);
  // The first column tells rows apart, the second has the order.
  for (std::size_t i = 0; i < 20; ++i)
    std::swap(examples.rows.numbers[2 * i], examples.rows.numbers[2 * i + 1]);
  const auto ranker = make_weighted_rank(
      {[] { return std::make_unique<Remembers>(); }, [] { return std::make_unique<PredictsColumn>(1); }});
  ranker->fit(examples);
  EXPECT_THAT(ranker->scores({2, {0, 9, 9, 1}}), ElementsAre(DoubleNear(-1, 1e-6), DoubleNear(-2, 1e-6)));
}

TEST(WeightedRank, WithoutGroupsToLeaveOutAllLearnersWeighTheSame) {
  for (const bool is_named : {false, true}) {
    Examples examples = two_groups(10, false).select({0, 1, 2, 3, 4});
    if (!is_named) examples.groups.clear();
    const auto ranker = of_columns();
    ranker->fit(examples);
    // Equal predictions share the mean of their ranks.
    EXPECT_THAT(ranker->scores({2, {3, 3, 2, 4, 2, 1}}), ElementsAre(-3, -3.5, -5.5));
  }
}

TEST(WeightedRank, OfThePaperRanksSpeedsItHasNotSeen) {
  Examples examples{tables::points(200, 2, 1), {}};
  const auto speed = [](std::span<const double> x) { return 3 * x[0] - x[1]; };
  examples.targets = tables::values_of<double>(examples.rows, speed);
  for (std::uint32_t i = 0; i < 200; ++i) examples.groups.push_back(i / 40);
  const auto ranker = make_weighted_rank({make_ibk, make_k_star});
  ranker->fit(examples);
  const Matrix others = tables::points(50, 2, 2);
  const std::vector<double> scores = ranker->scores(others),
                            speeds = tables::values_of<double>(others, speed);
  int wrong = 0;
  for (std::size_t i = 0; i < 50; ++i) {
    for (std::size_t k = 0; k < i; ++k) wrong += (scores[i] < scores[k]) != (speeds[i] < speeds[k]) ? 1 : 0;
  }
  EXPECT_LT(wrong, 60);  // of 1,225 pairs
  EXPECT_THAT(ranker->scores(Matrix{2, {}}), testing::IsEmpty());
}

TEST(WeightedRank, IsReadAsItWasWritten) {
  const auto make = [] { return make_weighted_rank({make_ibk, make_k_star}); };
  const auto written = make(), read = make();
  Examples examples{tables::points(60, 3, 1), {}};
  for (std::uint32_t i = 0; i < 60; ++i) {
    examples.targets.push_back(examples.rows.at(i, 0));
    examples.groups.push_back(i / 20);
  }
  written->fit(examples);
  ASSERT_TRUE(read->from_json(Json::parse(written->to_json().dump()), 3));
  const Matrix others = tables::points(20, 3, 2);
  EXPECT_EQ(written->scores(others), read->scores(others));
  EXPECT_EQ(written->to_json(), read->to_json());
  EXPECT_FALSE(read->from_json(written->to_json(), 2));
  EXPECT_FALSE(make_weighted_rank({make_ibk})->from_json(written->to_json(), 3));
  EXPECT_FALSE(read->from_json(Json::object(), 3));
}

TEST(WeightedRank, RefusesWeights) {
  Examples examples = two_groups(5, false);
  examples.weights.assign(10, 1);
  EXPECT_THROW(of_columns()->fit(examples), Bug);
}

}  // namespace
}  // namespace hoist::learn
