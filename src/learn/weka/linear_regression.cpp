// A model of some columns is the solution of their normal equations (Selection::fitted). Columns leave it one
// at a time, and each time the rest is fitted again: first those that make it unstable (drop_collinear), then
// those that it does as well without (drop_smallest), which Akaike's criterion decides: the squared error,
// relative to that of all columns and in units of its degrees of freedom, and 2 for each parameter.
#include "learn/weka/linear_regression.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "learn/weka/stored_numbers.hpp"
#include "learn/weka/stored_point_regressor.hpp"

namespace hoist::learn {

namespace {

/// Solves matrix * x = right by LU decomposition with partial pivoting, in Crout's order (Golub, Van Loan:
/// Matrix computations, 1996). Nothing where the matrix is singular. The order of operations is that of Weka:
/// where columns are nearly linear combinations of others, coefficients depend on rounding.
std::optional<std::vector<double>> solve(Matrix matrix, std::vector<double> right) {
  const std::size_t size = right.size();
  const auto at = [&](std::size_t i, std::size_t j) -> double& { return matrix.numbers[i * size + j]; };
  for (std::size_t column = 0; column < size; ++column) {
    for (std::size_t i = 0; i < size; ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < std::min(i, column); ++k) sum += at(i, k) * at(k, column);
      at(i, column) -= sum;
    }
    std::size_t pivot = column;
    for (std::size_t i = column + 1; i < size; ++i) {
      if (std::abs(at(i, column)) > std::abs(at(pivot, column))) pivot = i;
    }
    if (at(pivot, column) == 0) return std::nullopt;
    if (pivot != column) {
      for (std::size_t k = 0; k < size; ++k) std::swap(at(pivot, k), at(column, k));
      std::swap(right[pivot], right[column]);
    }
    for (std::size_t i = column + 1; i < size; ++i) at(i, column) /= at(column, column);
  }
  for (std::size_t k = 0; k < size; ++k) {
    for (std::size_t i = k + 1; i < size; ++i) right[i] -= right[k] * at(i, k);
  }
  for (std::size_t k = size; k-- > 0;) {
    right[k] /= at(k, k);
    for (std::size_t i = 0; i < k; ++i) right[i] -= right[k] * at(i, k);
  }
  return right;
}

struct Moments {
  double mean = 0, deviation = 0;
};

/// The deviation is from sums of numbers and of their squares, as Weka has it: rounding may leave a little of
/// equal numbers.
template <class Numbers>
Moments moments(std::size_t count, const Numbers& number) {
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += number(i);
    squares += number(i) * number(i);
  }
  const auto rows = static_cast<double>(count);
  const double variance = count > 1 ? (squares - sum * sum / rows) / (rows - 1) : 0;
  return {count > 0 ? sum / rows : 0, std::sqrt(std::max(variance, 0.0))};
}

class Selection {
 public:
  Selection(const Examples& examples, const std::vector<std::size_t>& columns) : examples_(examples) {
    const std::size_t count = examples.targets.size();
    targets_ = moments(count, [&](std::size_t i) { return examples.targets[i]; });
    for (const std::size_t column : columns) {
      const Moments of_column = moments(count, [&](std::size_t i) { return examples.rows.at(i, column); });
      if (of_column.deviation != 0) chosen_.push_back({column, of_column});
    }
  }

  LinearModel select() {
    LinearModel model = fitted();
    while (drop_collinear(model)) model = fitted();
    const auto rows = static_cast<double>(examples_.targets.size());
    const auto parameters = static_cast<double>(chosen_.size() + 1);
    const double full_error = squared_error(model);
    double akaike = rows - parameters + 2 * parameters;
    while (!chosen_.empty()) {
      const std::vector<Column> before = chosen_;
      drop_smallest(model);
      const LinearModel smaller = fitted();
      const double criterion = squared_error(smaller) / full_error * (rows - parameters) +
                               2 * static_cast<double>(chosen_.size() + 1);
      if (!(criterion < akaike)) {
        chosen_ = before;
        break;
      }
      akaike = criterion;
      model = smaller;
    }
    return model;
  }

 private:
  struct Column {
    std::size_t place;
    Moments moments;
  };

