#pragma once
// Extremely randomised trees (Geurts, Ernst and Wehenkel, 2006): each is grown from all examples, and each
// cut is the best of one that is drawn for each column.
#include "learn/learners.hpp"

namespace hoist::learn {

/// The deviation is what the trees differ in and their leaves leave open (Hutter et al., Algorithm runtime
/// prediction, 2014).
std::unique_ptr<Regressor> make_forest(std::uint64_t seed);
/// Probabilities are the mean shares of the classes in the leaves.
std::unique_ptr<Classifier> make_forest_classifier(std::uint64_t seed);

}  // namespace hoist::learn
