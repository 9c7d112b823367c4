#pragma once
// Steps of the layout patterns: other views of the same memory where strides can say it, copies elsewhere.
// All work on one leaf of an array; `result` is the same leaf of the pattern's result.
#include <memory>
#include <vector>

#include "interpret/machine.hpp"
#include "ir/primitive.hpp"

namespace hoist::interpret {

/// [n]a as [n/s][s]a (also asVector).
std::unique_ptr<Step> split_step(Leaf array, Leaf result);
/// [n][m]a as [n*m]a (also asScalar).
std::unique_ptr<Step> join_step(Leaf array, Leaf result);
std::unique_ptr<Step> transpose_step(Leaf array, Leaf result);
/// Windows, each `step` elements after the one before.
std::unique_ptr<Step> slide_step(SizeSlot step, Leaf array, Leaf result);
/// The elements from `first` on, as many as the result has.
std::unique_ptr<Step> slice_step(const char* primitive, SizeSlot first, Leaf array, Leaf result);
/// Element i is the array's element i + `by`, counted on from the other end.
std::unique_ptr<Step> rotate_step(SizeSlot by, Leaf array, Leaf result);
std::unique_ptr<Step> pad_step(SizeSlot left, SizeSlot right, ir::Boundary boundary, Leaf array, Leaf result);
std::unique_ptr<Step> pad_value_step(SizeSlot left, SizeSlot right, Leaf value, Leaf array, Leaf result);
std::unique_ptr<Step> concat_step(Leaf first, Leaf second, Leaf result);
/// The array with `element` as its element `index` (an integer scalar).
std::unique_ptr<Step> update_step(Leaf index, Leaf element, Leaf array, Leaf result);
/// Element `index` (an integer scalar) of every leaf of an array.
std::unique_ptr<Step> at_step(Leaf index, std::vector<Leaf> arrays, std::vector<Leaf> results);
/// Checks that arrays to be zipped have one length.
std::unique_ptr<Step> equal_lengths_step(SizeSlot first, SizeSlot second);

}  // namespace hoist::interpret
