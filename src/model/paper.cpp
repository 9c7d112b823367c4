// The model of the papers (Remmelg et al., 2020, and the thesis; docs/model.md): features by the input's
// size, standardized, principal components that hold 95% of the variance, the mean throughput of the 5
// nearest neighbours.
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "model/learner.hpp"

namespace hoist::model {

namespace {

constexpr std::size_t neighbours = 5;
constexpr double variance_kept = 0.95;
/// A mean throughput of nothing has no logarithm.
constexpr double least_throughput = 1e-6;

using Vector = Eigen::VectorXd;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

class Paper : public Learner {
 public:
  void fit(const Examples& examples, const FitOptions&) override {
    take_divisors(examples.features);
    Rows numbers = normalized(examples.numbers);
    mean_ = numbers.colwise().mean();
    numbers.rowwise() -= mean_.transpose();
    deviation_ = (numbers.colwise().squaredNorm() / static_cast<double>(numbers.rows())).cwiseSqrt();
    // What is the same everywhere once it is divided says nothing.
    for (double& deviation : deviation_) deviation = deviation > 0 ? deviation : 1;
    numbers = numbers * deviation_.cwiseInverse().asDiagonal();
    find_components(numbers);
    keep(numbers * components_, examples.speeds);
  }

  std::vector<Estimate> predict(const Matrix& numbers, const Population&) const override {
    Rows standardized = normalized(numbers);
    standardized.rowwise() -= mean_.transpose();
    const Rows projected = standardized * deviation_.cwiseInverse().asDiagonal() * components_;
    std::vector<Estimate> estimates;
    for (Eigen::Index i = 0; i < projected.rows(); ++i)
      estimates.push_back(estimate(projected.row(i).data()));
    return estimates;
  }

  Json to_json() const override;
  void from_json(const Json& learned, std::size_t width) override;

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

  Rows normalized(const Matrix& numbers) const {
    Rows rows = Eigen::Map<const Rows>(numbers.numbers.data(), static_cast<Eigen::Index>(numbers.count()),
                                       static_cast<Eigen::Index>(numbers.width));
    const Rows sizes = rows;
    for (std::size_t i = 0; i < divisors_.size(); ++i) {
      if (divisors_[i] == no_feature) continue;
      const auto column = static_cast<Eigen::Index>(i);
      for (Eigen::Index row = 0; row < rows.rows(); ++row) {
        const double size = sizes(row, divisors_[i]);
        if (size != 0) rows(row, column) /= size;
      }
    }
    return rows;
  }

  void find_components(const Rows& standardized) {
    const Eigen::MatrixXd covariance =
        standardized.transpose() * standardized / static_cast<double>(standardized.rows());
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance);
    const Vector& variances = solver.eigenvalues();  // ascending
    Eigen::Index kept = 0;
    for (double held = 0; kept < variances.size() && held < variance_kept * variances.sum(); ++kept)
      held += variances(variances.size() - 1 - kept);
    components_ = solver.eigenvectors().rightCols(kept).rowwise().reverse();
    // The sign of a component is free: its greatest part is positive, so that every solver gives the same.
    for (Eigen::Index i = 0; i < kept; ++i) {
      Eigen::Index greatest = 0;
      components_.col(i).cwiseAbs().maxCoeff(&greatest);
      if (components_(greatest, i) < 0) components_.col(i) *= -1;
    }
  }

  /// The examples, by the first component: where that alone is farther than five are, all behind is.
  void keep(const Rows& projected, const std::vector<double>& speeds) {
    std::vector<std::size_t> order(speeds.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto first = [&](std::size_t i) { return projected(static_cast<Eigen::Index>(i), 0); };
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return first(a) < first(b); });
    width_ = static_cast<std::size_t>(projected.cols());
    points_.clear();
    throughputs_.clear();
    for (const std::size_t i : order) {
      for (Eigen::Index c = 0; c < projected.cols(); ++c)
        points_.push_back(static_cast<float>(projected(static_cast<Eigen::Index>(i), c)));
      throughputs_.push_back(static_cast<float>(std::exp(speeds[i])));
    }
  }

  struct Neighbour {
    float distance = std::numeric_limits<float>::infinity();  ///< squared
    std::size_t place = 0;
    bool operator<(const Neighbour& other) const {
      return distance != other.distance ? distance < other.distance : place < other.place;
    }
  };
  using Nearest = std::array<Neighbour, neighbours>;

