#pragma once
// A tree with linear models in its leaves, as Weka's M5P grows it.
#include "learn/learners.hpp"

namespace hoist::learn {

/// M5' (Quinlan: Learning with continuous classes, 1992; Wang, Witten: Induction of model trees for
/// predicting continuous classes, 1997) with the defaults of Weka 3.6.14's M5P: pruned, smoothed, and at
/// least 4 examples where a node is cut.
std::unique_ptr<StoredRegressor> make_m5p();

}  // namespace hoist::learn
