#pragma once
// The nearest of the known examples.
#include "learn/learners.hpp"

namespace hoist::learn {

/// The mean target of the `count` nearest examples in Euclidean distance, and its deviation among them; of
/// equally near ones those count that come first by their first column. The search is exact.
std::unique_ptr<StoredRegressor> make_neighbours(std::size_t count);

}  // namespace hoist::learn
