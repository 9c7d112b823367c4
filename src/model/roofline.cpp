// No learning: the slowest of analytic times that features give is the time (Williams, Waterman and
// Patterson, Roofline, 2009).
#include <algorithm>
#include <cmath>
#include <limits>

#include "model/learner.hpp"

namespace hoist::model {

namespace {

/// A time of nothing has no logarithm.
constexpr double least_seconds = 1e-12;

class Roofline : public SpeedLearner {
 public:
  void fit(const MeasuredCandidates& examples, const FitOptions& options) override {
    if (options.roofline.empty())
      throw_user("a roofline model needs the names of the features that are times, but none is given");
    columns_.clear();
    for (std::uint32_t i = 0; i < examples.features.size(); ++i) {
      const auto& names = options.roofline;
      if (std::find(names.begin(), names.end(), examples.features[i].name) != names.end())
        columns_.push_back(i);
    }
    if (columns_.empty()) {
      throw_user(
          fmt::format(
              "all features that are times ('{}' …) are missing from the measurements, or the same in all",
              options.roofline[0]),
          {},
          "collect measurements with a version of Hoist that has these features, or learn another kind of "
          "model");
    }
    // Against the least time in each task, as when predicting.
    std::vector<double> least(examples.populations.size(), std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < examples.tasks.size(); ++i)
      least[examples.tasks[i]] = std::min(least[examples.tasks[i]], seconds(examples.numbers.row(i)));
    double squares = 0;
    for (std::size_t i = 0; i < examples.tasks.size(); ++i) {
      const double error =
          std::log(least[examples.tasks[i]] / seconds(examples.numbers.row(i))) - examples.speeds[i];
      squares += error * error;
    }
    deviation_ = std::sqrt(squares / static_cast<double>(examples.tasks.size()));
  }

  std::vector<learn::Prediction> predict(const Matrix& numbers, const Population& population) const override {
    // No candidate is faster than the least of all features together.
    const double least = seconds(population.least);
    std::vector<learn::Prediction> predictions;
    for (std::size_t i = 0; i < numbers.count(); ++i)
      predictions.push_back({std::min(std::log(least / seconds(numbers.row(i))), 0.0), deviation_});
    return predictions;
  }

  Json to_json() const override { return {{"columns", columns_}, {"deviation", deviation_}}; }
  void from_json(const Json& learned, std::size_t width) override {
    columns_ = learned.at("columns").get<std::vector<std::uint32_t>>();
    deviation_ = learned.at("deviation").get<double>();
    for (const std::uint32_t column : columns_) {
      if (column >= width) throw_user("a time is not one of its features");
    }
  }

 private:
  double seconds(std::span<const double> row) const {
    double most = least_seconds;
    for (const std::uint32_t column : columns_) most = std::max(most, row[column]);
    return most;
  }

  std::vector<std::uint32_t> columns_;
  double deviation_ = 0;
};

}  // namespace

std::unique_ptr<SpeedLearner> make_roofline() { return std::make_unique<Roofline>(); }

}  // namespace hoist::model
