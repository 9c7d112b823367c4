#pragma once
// The numbers that members of a committee see, made from the features of candidates.
#include "model/learner.hpp"

namespace hoist::model {

/// Each feature as it is, on a logarithmic scale where its values span much, and again in relation to the
/// median of the candidates that it competes with.
class Inputs {
 public:
  /// Chooses scales, and leaves out columns that say nothing of the examples.
  void fit(const MeasuredCandidates& examples);
  Matrix apply(const Matrix& numbers, const Population& population) const;
  /// The inputs of all examples, each in relation to the population of its task.
  Matrix apply(const MeasuredCandidates& examples) const;
  std::size_t width() const { return columns_.size(); }

  Json to_json() const;
  void from_json(const Json& json, std::size_t features);

 private:
  struct Column {
    std::uint32_t feature = 0;
    bool is_relative = false;
  };
  double scaled(std::uint32_t feature, double number) const;
  /// Leaves out those that are the same for all examples in single precision, which is what trees and
  /// networks compute with.
  void drop_constant_columns(const MeasuredCandidates& examples);
  /// The medians of a population on the scales of the features.
  std::vector<double> middles(const Population& population) const;
  /// One row; `scaled_numbers` is room for as many numbers as there are features.
  void apply(std::span<const double> row, const std::vector<double>& middles,
             std::vector<double>& scaled_numbers, double* to) const;

  std::vector<double> units_;  ///< of each feature: the one of its logarithmic scale; 0: its scale is linear
  std::vector<Column> columns_;
};

}  // namespace hoist::model
