#pragma once
// Steps that compute with scalars and vectors.
#include <memory>
#include <vector>

#include "interpret/machine.hpp"

namespace hoist::interpret {

/// A scalar operation; componentwise, with scalar operands repeated, where `result` is a vector.
std::unique_ptr<Step> scalar_step(ScalarOp op, std::vector<Leaf> operands, Leaf result);
/// hoist::convert, componentwise on vectors.
std::unique_ptr<Step> cast_step(Leaf operand, Leaf result);
/// A size as an i32.
std::unique_ptr<Step> size_step(SizeSlot size, Leaf result);
/// The same scalar in every component.
std::unique_ptr<Step> broadcast_step(Leaf scalar, Leaf result);
/// x0*y0 + x1*y1 + ..., from left to right, every operation rounded.
std::unique_ptr<Step> dot_step(Leaf x, Leaf y, Leaf result);

}  // namespace hoist::interpret
