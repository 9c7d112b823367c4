#pragma once
// Regression by a Gaussian process (Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006).
#include "learn/learners.hpp"

namespace hoist::learn {

/// With a Matérn kernel of smoothness 5/2, a length scale for each column and a noise, all by their posterior
/// density. Rows that are appended to those of the last fit cost their square, not their cube.
std::unique_ptr<Regressor> make_gaussian_process();

}  // namespace hoist::learn
