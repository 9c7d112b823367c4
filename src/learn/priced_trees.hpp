#pragma once
// An order by what examples cost, and by trees for what costs do not tell.
#include <cstddef>
#include <memory>

#include "learn/learners.hpp"

namespace hoist::learn {

/// Ranks rows by speed, which is the target, in units of work for each unit of time. The first `costs`
/// columns are amounts that take time: the time of a unit of work is about their sum, each times a price that
/// is not negative. Prices are fitted by least squares of relative errors, fast rows counting more. Boosted
/// trees (learn/boosted_trees.hpp) then learn what is left: the logarithm of speed times price, in each group
/// against its mean, from all columns and from the price; each as it is, and on a logarithmic scale against
/// the median of its group. Several such ensembles of trees, which differ by their seeds, are averaged.
///
/// Rows that are scored together are one group, and scores of different calls do not compare.
std::unique_ptr<StoredRanker> make_priced_trees(std::size_t costs, const Training& training);

}  // namespace hoist::learn
