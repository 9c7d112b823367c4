#pragma once
// Extremely randomised trees (Geurts, Ernst and Wehenkel, 2006), but where told otherwise: each is grown from
// all examples, and each cut is the best of one that is drawn for each column.
#include "learn/learners.hpp"

namespace hoist::learn {

/// The deviation is what the trees differ in and their leaves leave open (Hutter et al., Algorithm runtime
/// prediction, 2014).
std::unique_ptr<Regressor> make_forest(std::uint64_t seed);
/// Probabilities are the mean shares of the classes in the leaves.
std::unique_ptr<Classifier> make_forest_classifier(std::uint64_t seed);

/// Cost-sensitive classification: each tree predicts what each class costs, and the class whose expected cost
/// is the least is chosen. So examples of which all classes are about as good say little, however they are
/// labelled.
class CostClassifier : public Classifier {
 public:
  /// `costs` has a row for each of `rows`, with a finite number for each class, of at least two.
  virtual void fit_costs(const Matrix& rows, const Matrix& costs) = 0;
  /// Every wrong class costs the same.
  void fit(const Matrix& rows, const std::vector<std::uint32_t>& classes, std::uint32_t class_count) final;
  /// The expected cost of each class (a column) for each row.
  virtual Matrix costs(const Matrix& rows) const = 0;
  /// The class of the least expected cost; of equal ones the first.
  std::vector<std::uint32_t> classify(const Matrix& rows) const final;
};
/// A random forest (Breiman, 2001) whose trees learn the costs of all classes together. The probability of a
/// class is the share of trees in which it costs the least.
std::unique_ptr<CostClassifier> make_cost_classifier(std::uint64_t seed);

}  // namespace hoist::learn
