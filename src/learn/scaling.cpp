#include "learn/scaling.hpp"

#include <Eigen/Core>
#include <algorithm>

namespace hoist::learn {

namespace {
using Vector = Eigen::VectorXd;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Rows copied(const Matrix& rows) {
  return Eigen::Map<const Rows>(rows.numbers.data(), static_cast<Eigen::Index>(rows.count()),
                                static_cast<Eigen::Index>(rows.width));
}
Eigen::Map<const Vector> vector_of(const std::vector<double>& numbers) {
  return {numbers.data(), static_cast<Eigen::Index>(numbers.size())};
}
}  // namespace

Standardization Standardization::of(const Matrix& rows) {
  Rows numbers = copied(rows);
  const Vector mean = numbers.colwise().mean();
  numbers.rowwise() -= mean.transpose();
  Vector deviation = (numbers.colwise().squaredNorm() / static_cast<double>(numbers.rows())).cwiseSqrt();
  for (double& each : deviation) each = each > 0 ? each : 1;
  return {{mean.begin(), mean.end()}, {deviation.begin(), deviation.end()}};
}

Matrix Standardization::apply(const Matrix& rows) const {
  Matrix result = rows;
  Eigen::Map<Rows> numbers(result.numbers.data(), static_cast<Eigen::Index>(rows.count()),
                           static_cast<Eigen::Index>(rows.width));
  numbers.rowwise() -= vector_of(mean).transpose();
  numbers = numbers * vector_of(deviation).cwiseInverse().asDiagonal();
  return result;
}

RangeScaling RangeScaling::of(const Matrix& rows) {
  RangeScaling scaling;
  const auto first = rows.row(0);
  scaling.least.assign(first.begin(), first.end());
  scaling.most = scaling.least;
  for (std::size_t i = 1; i < rows.count(); ++i) {
    for (std::size_t column = 0; column < rows.width; ++column) {
      scaling.least[column] = std::min(scaling.least[column], rows.at(i, column));
      scaling.most[column] = std::max(scaling.most[column], rows.at(i, column));
    }
  }
  return scaling;
}

Matrix RangeScaling::apply(const Matrix& rows) const {
  Matrix result = rows;
  for (std::size_t i = 0; i < result.numbers.size(); ++i) {
    const std::size_t column = i % rows.width;
    const double range = most[column] - least[column];
    double& number = result.numbers[i];
    number = range > 0 ? std::clamp((number - least[column]) / range, 0.0, 1.0) : 0;
  }
  return result;
}

}  // namespace hoist::learn
