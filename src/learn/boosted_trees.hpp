#pragma once
// Ensembles of deep trees, grown by xgboost (xgboost.hpp) and evaluated without it. All compute in single
// precision.
#include "learn/learners.hpp"

namespace hoist::learn {

/// Trees, each of which corrects those before it (gradient boosting, squared error).
std::unique_ptr<StoredRegressor> make_boosted_trees(const Training& training);
/// Deep trees side by side, each grown from a sample of the examples: a random forest (Breiman, 2001).
std::unique_ptr<StoredRegressor> make_bagged_trees(const Training& training);
/// Trees boosted on pairs of rows of the same group: which comes first (Burges, From RankNet to LambdaRank to
/// LambdaMART, 2010).
std::unique_ptr<StoredRanker> make_ranking_trees(const Training& training);

}  // namespace hoist::learn
