// Each step solves the linear problem at the point that was reached, damped: the more, the shorter the step
// and the steeper down. A step that makes the loss greater is taken back and damped more, one that makes it
// less damps the next one less.
#include "learn/least_squares.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cmath>

namespace hoist::learn {

namespace {

using Vector = Eigen::VectorXd;

constexpr int most_steps = 40;
constexpr double slope_distance = 1e-4;
constexpr double first_damping = 1e-2, most_damping = 1e6;
constexpr double least_gain = 1e-5;  ///< of the loss, below which the fit ends

Vector vector_of(std::span<const double> numbers) {
  return Eigen::Map<const Vector>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

class Fit {
 public:
  explicit Fit(const LeastSquares& problem)
      : problem_(problem),
        means_(vector_of(problem.means)),
        precisions_(vector_of(problem.deviations).cwiseAbs2().cwiseInverse()),
        weights_(vector_of(problem.weights)),
        at_(means_),
        errors_(errors_at(at_)),
        loss_(loss_of(errors_, at_)) {}

  void run() {
    for (int step = 0; step < most_steps; ++step) {
      if (!improve()) return;
    }
  }
  std::vector<double> numbers() const { return {at_.begin(), at_.end()}; }

 private:
  Vector errors_at(const Vector& numbers) const {
    return vector_of(problem_.errors({numbers.data(), static_cast<std::size_t>(numbers.size())}));
  }

  double loss_of(const Vector& errors, const Vector& numbers) const {
    double loss = (numbers - means_).cwiseAbs2().dot(precisions_);
    for (Eigen::Index i = 0; i < errors.size(); ++i) {
      const double size = std::abs(errors[i]) / problem_.huber;
      loss += weights_[i] * (size < 1 ? size * size : 2 * size - 1);
    }
    return loss;
  }

  Eigen::MatrixXd slopes() const {
    Eigen::MatrixXd slopes(errors_.size(), at_.size());
    for (Eigen::Index i = 0; i < at_.size(); ++i) {
      Vector moved = at_;
      moved[i] += slope_distance;
      slopes.col(i) = (errors_at(moved) - errors_) / slope_distance;
    }
    return slopes;
  }

  /// False where the loss hardly became less.
  bool improve() {
    // Errors beyond Huber's bound count as squares that are as steep there.
    Vector counts(errors_.size());
    for (Eigen::Index i = 0; i < errors_.size(); ++i)
      counts[i] = weights_[i] / (problem_.huber * std::max(problem_.huber, std::abs(errors_[i])));
    const Eigen::MatrixXd of_errors = slopes();
    Eigen::MatrixXd curvature = of_errors.transpose() * counts.asDiagonal() * of_errors;
    curvature.diagonal() += precisions_;
    const Vector gradient =
        of_errors.transpose() * counts.cwiseProduct(errors_) + precisions_.cwiseProduct(at_ - means_);
    for (; damping_ < most_damping; damping_ *= 4) {
      Eigen::MatrixXd damped = curvature;
      damped.diagonal() *= 1 + damping_;
      const Vector next = at_ - damped.ldlt().solve(gradient);
      const Vector next_errors = errors_at(next);
      const double next_loss = loss_of(next_errors, next);
      if (!(next_loss < loss_)) continue;
      const bool is_gain = loss_ - next_loss >= least_gain * loss_;
      at_ = next;
      errors_ = next_errors;
      loss_ = next_loss;
      damping_ /= 3;
      return is_gain;
    }
    return false;
  }

  const LeastSquares& problem_;
  Vector means_, precisions_, weights_, at_, errors_;
  double loss_ = 0, damping_ = first_damping;
};

}  // namespace

std::vector<double> fitted(const LeastSquares& problem) {
  Fit fit(problem);
  fit.run();
  return fit.numbers();
}

}  // namespace hoist::learn
