#include "model/kinds.hpp"

namespace hoist::model {

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"boosted", "trees, each of which corrects those before it (xgboost), in a committee"},
      {"ranking", "the same trees, learned from pairs: which of two candidates of a task is faster"},
      {"forest", "many deep trees side by side, in a committee"},
      {"network", "a small neural network, in a committee"},
      {"ensemble",
       "boosted, ranking, forest and network together, by how well each predicts what it has not seen"},
      {"paper", "the papers' own: principal components, then the 5 nearest neighbours"},
      {"roofline", "no learning: the analytic time that features give"},
  };
  return all;
}

}  // namespace hoist::model
