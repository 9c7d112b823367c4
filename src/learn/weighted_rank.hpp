#pragma once
// An order that several regressors vote for.
#include <functional>
#include <memory>
#include <vector>

#include "learn/learners.hpp"

namespace hoist::learn {

/// WeightedRank (Stock, Pouchet, Sadayappan: Using machine learning to improve automatic vectorization,
/// 2012): each learner's predictions rank the rows of a group, and the order is by the sum of a row's ranks,
/// each times the weight of its learner. Weights are fitted by linear regression
/// (learn/weka/linear_regression.hpp) to the actual ranks, from the ranks that learners give to groups that
/// they have not seen: each group is left out once. Equal predictions share the mean of their ranks. With a
/// single group, of which nothing can be left out, all learners weigh the same.
///
/// The paper has two learners, make_ibk and make_k_star. Rows that are scored together are one group, and
/// scores of different calls do not compare.
std::unique_ptr<StoredRanker> make_weighted_rank(
    std::vector<std::function<std::unique_ptr<StoredRegressor>()>> make_learners);

}  // namespace hoist::learn
