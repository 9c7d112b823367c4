#pragma once
// The nearest neighbour as Weka's IBk finds it.
#include "learn/learners.hpp"

namespace hoist::learn {

/// Aha, Kibler: Instance-based learning algorithms, 1991, with the defaults of Weka 3.6.14's IBk: the target
/// of the nearest example in Euclidean distance, the mean of several that are equally near. Columns are
/// scaled to their ranges among the examples and the row that is predicted. Weka's ranges keep each row that
/// it has predicted; here none remembers another.
std::unique_ptr<StoredRegressor> make_ibk();

}  // namespace hoist::learn
