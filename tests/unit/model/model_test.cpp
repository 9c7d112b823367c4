#include "model/model.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "learn/statistics.hpp"
#include "unit/model/synthetic.hpp"

namespace hoist::model {
namespace {

using synthetic::make;
using testing::HasSubstr;

const FitOptions usual = {.seed = 7,
                          .effort = 0.4,
                          .roofline = {"roofline"},
                          .provenance = {{"date", "2026-11-22"}, {"hoist", "0.1.0"}}};

/// The rows of one task, and the ln of their throughput over the best, of what ran.
struct Exam {
  Matrix rows;
  std::vector<double> speeds;
};
Exam exam(const Dataset& dataset) {
  Exam result;
  const double best = dataset.best_seconds().front();
  for (std::size_t i = 0; i < dataset.measurements.size(); ++i) {
    if (!dataset.measurements[i].ran()) continue;
    result.rows.add(dataset.features.row(i));
    result.speeds.push_back(std::log(best / dataset.measurements[i].seconds));
  }
  return result;
}

Exam unseen_program() {
  Dataset dataset;
  dataset.schema = synthetic::schema();
  Random random(99);
  synthetic::add_task(dataset, "unseen", 0x1p22, 6, 300, random);
  return exam(dataset);
}

std::vector<double> means(const Model& model, const Matrix& rows) {
  const auto predictions = model.predict(rows);
  EXPECT_TRUE(predictions) << predictions.error().render();
  std::vector<double> result;
  for (const Prediction& each : *predictions) result.push_back(each.mean);
  return result;
}

Model fitted(const std::string& kind, const Dataset& dataset, const FitOptions& options = usual) {
  auto model = fit(kind, dataset, options);
  EXPECT_TRUE(model) << model.error().render();
  return std::move(*model);
}

class EachKind : public testing::TestWithParam<std::string> {
 protected:
  /// Of five programs; learned once for all tests that only look at it.
  static const Model& model() {
    static std::map<std::string, Model> models;
    auto place = models.find(GetParam());
    if (place == models.end()) place = models.emplace(GetParam(), fitted(GetParam(), make(5, 120))).first;
    return place->second;
  }
};

TEST_P(EachKind, PredictsAProgramThatItHasNotSeen) {
  const Exam unseen = unseen_program();
  const std::vector<double> predicted = means(model(), unseen.rows);
  double errors = 0, squares = 0;
  const double middle = learn::mean(unseen.speeds);
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    errors += std::pow(predicted[i] - unseen.speeds[i], 2);
    squares += std::pow(middle - unseen.speeds[i], 2);
  }
  EXPECT_GT(learn::rank_correlation(predicted, unseen.speeds), GetParam() == "roofline" ? 0.7 : 0.85);
  EXPECT_LT(errors, (GetParam() == "roofline" ? 1.0 : 0.5) * squares) << "a constant predicts as well";
}

TEST_P(EachKind, IsTheSameAgainWithTheSameSeed) {
  EXPECT_EQ(model().to_json(), fitted(GetParam(), make(5, 120)).to_json());
}

TEST_P(EachKind, IsReadAsItWasWritten) {
  const auto path = (std::filesystem::temp_directory_path() /
                     ("hoist_model_" + std::to_string(::getpid()) + GetParam() + ".json.gz"))
                        .string();
  ASSERT_TRUE(save(model(), path));
  const auto read = load(path);
  std::filesystem::remove(path);
  ASSERT_TRUE(read) << read.error().render();
  EXPECT_EQ(model().to_json(), read->to_json());
  const Exam unseen = unseen_program();
  const auto before = model().predict(unseen.rows), after = read->predict(unseen.rows);
  for (std::size_t i = 0; i < before->size(); ++i) {
    EXPECT_EQ((*before)[i].mean, (*after)[i].mean);
    EXPECT_EQ((*before)[i].deviation, (*after)[i].deviation);
    EXPECT_EQ((*before)[i].outside, (*after)[i].outside);
  }
}

TEST_P(EachKind, ItsDeviationIsOfTheSizeOfItsErrors) {
  const Exam unseen = unseen_program();
  const auto predictions = model().predict(unseen.rows);
  std::size_t within = 0;
  for (std::size_t i = 0; i < predictions->size(); ++i) {
    const Prediction& each = (*predictions)[i];
    EXPECT_GE(each.deviation, 0);
    within += std::abs(each.mean - unseen.speeds[i]) <= 2 * each.deviation + 1e-9 ? 1 : 0;
  }
  EXPECT_GT(static_cast<double>(within), 0.75 * static_cast<double>(predictions->size()));
}

/// A model whose learned part has lost or changed something is refused, never applied.
TEST_P(EachKind, DamagedFilesAreRefused) {
  const nlohmann::json whole = model().to_json();
  ASSERT_TRUE(parse_model(whole.dump(), "m.json"));
  std::vector<std::string> keys;
  for (const auto& [key, value] : whole["learned"].items()) keys.push_back(key);
  for (const std::string& key : keys) {
    nlohmann::json missing = whole, changed = whole;
    missing["learned"].erase(key);
    changed["learned"][key] = nlohmann::json::array({"x"});
    for (const nlohmann::json& each : {missing, changed}) {
      const auto read = parse_model(each.dump(), "m.json");
      ASSERT_FALSE(read) << key;
      EXPECT_THAT(read.error().render(), HasSubstr("'m.json' is not a model that this Hoist can use"));
    }
  }
  nlohmann::json narrower = whole;
  narrower["excluded"] = {"lines"};  // then the learned part is of one feature more than there are
  EXPECT_FALSE(parse_model(narrower.dump(), "m.json"));
}

INSTANTIATE_TEST_SUITE_P(Models, EachKind,
                         testing::Values("boosted", "ranking", "forest", "network", "ensemble", "paper",
                                         "roofline"),
                         [](const auto& each) { return each.param; });

TEST(Model, DescribesWhatItWasMadeFrom) {
  const Dataset dataset = make(4, 60);
  const Model model = fitted("paper", dataset);
  const Description& description = model.description();
  EXPECT_EQ(description.kind, "paper");
  EXPECT_EQ(description.schema, synthetic::schema());
  EXPECT_EQ(description.device_classes, std::vector<std::string>{"gpu"});
  EXPECT_EQ(description.seed, 7U);
  EXPECT_EQ(description.provenance.at("date"), "2026-11-22");
  EXPECT_EQ(description.measured + description.failed, dataset.measurements.size());
  EXPECT_GT(description.failed, 0U);
  EXPECT_EQ(description.tasks, 8U);
  EXPECT_EQ(description.programs, (std::vector<std::string>{"p0", "p1", "p2", "p3"}));
  EXPECT_EQ(description.constant, std::vector<std::string>{"version"});
  EXPECT_EQ(description.ranges[0].least, 0x1p20);
  EXPECT_EQ(description.ranges[0].greatest, 0x1p24);
}

TEST(Model, FlagsCandidatesOutsideTheRangeSeen) {
  const Dataset dataset = make(4, 60);
  const Model model = fitted("paper", dataset);
  Matrix rows;
  std::vector<double> row(dataset.features.row(0).begin(), dataset.features.row(0).end());
  rows.add(row);
  row[0] = 0x1p30;
  row[4] = 1000;
  row[7] = 8;  // was the same everywhere: not used
  rows.add(row);
  const auto predictions = model.predict(rows);
  ASSERT_TRUE(predictions);
  EXPECT_EQ((*predictions)[0].outside, 0U);
  EXPECT_EQ((*predictions)[1].outside, 2U);
  EXPECT_EQ(model.outside(row), (std::vector<std::string>{"size", "loads"}));
}

TEST(Model, ExcludedFeaturesDoNotMatter) {
  FitOptions options = usual;
  options.excluded = {"lines", "loads", "roofline"};
  const Model model = fitted("network", make(4, 60), options);
  Exam unseen = unseen_program();
  const std::vector<double> before = means(model, unseen.rows);
  for (std::size_t i = 0; i < unseen.rows.count(); ++i) unseen.rows.numbers[i * unseen.rows.width + 3] *= 3;
  EXPECT_EQ(before, means(model, unseen.rows));
  options.excluded = {"line"};
  EXPECT_THAT(fit("paper", make(4, 60), options).error().render(),
              HasSubstr("there is no feature 'line' to leave out"));
}

TEST(Model, TooLittleToLearnFromSaysHowMuchIsNeeded) {
  const auto refused = fit("paper", make(1, 8), usual);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::User);
  EXPECT_THAT(refused.error().render(), HasSubstr("and 30 are needed"));
  // Candidates alone in their task compare with nothing.
  Dataset alone;
  alone.schema = synthetic::schema();
  Random random(1);
  for (int i = 0; i < 50; ++i) synthetic::add_task(alone, fmt::format("p{}", i), 0x1p20, 1, 1, random);
  EXPECT_THAT(fit("paper", alone, usual).error().render(),
              HasSubstr("too little to learn from: only 0 candidates"));
  Dataset nothing;
  nothing.schema = synthetic::schema();
  EXPECT_THAT(fit("paper", nothing, usual).error().render(), HasSubstr("too little to learn from"));
}

