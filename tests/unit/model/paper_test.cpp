// The papers' model on tables whose nearest neighbours are plain to see.
#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "model/model.hpp"

namespace hoist::model {
namespace {

class Paper : public testing::Test {
 protected:
  void add(const std::string& size, double seconds, const std::vector<double>& features) {
    Measurement measurement;
    measurement.task = dataset.task({"p", size, "gpu"});
    measurement.derivation = dataset.derivation("");
    measurement.seconds = seconds;
    dataset.add(measurement, features);
  }
  Model learned(const FitOptions& options = {}) const {
    auto model = fit("paper", dataset, options);
    EXPECT_TRUE(model) << model.error().render();
    return *std::move(model);
  }
  static Prediction predicted(const Model& model, const std::vector<double>& features) {
    Matrix rows;
    rows.add(features);
    return model.predict(rows).value().front();
  }

  Dataset dataset;
};

TEST_F(Paper, PredictsTheMeanThroughputOfTheFiveNearest) {
  dataset.schema = {1, {{"place", "", "", ""}}};
  // At each place five candidates, each slower than the one before; the best takes 1 s.
  const double slowdowns[] = {1, 2, 4, 5, 10};
  for (int place = 0; place < 6; ++place) {
    for (const double slowdown : slowdowns) add("N=1", (place + 1) * slowdown, {100.0 * place});
  }
  const Model model = learned();
  for (int place = 0; place < 6; ++place) {
    // Of 1, 1/2, 1/4, 1/5 and 1/10 the mean is 0.41, and of their squares 0.2725.
    const double mean = 0.41, deviation = std::sqrt(0.2725 - mean * mean);
    const Prediction found = predicted(model, {100.0 * place + 3});
    EXPECT_NEAR(found.mean, std::log(mean / (place + 1)), 1e-6) << "at place " << place;
    EXPECT_NEAR(found.deviation, deviation / mean, 1e-6) << "of the logarithm: over the mean";
  }
}

/// What a work-item does decides how fast a candidate is, and the input's size does not: of a size that was
/// never measured the candidates are like those of other sizes with as many elements for a work-item.
TEST_F(Paper, DividesWhatGrowsByTheInputsSize) {
  dataset.schema = {1, {{"work_items", "", "", "elements"}, {"elements", "", "", ""}}};
  const auto seconds = [](double elements, double for_each) { return 1e-9 * elements * (1 + for_each); };
  for (const double elements : {1e6, 1e8}) {
    for (const double for_each : {1, 2, 4, 8, 16}) {
      for (int i = 0; i < 5; ++i)
        add(elements < 1e7 ? "N=1e6" : "N=1e8", seconds(elements, for_each), {elements / for_each, elements});
    }
  }
  const Model model = learned();
  for (const double for_each : {1, 2, 4, 8, 16}) {
    const double throughput = seconds(1e7, 1) / seconds(1e7, for_each);
    EXPECT_NEAR(predicted(model, {1e7 / for_each, 1e7}).mean, std::log(throughput), 1e-6)
        << for_each << " elements for a work-item";
  }
}

/// 31 columns that have nothing to do with each other, with the same variance each: 30 hold 95% of it.
TEST_F(Paper, KeepsTheComponentsThatHold95PercentOfTheVariance) {
  dataset.schema.version = 1;
  for (int column = 1; column < 32; ++column)
    dataset.schema.features.push_back({"f" + std::to_string(column), "", "", ""});
  for (int row = 0; row < 32; ++row) {
    std::vector<double> features;  // a Hadamard matrix: its columns are orthogonal
    for (int column = 1; column < 32; ++column) features.push_back(__builtin_parity(row & column));
    add("N=1", 1 + row, features);
  }
  const nlohmann::json learned_part = learned().to_json()["learned"];
  EXPECT_EQ(learned_part["components"].size(), 30U * 31U);
}

}  // namespace
}  // namespace hoist::model
