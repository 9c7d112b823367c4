// Committees: what their members have not seen says how far they are to be trusted.
#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "model/learner.hpp"
#include "model/model.hpp"
#include "unit/model/synthetic.hpp"

namespace hoist::model {
namespace {

Model fitted(const std::string& kind, const Dataset& dataset, double effort = 0.5) {
  FitOptions options;
  options.seed = 3;
  options.effort = effort;
  auto model = fit(kind, dataset, options);
  EXPECT_TRUE(model) << model.error().render();
  return *std::move(model);
}

Model read(const nlohmann::json& json) {
  auto model = parse_model(json.dump(), "m.json");
  EXPECT_TRUE(model) << model.error().render();
  return *std::move(model);
}

std::vector<Prediction> predicted(const Model& model, const Matrix& rows) {
  auto predictions = model.predict(rows);
  EXPECT_TRUE(predictions) << predictions.error().render();
  return *std::move(predictions);
}

/// What members were wrong by of what they had not seen: no deviation is less.
double residual_of(const Model& model) { return model.to_json()["learned"]["residual"]; }

constexpr double spread_of_rules = 0.58;  ///< of 2 x, where x is anything from 0 to 1
constexpr double known = spread_of_rules / 3, unknown = 2 * spread_of_rules / 3;

/// Groups of tasks, each with a rule of its own: the speed rises or falls with x, which only an example of
/// the same group tells. Every row has its group as a feature, so whoever has seen the group knows the rule.
Dataset of_rules(int programs, int tasks, int rows, bool has_rule_for_each_task) {
  Dataset dataset;
  dataset.schema = {1, {{"x", "", "", ""}, {"group", "", "", ""}}};
  Random random(5);
  for (int program = 0; program < programs; ++program) {
    for (int task = 0; task < tasks; ++task) {
      const int group = has_rule_for_each_task ? program * tasks + task : program;
      Measurement measurement;
      measurement.task = dataset.task({"p" + std::to_string(program), "N=" + std::to_string(task), "gpu"});
      measurement.derivation = dataset.derivation("");
      for (int i = 0; i < rows; ++i) {
        const double x = random.unit();
        measurement.seconds = std::exp(2 * (group % 2 == 0 ? x : 1 - x));
        dataset.add(measurement, std::vector<double>{x, 10.0 * group});
      }
    }
  }
  return dataset;
}

/// A member that had seen the programs that it is asked about would think itself right to some percent.
TEST(Committee, ItsDeviationIsOfProgramsThatMembersHaveNotSeen) {
  const Dataset dataset = of_rules(10, 2, 40, false);
  EXPECT_GT(residual_of(fitted("boosted", dataset)), unknown);
}

TEST(Committee, OfFewProgramsTasksAreLeftOut) {
  const Dataset dataset = of_rules(2, 6, 40, true);
  EXPECT_GT(residual_of(fitted("boosted", dataset)), unknown);
}

/// Then others of the same task are seen, and the rule is known.
TEST(Committee, OfFewTasksCandidatesAreLeftOut) {
  const Dataset dataset = of_rules(1, 2, 150, true);
  EXPECT_LT(residual_of(fitted("boosted", dataset)), known);
}

/// docs/model.md: the mean of the members, and √(s² + r²), where s is the members' own spread and r the error
/// of what they had not seen.
TEST(Committee, PredictsTheMeanOfItsMembersWithTheirSpreadAndTheirError) {
  const Dataset dataset = synthetic::make(5, 60);
  const Model whole = fitted("network", dataset, 0.2);
  const nlohmann::json json = whole.to_json();
  const double residual = json["learned"]["residual"];
  ASSERT_EQ(json["learned"]["members"].size(), 5U);
  EXPECT_GT(residual, 0);
  std::vector<std::vector<Prediction>> alone;
  for (const nlohmann::json& member : json["learned"]["members"]) {
    nlohmann::json single = json;
    single["learned"]["members"] = {member};
    alone.push_back(predicted(read(single), dataset.features));
  }
  const std::vector<Prediction> together = predicted(whole, dataset.features);
  double greatest_spread = 0;
  for (std::size_t i = 0; i < together.size(); ++i) {
    double sum = 0, squares = 0;
    for (const auto& member : alone) {
      EXPECT_NEAR(member[i].deviation, residual, 1e-7) << "one member has no spread";
      sum += member[i].mean;
      squares += member[i].mean * member[i].mean;
    }
    const double mean = sum / 5, spread = std::sqrt(std::max(squares / 5 - mean * mean, 0.0));
    greatest_spread = std::max(greatest_spread, spread);
    EXPECT_NEAR(together[i].mean, mean, 1e-9);
    EXPECT_NEAR(together[i].deviation, std::hypot(spread, residual), 1e-7);
  }
  EXPECT_GT(greatest_spread, 0.5 * residual) << "spreads that would not be missed show nothing";
}

/// A voice counts by its weight, in each member alike.
TEST(Committee, VoicesCountByTheirWeights) {
  const Dataset dataset = synthetic::make(5, 60);
  nlohmann::json json = fitted("ensemble", dataset, 0.1).to_json();
  const auto weighted = [&](const std::vector<double>& weights) {
    json["learned"]["weights"] = weights;
    json["learned"]["constant"] = 0;
    return predicted(read(json), dataset.features);
  };
  ASSERT_EQ(json["learned"]["weights"].size(), 4U);
  const auto all = weighted({0.5, 0.25, 2, 1});
  std::vector<std::vector<Prediction>> voices;
  for (std::size_t k = 0; k < 4; ++k) {
    std::vector<double> weights(4, 0.0);
    weights[k] = 1;
    voices.push_back(weighted(weights));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_NEAR(
        all[i].mean,
        0.5 * voices[0][i].mean + 0.25 * voices[1][i].mean + 2 * voices[2][i].mean + voices[3][i].mean, 1e-9);
  }
}

/// A row's weight is (0.1 + t_best / t) over the rows of its task, with 1 as the mean of all.
TEST(RowWeights, AreTheSameForEachTaskAndGreaterForTheFast) {
  const std::vector<std::uint32_t> tasks = {0, 0, 1, 1, 1, 1, 1, 1};
  const std::vector<double> speeds = {0, -2, 0, 0, 0, -2, -2, -2};
  const std::vector<double> weights = row_weights(tasks, speeds);
  EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 8, 1e-5);
  EXPECT_NEAR(weights[0] + weights[1], 4, 1e-5) << "a task of two rows counts as much as one of six";
  EXPECT_NEAR(weights[0] / weights[1], (0.1 + 1) / (0.1 + std::exp(-2.0)), 1e-5);
  EXPECT_NEAR(weights[2] / weights[5], (0.1 + 1) / (0.1 + std::exp(-2.0)), 1e-5);
}

/// Candidates that look alike, half of them the best and half e^3 times slower. The best count more, by what
/// row_weights says: 1.1 to 0.15.
TEST(RowWeights, TreesHearTheFastMoreThanTheSlow) {
  Dataset dataset;
  dataset.schema = {1, {{"f", "", "", ""}}};
  Random random(1);
  for (int program = 0; program < 6; ++program) {
    Measurement measurement;
    measurement.task = dataset.task({"p" + std::to_string(program), "N=1", "gpu"});
    measurement.derivation = dataset.derivation("");
    for (int i = 0; i < 40; ++i) {
      measurement.seconds = i % 2 == 0 ? 1 : std::exp(3.0);
      dataset.add(measurement, std::vector<double>{static_cast<double>(i / 2 % 4)});
    }
  }
  const double expected = -3 * (0.1 + std::exp(-3.0)) / (1.1 + 0.1 + std::exp(-3.0));
  const nlohmann::json json = fitted("boosted", dataset).to_json();
  for (const nlohmann::json& member : json["learned"]["members"])
    EXPECT_NEAR(member[0]["center"].get<double>(), expected, 1e-4);
}

}  // namespace
}  // namespace hoist::model
