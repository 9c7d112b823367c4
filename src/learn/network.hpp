#pragma once
// A small neural network.
#include "learn/learners.hpp"

namespace hoist::learn {

/// Two hidden layers, in single precision, learned by Adam (Kingma and Ba, 2015) with a rate that falls as a
/// cosine. A batch takes of all groups alike, however many rows they have; rows cannot be weighed.
std::unique_ptr<StoredRegressor> make_network(const Training& training);

}  // namespace hoist::learn