  void consider(const std::vector<float>& point, std::size_t place, Nearest& nearest) const {
    const float* other = points_.data() + place * width_;
    float distance = 0;
    for (std::size_t c = 0; c < width_; ++c) distance += (point[c] - other[c]) * (point[c] - other[c]);
    Neighbour candidate{distance, place};
    for (Neighbour& each : nearest) {
      if (candidate < each) std::swap(candidate, each);
    }
  }

  Nearest nearest_to(const std::vector<float>& point) const {
    Nearest nearest;
    std::size_t above = 0, end = throughputs_.size();
    for (std::size_t until = end; above < until;) {  // the first whose first component is not less
      const std::size_t middle = (above + until) / 2;
      if (points_[middle * width_] < point[0]) {
        above = middle + 1;
      } else {
        until = middle;
      }
    }
    std::size_t below = above;  // one behind the next on that side
    const auto is_near = [&](std::size_t place) {
      const float gap = points_[place * width_] - point[0];
      return gap * gap <= nearest.back().distance;
    };
    for (bool rises = true, falls = true; rises || falls;) {
      rises = rises && above < end && is_near(above);
      if (rises) consider(point, above++, nearest);
      falls = falls && below > 0 && is_near(below - 1);
      if (falls) consider(point, --below, nearest);
    }
    return nearest;
  }

  Estimate estimate(const double* projected) const {
    const std::vector<float> point(projected, projected + width_);
    double sum = 0, squares = 0;
    for (const Neighbour& each : nearest_to(point)) {
      const double throughput = throughputs_[each.place];
      sum += throughput;
      squares += throughput * throughput;
    }
    const double mean = std::max(sum / neighbours, least_throughput);
    const double variance = std::max(squares / neighbours - mean * mean, 0.0);
    // Of the logarithm, to first order.
    return {std::log(mean), std::sqrt(variance) / mean};
  }

  std::vector<std::uint32_t> divisors_;  ///< of each feature, the one of the input's size, or no_feature
  Vector mean_, deviation_;
  Eigen::MatrixXd components_;
  std::size_t width_ = 0;
  std::vector<float> points_;       ///< the examples' components, by the first
  std::vector<float> throughputs_;  ///< over the best of the task
};

Json floats(const std::vector<float>& numbers) {
  Json json = Json::array();
  for (const float number : numbers) json.push_back(shortest(number));
  return json;
}

Vector vector_of(const Json& json) {
  const auto numbers = json.get<std::vector<double>>();
  return Eigen::Map<const Vector>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

Json Paper::to_json() const {
  return {{"divisors", divisors_},
          {"mean", std::vector<double>(mean_.begin(), mean_.end())},
          {"deviation", std::vector<double>(deviation_.begin(), deviation_.end())},
          {"components", std::vector<double>(components_.reshaped().begin(), components_.reshaped().end())},
          {"points", floats(points_)},
          {"throughputs", floats(throughputs_)}};
}

void Paper::from_json(const Json& learned, std::size_t width) {
  divisors_ = learned.at("divisors").get<std::vector<std::uint32_t>>();
  mean_ = vector_of(learned.at("mean"));
  deviation_ = vector_of(learned.at("deviation"));
  const Vector components = vector_of(learned.at("components"));
  points_ = learned.at("points").get<std::vector<float>>();
  throughputs_ = learned.at("throughputs").get<std::vector<float>>();
  const auto features = static_cast<Eigen::Index>(width);
  const bool fits = features > 0 && mean_.size() == features && deviation_.size() == features &&
                    components.size() > 0 && components.size() % features == 0 && divisors_.size() == width &&
                    throughputs_.size() >= neighbours;
  width_ = fits ? static_cast<std::size_t>(components.size() / features) : 1;
  if (!fits || points_.size() != throughputs_.size() * width_) throw_user("its tables do not fit together");
  for (const std::uint32_t divisor : divisors_) {
    if (divisor != no_feature && divisor >= width) throw_user("a feature is divided by none");
  }
  components_ = components.reshaped(features, components.size() / features);
}

}  // namespace

std::unique_ptr<Learner> make_paper() { return std::make_unique<Paper>(); }

}  // namespace hoist::model
