// Searches held against recorded candidates, on made-up tables.
#include "predict/recorded_search.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace hoist::predict {
namespace {

using search::Configuration;
using testing::ElementsAre;

constexpr double failed = std::numeric_limits<double>::quiet_NaN();

struct Row {
  std::string derivation;
  double local_size, loads, seconds;
};

model::Dataset table(const std::vector<Row>& rows) {
  model::Dataset dataset;
  dataset.schema = {1, {{"local_size_0", "", "", ""}, {"global_loads", "", "", ""}}};
  model::Measurement measurement;
  measurement.task = dataset.task({"p", "N=1", "gpu"});
  for (const Row& row : rows) {
    measurement.derivation = dataset.derivation(row.derivation);
    measurement.seconds = row.seconds;
    dataset.add(measurement, std::vector<double>{row.local_size, row.loads});
  }
  return dataset;
}

TEST(RecordedSearch, ChoicesAreStepsAndWhatSizesComeTo) {
  const model::Dataset dataset = table({{"tile(2); map; toLocal(0); toLocal(1)", 64, 9, 1},
                                        {"tile(1); map; toLocal(1)", 32, 8, 1},
                                        {"map", 256, 7, 1},
                                        {"map", 256, 6, 1}});
  // map, tile, the first toLocal, the second, the group's size, and which of those that are alike in all
  // that.
  EXPECT_THAT(choices_of(dataset, {0, 1, 2, 3}),
              ElementsAre(Configuration{0, 2, 1, 1, 1, 0}, Configuration{0, 1, 2, 0, 0, 0},
                          Configuration{0, 0, 0, 0, 2, 0}, Configuration{0, 0, 0, 0, 2, 1}));
}

TEST(RecordedSearch, ChoicesAreStepsAndValuesWhereTheyAreKnown) {
  model::Dataset dataset = table({{"tile(2); map", 64, 9, 1}, {"tile(2); map", 64, 8, 1}, {"map", 64, 7, 1}});
  dataset.measurements[0].values = {{"k", 8}, {"t", 64}};
  dataset.measurements[1].values = {{"k", 2}, {"t", 64}};
  // map, tile, k, t (none of both in the last), and which of those that are alike in all that.
  EXPECT_THAT(
      choices_of(dataset, {0, 1, 2}),
      ElementsAre(Configuration{0, 1, 2, 1, 0}, Configuration{0, 1, 1, 1, 0}, Configuration{0, 0, 0, 0, 0}));
}

TEST(RecordedSearch, OfFewCandidatesIsAtRandom) {
  // Before it has sixteen to make children of, a genetic algorithm draws.
  const model::Dataset dataset =
      table({{"map", 1, 0, 1}, {"map", 2, 0, 2}, {"map", 4, 0, failed}, {"map", 8, 0, 4}});
  const auto evaluation = evaluate_search("genetic", dataset, dataset.tasks, 4000, 1);
  ASSERT_TRUE(evaluation) << evaluation.error().render();
  ASSERT_EQ(evaluation->tasks.size(), 1U);
  const model::TaskCosts& costs = evaluation->tasks.front();
  EXPECT_EQ(costs.candidates, 4U);
  EXPECT_EQ(costs.failed, 1U);
  EXPECT_NEAR(costs.predicted_90.runs, costs.random_90.runs, 0.1);
  EXPECT_NEAR(costs.predicted_90.seconds, costs.random_90.seconds, 0.2);
  EXPECT_NEAR(costs.first_run, (1 + 0.5 + 0.25) / 4, 0.02);
  for (const model::CurvePoint& point : costs.curve) EXPECT_NEAR(point.in_order, point.at_random, 0.02);
  EXPECT_NEAR(costs.curve.back().in_order, 1, 1e-9);
  EXPECT_EQ(evaluation->summary.runs_90, costs.predicted_90.runs);
  EXPECT_EQ(to_json(*evaluation)["tasks"][0]["predicted_90"]["runs"], costs.predicted_90.runs);
}

/// Times that fall as groups grow: children of the best are better than chance.
TEST(RecordedSearch, LearnsAsItGoes) {
  std::vector<Row> rows;
  for (int i = 0; i < 400; ++i)
    rows.push_back({i % 2 == 0 ? "map" : "tile(1); map", static_cast<double>(i / 2), 0, std::exp(-0.02 * i)});
  const model::Dataset dataset = table(rows);
  const auto evaluation = evaluate_search("genetic", dataset, dataset.tasks, 20, 1);
  ASSERT_TRUE(evaluation);
  EXPECT_LT(evaluation->summary.runs_95, 0.7 * evaluation->summary.random_runs_95);
  EXPECT_EQ(evaluate_search("genetic", dataset, dataset.tasks, 20, 1)->summary.runs_95,
            evaluation->summary.runs_95);
}

TEST(RecordedSearch, LeavesOutWhatIsNotAskedForAndWhatNeverRan) {
  model::Dataset dataset = table({{"map", 1, 0, failed}});
  EXPECT_TRUE(evaluate_search("genetic", dataset, dataset.tasks, 1, 1)->tasks.empty());
  EXPECT_TRUE(evaluate_search("genetic", table({{"map", 1, 0, 1}}), {}, 1, 1)->tasks.empty());
  EXPECT_FALSE(evaluate_search("magic", table({{"map", 1, 0, 1}}), dataset.tasks, 1, 1));
}

}  // namespace
}  // namespace hoist::predict
