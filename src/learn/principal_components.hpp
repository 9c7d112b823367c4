#pragma once
// Principal components: fewer columns that hold most of the variance of many.
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/matrix.hpp"
#include "learn/json.hpp"

namespace hoist::learn {

class PrincipalComponents {
 public:
  /// As many components as hold that share of the variance, those of the greatest variance first. The columns
  /// of the rows have the mean 0 (scaling.hpp). The sign of a component is free; its greatest part is
  /// positive, so that every solver gives the same.
  static PrincipalComponents of(const Matrix& centred, double share);
  /// The same, but so many components; all of them where there are fewer columns.
  static PrincipalComponents of_count(const Matrix& centred, std::size_t count);

  std::size_t count() const { return parts_.size() / width_; }
  /// The direction of a component: of length 1, a number for each column.
  std::span<const double> direction(std::size_t component) const {
    return {parts_.data() + component * width_, width_};
  }
  /// A column for each component.
  Matrix project(const Matrix& rows) const;

  Json to_json() const;
  /// User error where these are no components of rows of so many numbers.
  static Result<PrincipalComponents> from_json(const Json& json, std::size_t width);

 private:
  /// Of so many components as `kept` says, which is given the variances, the least first.
  template <class Kept>
  static PrincipalComponents solved(const Matrix& centred, const Kept& kept);

  std::size_t width_ = 1;
  std::vector<double> parts_;  ///< of one component after the other, one for each column
};

}  // namespace hoist::learn
