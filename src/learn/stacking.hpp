#pragma once
// Stacked generalization (Wolpert, 1992): how several learners' predictions become one, by what each said of
// examples that it had not seen.
#include <vector>

namespace hoist::learn {

/// The sum of predictions, each times its weight, and of a constant.
struct Stack {
  std::vector<double> weights;  ///< of each learner; not negative
  double constant = 0;

  /// Fits the weights of the learners to their predictions for unseen examples (stacking; Wolpert 1992), a
  /// list for each learner, and the targets: by least squares with a little shrinkage. `shares` says how much
  /// each example counts, 1 in the mean. Where no learner says anything of what it has not seen, all count
  /// the same, little.
  static Stack of(const std::vector<std::vector<double>>& unseen, const std::vector<double>& targets,
                  const std::vector<double>& shares);
};

}  // namespace hoist::learn
