#pragma once
// Random programs of floating-point numbers, as text, for executors that must agree to the bit: what a
// compiler makes of a formula may differ in its last places from one copy of a loop to another.
#include <cstdint>

#include "equivalence/random_nest.hpp"

namespace hoist::testing_support {

/// A formula of each element of one or two arrays, of windows, of rows, or of rows that are added up:
/// products that sums take, and that both sides of a condition take; functions that libraries have for
/// vectors, and others. Lengths are no multiples of anything.
RandomNest random_formula(std::uint64_t seed);

}  // namespace hoist::testing_support
