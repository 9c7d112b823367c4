#pragma once
// Random rounding errors, as steps after those that compute (see conditioning.hpp): what was computed exactly
// stays as it is, so that counts and powers of two do.
#include <memory>
#include <vector>

#include "interpret/machine.hpp"

namespace hoist::interpret {

/// For an operation on floats that rounds.
std::unique_ptr<Step> noise_step(ScalarOp op, std::vector<Leaf> operands, Leaf result);
/// For a conversion to floats.
std::unique_ptr<Step> cast_noise_step(Leaf operand, Leaf result);
/// For the inner product of two vectors.
std::unique_ptr<Step> dot_noise_step(Leaf x, Leaf y, Leaf result);

}  // namespace hoist::interpret
