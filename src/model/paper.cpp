// The model of the papers (Remmelg et al., 2020, and the thesis; docs/model.md): features by the input's
// size, standardized, principal components that hold 95% of the variance, the mean throughput of the 5
// nearest neighbours.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/need.hpp"
#include "learn/neighbours.hpp"
#include "learn/principal_components.hpp"
#include "learn/scaling.hpp"
#include "model/learner.hpp"

namespace hoist::model {

namespace {

constexpr std::size_t neighbours = 5;
constexpr double variance_kept = 0.95;
/// A mean throughput of nothing has no logarithm.
constexpr double least_throughput = 1e-6;

class Paper : public SpeedLearner {
 public:
  void fit(const MeasuredCandidates& examples, const FitOptions&) override {
    take_divisors(examples.features);
    const Matrix numbers = normalized(examples.numbers);
    // What is the same everywhere once it is divided says nothing, and has no part in the components.
    scaling_ = learn::Standardization::of(numbers);
    const Matrix standardized = scaling_.apply(numbers);
    components_ = learn::PrincipalComponents::of(standardized, variance_kept);
    learn::Examples known{components_.project(standardized), {}};
    for (const double speed : examples.speeds) known.targets.push_back(std::exp(speed));
    neighbours_->fit(known);
  }

  std::vector<learn::Prediction> predict(const Matrix& numbers, const Population&) const override {
    const Matrix rows = components_.project(scaling_.apply(normalized(numbers)));
    std::vector<learn::Prediction> predictions;
    for (const learn::Prediction& each : neighbours_->predict(rows)) {
      const double throughput = std::max(each.mean, least_throughput);
      // The deviation is that of the logarithm, to first order.
      predictions.push_back({std::log(throughput), each.deviation / throughput});
    }
    return predictions;
  }

  Json to_json() const override {
    const Json known = neighbours_->to_json();
    return {{"divisors", divisors_},           {"mean", scaling_.mean},
            {"deviation", scaling_.deviation}, {"components", components_.to_json()},
            {"points", known.at("points")},    {"throughputs", known.at("targets")}};
  }

  void from_json(const Json& learned, std::size_t width) override {
    divisors_ = learned.at("divisors").get<std::vector<std::uint32_t>>();
    scaling_ = {learned.at("mean").get<std::vector<double>>(),
                learned.at("deviation").get<std::vector<double>>()};
    if (divisors_.size() != width || scaling_.mean.size() != width || scaling_.deviation.size() != width)
      throw_user("its tables differ in length");
    for (const std::uint32_t divisor : divisors_) {
      if (divisor != no_feature && divisor >= width)
        throw_user("a feature is divided by a feature that does not exist");
    }
    components_ = need(learn::PrincipalComponents::from_json(learned.at("components"), width));
    need(neighbours_->from_json({{"points", learned.at("points")}, {"targets", learned.at("throughputs")}},
                                components_.count()));
  }

 private:
  static constexpr std::uint32_t no_feature = std::numeric_limits<std::uint32_t>::max();

  void take_divisors(const std::vector<Feature>& features) {
    divisors_.assign(features.size(), no_feature);
    for (std::size_t i = 0; i < features.size(); ++i) {
      for (std::uint32_t size = 0; size < features.size() && !features[i].per.empty(); ++size) {
        if (features[size].name == features[i].per) divisors_[i] = size;
      }
    }
  }

  /// By the input's size, where features grow with it.
  Matrix normalized(const Matrix& numbers) const {
    Matrix rows = numbers;
    for (std::size_t i = 0; i < divisors_.size(); ++i) {
      if (divisors_[i] == no_feature) continue;
      for (std::size_t row = 0; row < rows.count(); ++row) {
        const double size = numbers.at(row, divisors_[i]);
        if (size != 0) rows.numbers[row * rows.width + i] /= size;
      }
    }
    return rows;
  }

  std::vector<std::uint32_t> divisors_;  ///< of each feature, the one of the input's size, or no_feature
  learn::Standardization scaling_;
  learn::PrincipalComponents components_;
  /// Neighbours in the space of the principal components; their targets are throughputs over the best of the
  /// task.
  std::unique_ptr<learn::StoredRegressor> neighbours_ = learn::make_neighbours(neighbours);
};

}  // namespace

std::unique_ptr<SpeedLearner> make_paper() { return std::make_unique<Paper>(); }

}  // namespace hoist::model
