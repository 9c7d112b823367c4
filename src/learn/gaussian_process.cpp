// Regression by a Gaussian process, the surrogate of model-guided search: from n rows with values it
// predicts the mean and the deviation of others. With the kernel matrix K of the rows (Matérn 5/2, the noise
// on its diagonal), k the kernel between a new row and them, and K = L L^T by Cholesky factorisation
// (triangle.hpp),
//
//   mean = k . (K^-1 values)        variance = amplitude (1 - |L^-1 k|^2)
//
// for values that are standardised. `solve` computes K^-1 values (`weights_`), `mean_at` and `predict` are
// the two formulas.
//
// Read `fit` first. A row that is appended to those of the last fit appends a row to L, which costs n^2
// operations instead of n^3. Each column has a length scale, and there is a noise; both are searched anew
// when there are about a quarter more values (`search_scales`): by coordinate search for the greatest
// posterior density (`density`), with 128 of the values at the most. The best amplitude follows from the
// scales in closed form.
//
// Two functions serve a search that proposes several rows before any of them is measured: `await` adds rows
// without values to L, so that deviations near them shrink (as the kriging believer does), and `outline`
// bounds deviations from above by the nearest row alone, without solving for L.
#include "learn/gaussian_process.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "learn/triangle.hpp"

namespace hoist::learn {

namespace {

/// The prior of the scales. The logarithm of each is normal around that of its usual value, with this
/// deviation.
constexpr double usual_length = 0.5;  ///< times the root of how many columns there are
constexpr double length_deviation = 1;
constexpr double usual_noise = 0.01;  ///< its variance, as a share of the values' own
constexpr double noise_deviation = 1.5;
/// Scales are searched anew when there are so many times as many values.
constexpr double growth = 1.25;
constexpr double step = 0.7;
constexpr std::size_t most_searched_with =
    128;  ///< more values tell little more of scales, and cost their cube

/// The hyperparameters. All are logarithms, in which they are searched.
struct Scales {
  std::vector<double> lengths;
  double noise = std::log(usual_noise);
};

/// Adds in several sums at a time: in one sum each addition would wait for the last, and a search asks for
/// some hundred thousand distances at a time.
double squared_distance(std::span<const double> a, std::span<const double> b) {
  constexpr std::size_t sums = 4;
  std::array<double, sums> squares{};
  std::size_t d = 0;
  for (; d + sums <= a.size(); d += sums) {
    for (std::size_t k = 0; k < sums; ++k) squares[k] += (a[d + k] - b[d + k]) * (a[d + k] - b[d + k]);
  }
  for (; d < a.size(); ++d) squares[0] += (a[d] - b[d]) * (a[d] - b[d]);
  return (squares[0] + squares[1]) + (squares[2] + squares[3]);
}

class GaussianProcess : public Regressor {
 public:
  void fit(const Examples& examples) override {
    expect_no_weights(examples, "a Gaussian process");
    const Matrix& rows = examples.rows;
    const std::vector<double>& values = examples.targets;
    const std::size_t same = same_rows(rows);
    const bool has_forgotten = same < rows_.count();
    rows_ = rows;
    standardise(values);
    if (scales_.lengths.size() != rows.width) scales_.lengths.assign(rows.width, prior_length());
    triangle_.shrink(std::min(same, triangle_.size()));
    if (has_forgotten || values.size() >= next_search_) {
      search_scales();
      next_search_ = static_cast<std::size_t>(growth * static_cast<double>(values.size())) + 2;
      triangle_.clear();
    }
    // But for rounding no row makes the matrix singular, since the diagonal has the noise.
    factorise();
    solve();
  }

  /// Takes what is predicted of a row for its value, which changes no mean. Scales are not searched with such
  /// values: they would suit what they themselves predicted.
  void await(const Matrix& rows) override {
    for (std::size_t i = 0; i < rows.count(); ++i) {
      scaled_.add(scaled(rows.row(i)));
      if (append(triangle_.size())) continue;
      scaled_.numbers.resize(triangle_.size() * scaled_.width);
      return;
    }
  }

  std::vector<Prediction> predict(const Matrix& rows) const override {
    std::vector<Prediction> result;
    std::vector<double> known(triangle_.size());
    for (std::size_t i = 0; i < rows.count(); ++i) {
      const double mean = mean_at(scaled(rows.row(i)), known);
      triangle_.solve(known.data());
      double left = 1;
      for (const double each : known) left -= each * each;
      result.push_back(in_units(mean, left));
    }
    return result;
  }

  /// The variance that the nearest row alone leaves is at least the variance that all rows leave.
  std::vector<Prediction> outline(const Matrix& rows) const override {
    std::vector<Prediction> result;
    std::vector<double> known(triangle_.size());
    for (std::size_t i = 0; i < rows.count(); ++i) {
      const double mean = mean_at(scaled(rows.row(i)), known);
      const double nearest = *std::max_element(known.begin(), known.end());
      result.push_back(in_units(mean, 1 - nearest * nearest / diagonal()));
    }
    return result;
  }

 private:
  double prior_length() const { return std::log(usual_length * std::sqrt(static_cast<double>(rows_.width))); }
  double diagonal() const { return 1 + std::exp(scales_.noise) + 1e-9; }