TEST(Model, FewProgramsOrOneTaskAreEnough) {
  for (const int programs : {1, 2, 3}) fitted("network", make(programs, 40));
  Dataset one;
  one.schema = synthetic::schema();
  Random random(1);
  synthetic::add_task(one, "p", 0x1p20, 1, 40, random);
  fitted("boosted", one);
}

TEST(Model, NumbersThatAreNoneNameFeatureAndRow) {
  Dataset dataset = make(4, 60);
  dataset.features.numbers[5 * dataset.features.width + 3] = std::nan("");
  const auto refused = fit("paper", dataset, usual);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().render(), HasSubstr("the feature 'lines' of row 6 is nan"));
  const Model model = fitted("paper", make(4, 60));
  Matrix rows = unseen_program().rows;
  rows.numbers[2] = std::numeric_limits<double>::infinity();
  const auto prediction = model.predict(rows);
  ASSERT_FALSE(prediction);
  EXPECT_THAT(prediction.error().render(), HasSubstr("the feature 'group' of row 1 is inf"));
}

TEST(Model, FeaturesThatAreAllTheSameSayNothing) {
  Dataset dataset;
  dataset.schema = {1, {{"f", "", "", ""}}};
  Measurement measurement;
  measurement.task = dataset.task({"p", "", "gpu"});
  measurement.derivation = dataset.derivation("");
  for (int i = 0; i < 40; ++i) {
    measurement.seconds = 1 + i;
    dataset.add(measurement, std::vector<double>{2});
  }
  EXPECT_THAT(fit("paper", dataset, usual).error().render(), HasSubstr("all features are the same"));
}