  /// The model of the chosen columns. The ridge grows until the equations have a solution.
  LinearModel fitted() const {
    const std::size_t width = chosen_.size();
    Matrix products{width, std::vector<double>(width * width)};
    std::vector<double> with_targets(width), scaled(width);
    for (std::size_t i = 0; i < examples_.targets.size(); ++i) {
      for (std::size_t k = 0; k < width; ++k) {
        const auto& [place, of_column] = chosen_[k];
        scaled[k] = (examples_.rows.at(i, place) - of_column.mean) / of_column.deviation;
        with_targets[k] += scaled[k] * examples_.targets[i];
        for (std::size_t other = 0; other <= k; ++other)
          products.numbers[k * width + other] += scaled[k] * scaled[other];
      }
    }
    for (std::size_t k = 0; k < width; ++k) {
      for (std::size_t other = 0; other < k; ++other)
        products.numbers[other * width + k] = products.at(k, other);
    }
    std::optional<std::vector<double>> solution;
    for (double ridge = 1e-8; !solution; ridge *= 10) {
      Matrix ridged = products;
      for (std::size_t k = 0; k < width; ++k) ridged.numbers[k * width + k] += ridge;
      solution = solve(std::move(ridged), with_targets);
    }
    LinearModel model{std::vector<double>(examples_.rows.width), targets_.mean};
    for (std::size_t k = 0; k < width; ++k) {
      const auto& [place, of_column] = chosen_[k];
      model.coefficients[place] = (*solution)[k] / of_column.deviation;
      model.intercept -= model.coefficients[place] * of_column.mean;
    }
    return model;
  }

  /// The coefficient of a column in deviations of both.
  double standardized(const LinearModel& model, const Column& column) const {
    return std::abs(model.coefficients[column.place] * column.moments.deviation / targets_.deviation);
  }

  bool drop_collinear(const LinearModel& model) {
    double greatest = 1.5;
    auto found = chosen_.end();
    for (auto each = chosen_.begin(); each != chosen_.end(); ++each) {
      const double coefficient = standardized(model, *each);
      if (coefficient > greatest) {
        greatest = coefficient;
        found = each;
      }
    }
    if (found == chosen_.end()) return false;
    chosen_.erase(found);
    return true;
  }

  void drop_smallest(const LinearModel& model) {
    auto smallest = chosen_.begin();
    for (auto each = chosen_.begin(); each != chosen_.end(); ++each) {
      if (standardized(model, *each) < standardized(model, *smallest)) smallest = each;
    }
    chosen_.erase(smallest);
  }

  double squared_error(const LinearModel& model) const {
    double sum = 0;
    for (std::size_t i = 0; i < examples_.targets.size(); ++i) {
      const double error = model.at(examples_.rows.row(i)) - examples_.targets[i];
      sum += error * error;
    }
    return sum;
  }

  const Examples& examples_;
  Moments targets_;
  std::vector<Column> chosen_;
};

class LinearRegression : public StoredPointRegressor {
 public:
  void fit(const Examples& examples) override {
    expect_no_weights(examples, "linear regression");
    std::vector<std::size_t> columns(examples.rows.width);
    std::iota(columns.begin(), columns.end(), 0U);
    model_ = fit_linear_model(examples, columns);
  }
  Json to_json() const override {
    return {{"coefficients", model_.coefficients}, {"intercept", model_.intercept}};
  }

 private:
  void read(const Json& learned, std::size_t width) override {
    model_ = {read_numbers(learned.at("coefficients"), width), learned.at("intercept").get<double>()};
  }

  double predicted(std::span<const double> row) const override { return model_.at(row); }

  LinearModel model_;
};

}  // namespace

double LinearModel::at(std::span<const double> row) const {
  double sum = 0;
  for (std::size_t column = 0; column < row.size(); ++column) sum += coefficients[column] * row[column];
  return sum + intercept;
}

LinearModel fit_linear_model(const Examples& examples, const std::vector<std::size_t>& columns) {
  return Selection(examples, columns).select();
}

std::unique_ptr<StoredRegressor> make_linear_regression() { return std::make_unique<LinearRegression>(); }

}  // namespace hoist::learn
