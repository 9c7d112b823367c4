#pragma once
// A small neural network.
#include <vector>

#include "learn/learners.hpp"

namespace hoist::learn {

/// What a neuron makes of the sum of its inputs.
enum class Activation : std::uint8_t {
  RectifiedLinear,    ///< ReLU
  HyperbolicTangent,  ///< tanh
};
struct NetworkForm {
  std::vector<int> hidden = {48, 24};  ///< neurons in each hidden layer
  Activation activation = Activation::RectifiedLinear;
};

/// A network in single precision, learned by Adam (Kingma and Ba, 2015) with a rate that falls as a cosine. A
/// batch takes of all groups alike, however many rows they have; rows cannot be weighed. What is read from a
/// file must have the form.
std::unique_ptr<StoredRegressor> make_network(const Training& training, const NetworkForm& form = {});

}  // namespace hoist::learn
