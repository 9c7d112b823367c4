#pragma once
// Surrogates: numbers of a configuration in, its expected time out, learned from the trials of one search.
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/matrix.hpp"

namespace hoist::search {

struct Prediction {
  double mean = 0, deviation = 0;
};

/// Of a matrix with a row for each configuration.
class Predictor {
 public:
  virtual ~Predictor() = default;
  /// Learns anew from as many values as rows; there is at least one.
  virtual void fit(const Matrix& rows, const std::vector<double>& values) = 0;
  /// Rows whose values are still to come, after a fit and until the next: deviations around them may be
  /// smaller by then, means are what they were.
  virtual void await(const Matrix& /*rows*/) {}
  virtual std::vector<Prediction> predict(const Matrix& rows) const = 0;
  /// The same means, quickly, and deviations that may be too large but not too small.
  virtual std::vector<Prediction> outline(const Matrix& rows) const { return predict(rows); }
};

/// Trees with random cuts (Geurts, Ernst, Wehenkel, Extremely randomized trees, 2006); the deviation is what
/// the trees differ in and their leaves leave open (Hutter et al., Algorithm runtime prediction, 2014).
std::unique_ptr<Predictor> make_forest(std::uint64_t seed);
/// A Gaussian process with a Matérn kernel of smoothness 5/2, a length scale for each number, all by their
/// posterior density (Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006).
std::unique_ptr<Predictor> make_gaussian_process();

}  // namespace hoist::search
