// How long models take to learn, and to rank 10,000 candidates with 100 features, on one core.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>

#include "base/random.hpp"
#include "model/model.hpp"

namespace {

using namespace hoist::model;
using hoist::Random;

constexpr std::size_t feature_count = 100, programs = 8, sizes = 5, candidates = 10000;

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Half of the features are powers of two, as sizes and counts are; the time depends on a dozen of them.
std::vector<double> candidate(Random& random) {
  std::vector<double> row;
  for (std::size_t i = 0; i < feature_count; ++i)
    row.push_back(i % 2 == 0 ? std::exp2(static_cast<double>(random.below(12)))
                             : std::floor(random.unit() * 1000));
  return row;
}

double seconds_of(const std::vector<double>& row) {
  double sum = 1;
  for (std::size_t i = 0; i < 12; i += 2)
    sum += row[i] / (64 + row[i + 1]) + std::abs(row[i + 12] - 64) / 512;
  return 1e-5 * sum;
}

Dataset make(std::size_t rows_of_task) {
  Random random(1);
  Dataset dataset;
  dataset.schema.version = 1;
  for (std::size_t i = 0; i < feature_count; ++i)
    dataset.schema.features.push_back({fmt::format("f{}", i), "", fmt::format("g{}", i % 8), ""});
  Measurement measurement;
  measurement.derivation = dataset.derivation("made up");
  measurement.outcome = "ok";
  for (std::size_t task = 0; task < programs * sizes; ++task) {
    measurement.task =
        dataset.task({fmt::format("p{}", task / sizes), fmt::format("N={}", task % sizes), "gpu"});
    for (std::size_t i = 0; i < rows_of_task; ++i) {
      const std::vector<double> row = candidate(random);
      measurement.candidate = fmt::format("{}", i);
      measurement.seconds = seconds_of(row) * (1 + 0.02 * random.normal());
      dataset.add(measurement, row);
    }
  }
  return dataset;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t rows_of_task = argc > 1 ? static_cast<std::size_t>(std::atoi(argv[1])) : 250;
  const Dataset dataset = make(rows_of_task);
  Random random(2);
  hoist::Matrix others;
  for (std::size_t i = 0; i < candidates; ++i) others.add(candidate(random));
  fmt::print("{} rows, {} features, {} programs; seconds of one core\n", dataset.measurements.size(),
             feature_count, programs);
  fmt::print("{:10} {:>9} {:>14} {:>9}\n", "kind", "learn", "rank 10,000", "JSON MB");
  for (const Kind& kind : kinds()) {
    FitOptions options;
    options.roofline = {"f0"};
    const double begin = processor_seconds();
    const auto model = fit(kind.name, dataset, options);
    const double fitted = processor_seconds();
    if (!model) {
      fmt::print(stderr, "{}", model.error().render());
      return 1;
    }
    const auto predictions = model->predict(others);
    const double ranked = processor_seconds();
    fmt::print("{:10} {:>9.2f} {:>14.3f} {:>9.2f}\n", kind.name, fitted - begin, ranked - fitted,
               static_cast<double>(model->to_json().dump().size()) / 1e6);
  }
}
