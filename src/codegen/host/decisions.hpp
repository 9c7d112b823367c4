#pragma once
// What is left of a block where comparisons of indices are decided.
#include <optional>

#include "loop/kernel.hpp"

namespace hoist::codegen {

/// The truth of a literal condition.
std::optional<bool> known(const loop::ValuePtr& value);

/// A value whose operands are decided already, with what it compares decided where that is known. For
/// loop::map_values.
loop::ValuePtr decided(const loop::ValuePtr& value);

/// The block with branches on literal conditions replaced by what they take.
loop::Block without_decided_branches(loop::Block block);

}  // namespace hoist::codegen
