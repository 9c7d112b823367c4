#pragma once
// Classification by support vectors with a radial basis function as the kernel.
#include "learn/learners.hpp"

namespace hoist::learn {

struct SupportVectorOptions {
  double capacity = 1;  ///< C: what an example on the wrong side costs
  double gamma = 1;     ///< the kernel is exp(-gamma * squared distance)
};

/// C-support vector classification (Cortes and Vapnik, 1995) by sequential minimal optimisation, one machine
/// for each two classes, which vote. The probability of a class is its share of the votes. Rows are taken as
/// they are, so columns should have one scale (scaling.hpp).
std::unique_ptr<Classifier> make_support_vector_classifier(const SupportVectorOptions& options);

}  // namespace hoist::learn
