#pragma once
// What learns from examples: numbers in, a number (Regressor), a class (Classifier) or an order (Ranker) out.
//
// Nothing here knows what the numbers are of. Rows of a Matrix are examples, its columns their features. A
// learner is made with its options and its seed (each has a header of its own), learns from all of its
// examples at once, and forgets them with the next fit. The same seed and the same fits, in their order, give
// the same predictions. Whoever may use several learners for one task holds these interfaces.
#include <cstdint>
#include <memory>
#include <vector>

#include "base/error.hpp"
#include "base/matrix.hpp"
#include "learn/json.hpp"

namespace hoist::learn {

/// What rows are to be predicted as.
struct Examples {
  Matrix rows;
  std::vector<double> targets;  ///< of each row
  /// How much an error in each row counts, 1 in the mean; empty: all the same. A learner that cannot
  /// weigh rows throws a Bug where there are weights.
  std::vector<double> weights = {};
  /// The group within which each row is compared with others, ascending; empty: all are one group. To a
  /// Regressor it says at most which rows are alike.
  std::vector<std::uint32_t> groups = {};

  /// The given rows alone, in that order.
  Examples select(const std::vector<std::uint32_t>& places) const;
};

struct Prediction {
  double mean = 0;
  double deviation = 0;  ///< the standard deviation of the mean's error; 0 from learners that cannot tell
};

class Regressor {
 public:
  virtual ~Regressor() = default;
  /// There is at least one example.
  virtual void fit(const Examples& examples) = 0;
  virtual std::vector<Prediction> predict(const Matrix& rows) const = 0;

  // For sequential design, where each prediction decides what is measured next.
  /// Rows whose targets are still to come, after a fit and until the next: deviations around them may become
  /// smaller, means stay.
  virtual void await(const Matrix& /*rows*/) {}
  /// The same means as predict's, quickly, with deviations that may be too large but not too small.
  virtual std::vector<Prediction> outline(const Matrix& rows) const { return predict(rows); }
};

class Classifier {
 public:
  virtual ~Classifier() = default;
  /// A class of each row, below `class_count`, which is at least 2.
  virtual void fit(const Matrix& rows, const std::vector<std::uint32_t>& classes,
                   std::uint32_t class_count) = 0;
  /// The probability of each class (a column) for each row.
  virtual Matrix probabilities(const Matrix& rows) const = 0;
  /// The likeliest class of each row, but where the learner knows what errors cost; of equally likely ones
  /// the first.
  virtual std::vector<std::uint32_t> classify(const Matrix& rows) const;
};

class Ranker {
 public:
  virtual ~Ranker() = default;
  /// Examples with greater targets come first in their group. Each group counts the same; rows cannot be
  /// weighed.
  virtual void fit(const Examples& examples) = 0;
  /// A number for each row, greater for those that come first; numbers compare within a group, and with those
  /// of another call only where the ranker does not say otherwise.
  virtual std::vector<double> scores(const Matrix& rows) const = 0;
};

/// What was learned, for files: models are kept and shipped.
class Stored {
 public:
  virtual ~Stored() = default;
  virtual Json to_json() const = 0;
  /// User error where it is not what to_json gave for rows of so many numbers. Then the learner is as it was,
  /// or without sense.
  Result<void> from_json(const Json& learned, std::size_t width);

 protected:
  /// The same, but throws Failure or a JSON exception.
  virtual void read(const Json& learned, std::size_t width) = 0;
};
class StoredRegressor : public Regressor, public Stored {};
class StoredRanker : public Ranker, public Stored {};

/// Options that learners share that take their time.
struct Training {
  std::uint64_t seed = 1;
  unsigned threads = 1;  ///< with more than one, the same seed may give results that differ in the last bits
  double effort = 1;     ///< trees and steps, as a multiple of the usual
};

/// Throws a Bug that names the learner where the examples have weights.
void expect_no_weights(const Examples& examples, const char* learner);

}  // namespace hoist::learn
