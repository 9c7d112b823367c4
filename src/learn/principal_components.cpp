#include "learn/principal_components.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <nlohmann/json.hpp>

namespace hoist::learn {

namespace {
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const Rows> view_of(const Matrix& rows) {
  return {rows.numbers.data(), static_cast<Eigen::Index>(rows.count()),
          static_cast<Eigen::Index>(rows.width)};
}
}  // namespace

template <class Kept>
PrincipalComponents PrincipalComponents::solved(const Matrix& centred, const Kept& kept) {
  const Rows rows = view_of(centred);
  const Eigen::MatrixXd covariance = rows.transpose() * rows / static_cast<double>(rows.rows());
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance);
  const Eigen::Index count = kept(solver.eigenvalues());
  Eigen::MatrixXd components = solver.eigenvectors().rightCols(count).rowwise().reverse();
  for (Eigen::Index i = 0; i < count; ++i) {
    Eigen::Index greatest = 0;
    components.col(i).cwiseAbs().maxCoeff(&greatest);
    if (components(greatest, i) < 0) components.col(i) *= -1;
  }
  PrincipalComponents result;
  result.width_ = centred.width;
  result.parts_.assign(components.reshaped().begin(), components.reshaped().end());
  return result;
}

PrincipalComponents PrincipalComponents::of(const Matrix& centred, double share) {
  return solved(centred, [&](const Eigen::VectorXd& variances) {
    Eigen::Index kept = 0;
    for (double held = 0; kept < variances.size() && held < share * variances.sum(); ++kept)
      held += variances(variances.size() - 1 - kept);
    return kept;
  });
}

PrincipalComponents PrincipalComponents::of_count(const Matrix& centred, std::size_t count) {
  return solved(centred, [&](const Eigen::VectorXd& variances) {
    return std::min(static_cast<Eigen::Index>(count), variances.size());
  });
}

Matrix PrincipalComponents::project(const Matrix& rows) const {
  const Eigen::Map<const Eigen::MatrixXd> parts(parts_.data(), static_cast<Eigen::Index>(width_),
                                                static_cast<Eigen::Index>(count()));
  const Rows projected = view_of(rows) * parts;
  return {count(), {projected.data(), projected.data() + projected.size()}};
}

Json PrincipalComponents::to_json() const { return parts_; }

Result<PrincipalComponents> PrincipalComponents::from_json(const Json& json, std::size_t width) {
  PrincipalComponents result;
  result.width_ = width;
  if (!json.is_array() ||
      !std::all_of(json.begin(), json.end(), [](const Json& each) { return each.is_number(); }))
    return user_error("its principal components are no list of numbers");
  result.parts_ = json.get<std::vector<double>>();
  if (width == 0 || result.parts_.empty() || result.parts_.size() % width != 0)
    return user_error("its principal components do not fit its features");
  return result;
}

}  // namespace hoist::learn