TEST(Model, AnotherSchemaOrDeviceIsRefused) {
  const Model model = fitted("paper", make(4, 60));
  EXPECT_TRUE(model.check(synthetic::schema(), "gpu"));
  EXPECT_THAT(model.check(synthetic::schema(), "cpu").error().render(),
              HasSubstr("it was learned for 'gpu'"));
  Schema other = synthetic::schema();
  other.version = 4;
  EXPECT_THAT(model.check(other, "gpu").error().render(),
              HasSubstr("version 3, the given features version 4"));
  other = synthetic::schema();
  other.features.pop_back();
  EXPECT_THAT(model.check(other, "gpu").error().render(),
              HasSubstr("the feature 'roofline', which the given features lack"));
  other = synthetic::schema();
  other.features.push_back({"more", "", "", ""});
  EXPECT_THAT(model.check(other, "gpu").error().render(),
              HasSubstr("the given features have 'more', which the model does not know"));
  other = synthetic::schema();
  std::swap(other.features[0], other.features[1]);
  EXPECT_THAT(model.check(other, "gpu").error().render(), HasSubstr("the order, units or groups"));
}

TEST(Model, UnknownKindsAndFilesAreRefused) {
  EXPECT_THAT(fit("oracle", make(4, 60), usual).error().render(),
              HasSubstr("the kinds are boosted, ranking"));
  FitOptions without = usual;
  without.roofline = {};
  EXPECT_THAT(fit("roofline", make(4, 60), without).error().render(),
              HasSubstr("needs the names of the features"));
  without.roofline = {"version"};
  EXPECT_THAT(fit("roofline", make(4, 60), without).error().render(),
              HasSubstr("missing from the measurements, or the same in all"));
  EXPECT_THAT(load("/no/such/file").error().render(), HasSubstr("there is no file"));
  EXPECT_THAT(parse_model("{", "m").error().render(), HasSubstr("'m' is not a model"));
  EXPECT_THAT(parse_model("[1]", "m").error().render(), HasSubstr("its format is 'hoist model'"));
  EXPECT_THAT(parse_model(R"({"format": "hoist model", "version": 99})", "m").error().render(),
              HasSubstr("its format has version 99, and this Hoist reads 1"));
}

TEST(Model, NothingIsPredictedOfNothing) {
  const auto predictions = fitted("paper", make(4, 60)).predict(Matrix{});
  ASSERT_TRUE(predictions);
  EXPECT_TRUE(predictions->empty());
}

}  // namespace
}  // namespace hoist::model
