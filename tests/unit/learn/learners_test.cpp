// What every learner behind an interface must do, and what each of them promises besides.
#include "learn/learners.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "learn/boosted_trees.hpp"
#include "learn/forest.hpp"
#include "learn/gaussian_process.hpp"
#include "learn/neighbours.hpp"
#include "learn/network.hpp"
#include "learn/statistics.hpp"
#include "learn/weka/ibk.hpp"
#include "learn/weka/k_star.hpp"
#include "learn/weka/linear_regression.hpp"
#include "learn/weka/m5p.hpp"
#include "learn/weka/multilayer_perceptron.hpp"
#include "learn/weka/smo_reg.hpp"
#include "unit/learn/tables.hpp"

namespace hoist::learn {
namespace {

using tables::means;
using tables::points;
using testing::ElementsAre;

bool has_xgboost() {
  for (const char* name : {"libxgboost.so.0", "libxgboost.so"}) {
    if (dlopen(name, RTLD_NOW | RTLD_LOCAL) != nullptr) return true;
  }
  return false;
}

double height(std::span<const double> x) { return 3 * x[0] - 2 * x[1] + (x[2] > 0.5 ? 1 : 0); }

Examples heights(std::size_t count, std::uint64_t seed) {
  const Matrix rows = points(count, 4, seed);
  return {rows, tables::values_of<double>(rows, height)};
}

struct RegressorCase {
  const char* name;
  std::unique_ptr<Regressor> (*make)();
  bool needs_xgboost = false, weighs = false;
  std::unique_ptr<StoredRegressor> (*make_stored)() = nullptr;
};
std::ostream& operator<<(std::ostream& out, const RegressorCase& each) { return out << each.name; }

constexpr Training usual = {7, 1, 0.5};
template <std::unique_ptr<StoredRegressor> (*make)(const Training&)>
std::unique_ptr<StoredRegressor> trained() {
  return make(usual);
}
template <std::unique_ptr<StoredRegressor> (*make)(const Training&)>
std::unique_ptr<Regressor> unstored() {
  return make(usual);
}

std::unique_ptr<Regressor> unstored_network() { return make_network(usual); }
std::unique_ptr<Regressor> unstored_tangents() {
  return make_network(usual, {{9, 9, 9}, Activation::HyperbolicTangent});
}

template <std::unique_ptr<StoredRegressor> (*make)()>
constexpr RegressorCase of_weka(const char* name) {
  return {name, []() -> std::unique_ptr<Regressor> { return make(); }, false, false, make};
}

const RegressorCase regressors[] = {
    {"forest", [] { return make_forest(7); }},
    {"gaussian_process", [] { return make_gaussian_process(); }},
    {"neighbours", []() -> std::unique_ptr<Regressor> { return make_neighbours(5); }, false, false,
     [] { return make_neighbours(5); }},
    {"network", unstored_network, false, false, [] { return make_network(usual); }},
    {"network_of_tangents", unstored_tangents, false, false,
     [] {
       return make_network(usual, {{9, 9, 9}, Activation::HyperbolicTangent});
     }},
    {"boosted_trees", unstored<make_boosted_trees>, true, true, trained<make_boosted_trees>},
    {"bagged_trees", unstored<make_bagged_trees>, true, true, trained<make_bagged_trees>},
    of_weka<make_ibk>("ibk"),
    of_weka<make_k_star>("k_star"),
    of_weka<make_linear_regression>("linear_regression"),
    of_weka<make_m5p>("m5p"),
    of_weka<make_multilayer_perceptron>("multilayer_perceptron"),
    of_weka<make_smo_reg>("smo_reg"),
};

class EachRegressor : public testing::TestWithParam<RegressorCase> {
 protected:
  void SetUp() override {
    if (GetParam().needs_xgboost && !has_xgboost()) GTEST_SKIP() << "xgboost (libxgboost0) is not installed";
  }
};

TEST_P(EachRegressor, PredictsRowsThatItHasNotSeen) {
  const auto learner = GetParam().make();
  learner->fit(heights(400, 1));
  const Examples others = heights(200, 2);
  EXPECT_GT(correlation(means(*learner, others.rows), others.targets), 0.9);
}

TEST_P(EachRegressor, IsTheSameAgainAndForgetsWhatItLearnedBefore) {
  const auto once = GetParam().make(), twice = GetParam().make();
  once->fit(heights(200, 1));
  twice->fit(heights(200, 1));
  const Examples others = heights(50, 2);
  EXPECT_EQ(means(*once, others.rows), means(*twice, others.rows));
  // No height is more than 4, so what is must come from the second fit.
  Examples constant = heights(200, 3);
  for (double& target : constant.targets) target = 5;
  once->fit(constant);
  EXPECT_THAT(means(*once, others.rows), testing::Each(testing::Gt(4)));
}

TEST_P(EachRegressor, EachRowIsPredictedByItself) {
  const auto learner = GetParam().make();
  learner->fit(heights(200, 1));
  const Examples others = heights(70, 2);
  const std::vector<double> together = means(*learner, others.rows);
  for (std::uint32_t i = 0; i < 70; ++i)
    EXPECT_NEAR(means(*learner, others.select({i}).rows).front(), together[i], 1e-5);
  EXPECT_THAT(learner->predict(Matrix{4, {}}), testing::IsEmpty());
}

/// A learner that would pass weights over in silence would mislead whoever gives them.
TEST_P(EachRegressor, WeighsItsExamplesOrRefusesWeights) {
  // Of each row half of the examples say 0, and half 1; those that say 1 count three times as much.
  Examples torn;
  for (int i = 0; i < 400; ++i) {
    torn.rows.add(std::vector<double>{static_cast<double>(i / 2 % 5), static_cast<double>(i / 2 % 3)});
    torn.targets.push_back(i % 2);
    torn.weights.push_back(i % 2 == 1 ? 1.5 : 0.5);
  }
  const auto learner = GetParam().make();
  if (!GetParam().weighs) {
    EXPECT_THROW(learner->fit(torn), Bug);
    return;
  }
  learner->fit(torn);
  for (const double each : means(*learner, torn.rows)) EXPECT_NEAR(each, 0.75, 0.05);
}

TEST_P(EachRegressor, IsReadAsItWasWritten) {
  if (GetParam().make_stored == nullptr) GTEST_SKIP() << "it is not for files";
  const auto written = GetParam().make_stored(), read = GetParam().make_stored();
  written->fit(heights(200, 1));
  ASSERT_TRUE(read->from_json(Json::parse(written->to_json().dump()), 4));
  const Examples others = heights(50, 2);
  EXPECT_EQ(means(*written, others.rows), means(*read, others.rows));
  EXPECT_EQ(written->to_json(), read->to_json());
  EXPECT_FALSE(read->from_json(Json::object(), 4));
}

INSTANTIATE_TEST_SUITE_P(Learners, EachRegressor, testing::ValuesIn(regressors),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(Examples, SelectsRowsWithAllThatBelongsToThem) {
  const Examples all{{2, {0, 1, 10, 11, 20, 21}}, {5, 6, 7}, {0.5, 1, 1.5}, {0, 0, 1}};
  const Examples some = all.select({2, 0});
  EXPECT_EQ(some.rows.width, 2U);
  EXPECT_THAT(some.rows.numbers, ElementsAre(20, 21, 0, 1));
  EXPECT_THAT(some.targets, ElementsAre(7, 5));
  EXPECT_THAT(some.weights, ElementsAre(1.5, 0.5));
  EXPECT_THAT(some.groups, ElementsAre(1, 0));
  EXPECT_THAT(Examples({{1, {3, 4}}, {1, 2}}).select({1}).weights, testing::IsEmpty());
}

/// The same inputs in two groups that disagree: each group counts the same, however many rows it has.
TEST(Network, TakesOfAllGroupsAlike) {
  Examples torn;
  for (int i = 0; i < 1000; ++i) {
    const bool is_small = i >= 980;
    torn.rows.add(std::vector<double>{static_cast<double>(i % 2)});
    torn.targets.push_back(is_small ? 0 : 1);
    torn.groups.push_back(is_small ? 1 : 0);
  }
  const auto learner = make_network(usual);
  learner->fit(torn);
  for (const double each : means(*learner, torn.rows)) EXPECT_NEAR(each, 0.5, 0.1);
  torn.groups.clear();
  learner->fit(torn);
  for (const double each : means(*learner, torn.rows)) EXPECT_NEAR(each, 0.98, 0.05);
}

constexpr auto tanh_form = [](std::vector<int> hidden) {
  return NetworkForm{std::move(hidden), Activation::HyperbolicTangent};
};

/// A network of two layers whose weights are told, by hand.
TEST(Network, ComputesWhatItsWeightsSay) {
  const auto network = make_network(usual, tanh_form({2}));
  const Json learned = {{"mean", {1, 2}},
                        {"scale", {0.5, 2}},
                        {"center", 10},
                        {"layers",
                         {{{"weights", {0.5, -1, 0.25, 2}}, {"biases", {0.1, -0.2}}},
                          {{"weights", {3, -2}}, {"biases", {0.5}}}}}};
  ASSERT_TRUE(network->from_json(learned, 2));
  const double x = (3 - 1) * 0.5, y = (2.5 - 2) * 2;
  // Weights are kept column by column: of each neuron those of all inputs.
  const double first = std::tanh(0.5 * x - 1 * y + 0.1), second = std::tanh(0.25 * x + 2 * y - 0.2);
  EXPECT_NEAR(means(*network, {2, {3, 2.5}})[0], 10 + 0.5 + 3 * first - 2 * second, 1e-5);
  EXPECT_FALSE(make_network(usual)->from_json(learned, 2)) << "another form";
}

/// The form of Zhang et al. (2020) learns what no plane fits: a saddle, and a step.
TEST(Network, OfHyperbolicTangentsLearnsASurface) {
  Examples surface{points(1500, 2, 1), {}};
  const auto height_of = [](std::span<const double> x) {
    return (2 * x[0] - 1) * (2 * x[1] - 1) + (x[0] > 0.5 ? 0.5 : 0);
  };
  surface.targets = tables::values_of<double>(surface.rows, height_of);
  const auto network = make_network({7, 1, 3}, tanh_form({9, 9, 9}));
  network->fit(surface);
  const Matrix others = points(300, 2, 2);
  const std::vector<double> told = means(*network, others);
  double error = 0, variance = 0;
  for (std::size_t i = 0; i < told.size(); ++i) {
    error += std::pow(told[i] - height_of(others.row(i)), 2);
    variance += std::pow(height_of(others.row(i)) - 0.25, 2);
  }
  EXPECT_LT(error / variance, 0.05);
}

/// One of three stripes across the square.
std::uint32_t stripe(std::span<const double> x) { return static_cast<std::uint32_t>(3 * (x[0] + x[1]) / 2); }

TEST(ForestClassifier, TellsClassesApart) {
  const auto learner = make_forest_classifier(3);
  const Matrix rows = points(600, 3, 1), others = points(300, 3, 2);
  learner->fit(rows, tables::values_of<std::uint32_t>(rows, stripe), 3);
  const std::vector<std::uint32_t> right = tables::values_of<std::uint32_t>(others, stripe);
  const std::vector<std::uint32_t> told = learner->classify(others);
  int agree = 0;
  for (std::size_t i = 0; i < right.size(); ++i) agree += told[i] == right[i] ? 1 : 0;
  EXPECT_GT(agree, 250);
  const Matrix likely = learner->probabilities(others);
  ASSERT_EQ(likely.width, 3U);
  for (std::size_t i = 0; i < likely.count(); ++i) {
    EXPECT_NEAR(likely.at(i, 0) + likely.at(i, 1) + likely.at(i, 2), 1, 1e-9);
    EXPECT_GE(likely.at(i, told[i]), 1.0 / 3);
  }
}

TEST(ForestClassifier, ClassesMayBeNamedInAnyOrder) {
  const Matrix rows = points(300, 3, 1), others = points(100, 3, 2);
  const auto learner = make_forest_classifier(3), renamed = make_forest_classifier(3);
  std::vector<std::uint32_t> classes = tables::values_of<std::uint32_t>(rows, stripe);
  learner->fit(rows, classes, 3);
  for (std::uint32_t& each : classes) each = 2 - each;
  renamed->fit(rows, classes, 3);
  const Matrix one = learner->probabilities(others), other = renamed->probabilities(others);
  for (std::size_t i = 0; i < others.count(); ++i) {
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(one.at(i, c), other.at(i, 2 - c), 1e-9);
  }
}

/// Of two classes the probability is the share that a regression of 0 and 1 predicts.
TEST(ForestClassifier, OfTwoClassesIsARegressionOfTheSecond) {
  const Matrix rows = points(200, 3, 1), others = points(100, 3, 2);
  std::vector<std::uint32_t> classes;
  Examples shares{rows, {}};
  for (std::size_t i = 0; i < rows.count(); ++i) {
    classes.push_back(rows.at(i, 0) > 0.7 ? 1 : 0);
    shares.targets.push_back(classes.back());
  }
  const auto classifier = make_forest_classifier(3);
  const auto regressor = make_forest(3);
  classifier->fit(rows, classes, 2);
  regressor->fit(shares);
  const std::vector<double> expected = means(*regressor, others);
  const Matrix likely = classifier->probabilities(others);
  for (std::size_t i = 0; i < others.count(); ++i) {
    EXPECT_EQ(likely.at(i, 1), expected[i]);
    EXPECT_EQ(likely.at(i, 0), 1 - expected[i]);
  }
}

TEST(CostClassifier, TellsClassesApartWhereAllErrorsCostTheSame) {
  const auto learner = make_cost_classifier(3);
  const Matrix rows = points(600, 3, 1), others = points(300, 3, 2);
  learner->fit(rows, tables::values_of<std::uint32_t>(rows, stripe), 3);
  const std::vector<std::uint32_t> right = tables::values_of<std::uint32_t>(others, stripe);
  const std::vector<std::uint32_t> told = learner->classify(others);
  int agree = 0;
  for (std::size_t i = 0; i < right.size(); ++i) agree += told[i] == right[i] ? 1 : 0;
  EXPECT_GT(agree, 250);
  const Matrix likely = learner->probabilities(others);
  for (std::size_t i = 0; i < likely.count(); ++i)
    EXPECT_NEAR(likely.at(i, 0) + likely.at(i, 1) + likely.at(i, 2), 1, 1e-9);
}

/// Two thirds of the examples say that the first class is better, by a hundredth; the others that the second
/// is, by far. Nothing tells them apart: counting errors the first class is right, and what matters is the
/// second.
TEST(CostClassifier, ChoosesWhatIsExpectedToCostTheLeast) {
  Matrix rows, costs;
  std::vector<std::uint32_t> classes;
  for (int i = 0; i < 90; ++i) {
    const bool matters = i % 3 == 0;
    rows.add(std::vector<double>{static_cast<double>(i / 3 % 5)});
    costs.add(matters ? std::vector<double>{0.9, 0} : std::vector<double>{0, 0.01});
    classes.push_back(matters ? 1 : 0);
  }
  const auto learner = make_cost_classifier(1);
  learner->fit_costs(rows, costs);
  EXPECT_THAT(learner->classify(rows), testing::Each(1U));
  EXPECT_NEAR(learner->costs(rows).at(0, 0), 0.3, 0.01);
  const auto counting = make_forest_classifier(1);
  counting->fit(rows, classes, 2);
  EXPECT_THAT(counting->classify(rows), testing::Each(0U));
}

/// Groups differ by more than what tells their rows apart, so that levels would say nothing of the order.
TEST(RankingTrees, OrderRowsWithinTheirGroups) {
  if (!has_xgboost()) GTEST_SKIP() << "xgboost (libxgboost0) is not installed";
  Examples examples = heights(600, 1);
  for (std::size_t i = 0; i < 600; ++i) {
    examples.groups.push_back(static_cast<std::uint32_t>(i / 60));
    examples.targets[i] += 100.0 * ((i / 60) % 3);
  }
  const auto learner = make_ranking_trees(usual), read = make_ranking_trees(usual);
  learner->fit(examples);
  const Examples others = heights(200, 2);
  const std::vector<double> scores = learner->scores(others.rows);
  EXPECT_GT(rank_correlation(scores, others.targets), 0.9);
  ASSERT_TRUE(read->from_json(learner->to_json(), 4));
  EXPECT_EQ(read->scores(others.rows), scores);
  examples.weights.assign(600, 1);
  EXPECT_THROW(learner->fit(examples), Bug);
}

}  // namespace
}  // namespace hoist::learn
