#pragma once
// K*, as Weka has it.
#include "learn/learners.hpp"

namespace hoist::learn {

/// Cleary, Trigg: K*: An instance-based learner using an entropic distance measure, 1995, with the defaults
/// of Weka 3.6.14's KStar (a global blend of 20%): the mean of all examples' targets, each weighed by the
/// probability that the row is transformed into the example. Of a column that is the density of a random walk
/// whose scale is such that 20% of the examples count; of a row the product over its columns.
std::unique_ptr<StoredRegressor> make_k_star();

}  // namespace hoist::learn
