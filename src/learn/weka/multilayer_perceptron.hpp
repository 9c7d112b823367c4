#pragma once
// A multilayer perceptron as Weka trains it.
#include "learn/learners.hpp"

namespace hoist::learn {

/// One hidden layer of sigmoid units, half as many as there are columns and outputs, and a linear output,
/// learned by backpropagation with momentum (Rumelhart, Hinton, Williams: Learning representations by
/// back-propagating errors, 1986), an example at a time, with the defaults of Weka 3.6.14's
/// MultilayerPerceptron: learning rate 0.3, momentum 0.2, 500 epochs, columns and targets scaled to -1 to 1,
/// random numbers from the seed 0. Where the weights grow beyond all bounds, learning begins again at half
/// the rate.
std::unique_ptr<StoredRegressor> make_multilayer_perceptron();

}  // namespace hoist::learn