  void standardise(const std::vector<double>& values) {
    const double count = static_cast<double>(values.size());
    mean_ = std::accumulate(values.begin(), values.end(), 0.0) / count;
    double squares = 0;
    for (const double value : values) squares += (value - mean_) * (value - mean_);
    deviation_ = std::max(std::sqrt(squares / count), 1e-6);
    standardised_.clear();
    for (const double value : values) standardised_.push_back((value - mean_) / deviation_);
  }

  Prediction in_units(double mean, double variance) const {
    return {mean_ + deviation_ * mean, deviation_ * std::sqrt(amplitude_ * std::max(variance, 1e-9))};
  }

  /// Puts a row into units of the length scales.
  std::vector<double> scaled(std::span<const double> row) const {
    std::vector<double> result(row.begin(), row.end());
    for (std::size_t d = 0; d < result.size(); ++d) result[d] *= std::exp(-scales_.lengths[d]);
    return result;
  }

  /// The mean at a row. Fills `known` with the kernel between it and all rows that are known or awaited.
  double mean_at(const std::vector<double>& row, std::vector<double>& known) const {
    for (std::size_t k = 0; k < known.size(); ++k) known[k] = kernel(row, scaled_.row(k));
    return std::inner_product(weights_.begin(), weights_.end(), known.begin(), 0.0);
  }

  static double kernel(std::span<const double> a, std::span<const double> b) {
    const double distance = std::sqrt(5 * squared_distance(a, b));
    return (1 + distance + distance * distance / 3) * std::exp(-distance);
  }

  bool factorise() {
    scaled_ = {};
    for (std::size_t i = 0; i < rows_.count(); ++i) scaled_.add(scaled(rows_.row(i)));
    for (std::size_t i = triangle_.size(); i < rows_.count(); ++i) {
      if (!append(i)) return false;
    }
    return true;
  }
  bool append(std::size_t i) {
    std::vector<double> row;
    for (std::size_t k = 0; k < i; ++k) row.push_back(kernel(scaled_.row(i), scaled_.row(k)));
    row.push_back(diagonal());
    return triangle_.append(std::move(row));
  }

  /// Counts the rows, from the first on, that are the same as in the last fit.
  std::size_t same_rows(const Matrix& rows) const {
    if (rows.width == 0 || rows.width != rows_.width) return 0;
    const auto differ =
        std::mismatch(rows_.numbers.begin(), rows_.numbers.end(), rows.numbers.begin(), rows.numbers.end());
    return static_cast<std::size_t>(differ.first - rows_.numbers.begin()) / rows.width;
  }

  void solve() {
    weights_.assign(standardised_.begin(),
                    standardised_.begin() + static_cast<std::ptrdiff_t>(triangle_.size()));
    triangle_.solve(weights_.data());
    fit_ = 0;
    for (const double each : weights_) fit_ += each * each;
    triangle_.solve_transposed(weights_.data());
    // This amplitude suits the scales best, where a prior of 1 counts as much as one value.
    amplitude_ = (fit_ + 1) / (static_cast<double>(rows_.count()) + 1);
  }

  /// Factorises anew, and returns the logarithm of the posterior density, but for a constant.
  double density() {
    triangle_.clear();
    if (!factorise()) return -std::numeric_limits<double>::infinity();
    solve();
    double result =
        -0.5 * (static_cast<double>(rows_.count()) * std::log(amplitude_) + triangle_.log_determinant());
    for (const double length : scales_.lengths)
      result -= 0.5 * std::pow((length - prior_length()) / length_deviation, 2);
    return result - 0.5 * std::pow((scales_.noise - std::log(usual_noise)) / noise_deviation, 2);
  }

  /// Searches the scales, with some of the values where there are many.
  void search_scales() {
    if (rows_.count() <= most_searched_with) return improve_scales();
    GaussianProcess some;
    for (std::size_t i = 0; i < most_searched_with; ++i) {
      const std::size_t place = i * rows_.count() / most_searched_with;
      some.rows_.add(rows_.row(place));
      some.standardised_.push_back(standardised_[place]);
    }
    some.scales_ = scales_;
    some.improve_scales();
    scales_ = some.scales_;
  }

  /// Makes each scale in turn larger or smaller where the density then is greater (coordinate search).
  void improve_scales() {
    double best = density();
    const auto attempt = [&](double& scale, double change) {
      scale += change;
      const double found = density();
      if (found > best) {
        best = found;
        return true;
      }
      scale -= change;
      return false;
    };
    for (int sweep = 0; sweep < 2; ++sweep) {
      for (double& length : scales_.lengths) attempt(length, step) || attempt(length, -step);
      attempt(scales_.noise, step) || attempt(scales_.noise, -step);
    }
  }

  Matrix rows_, scaled_;
  std::vector<double> standardised_, weights_;
  double mean_ = 0, deviation_ = 1, amplitude_ = 1, fit_ = 0;
  Scales scales_;
  std::size_t next_search_ = 5;
  Triangle triangle_;
};

}  // namespace

std::unique_ptr<Regressor> make_gaussian_process() { return std::make_unique<GaussianProcess>(); }

}  // namespace hoist::learn
