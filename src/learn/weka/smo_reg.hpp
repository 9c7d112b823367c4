#pragma once
// Support vector regression, as Weka's SMOreg learns it.
#include "learn/learners.hpp"

namespace hoist::learn {

/// A linear support vector machine for regression with an insensitive zone, learned by sequential minimal
/// optimization with two thresholds (Smola, Schölkopf: A tutorial on support vector regression, 2004;
/// Shevade, Keerthi, Bhattacharyya, Murthy: Improvements to the SMO algorithm for SVM regression, 2000), with
/// the defaults of Weka 3.6.14's SMOreg: C 1, the zone 1e-3 on both sides, tolerance 1e-3, columns and
/// targets scaled to 0 to 1.
std::unique_ptr<StoredRegressor> make_smo_reg();

}  // namespace hoist::learn
