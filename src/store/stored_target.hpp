#pragma once
// Targets as rows of a store's devices.
#include "store/store.hpp"
#include "target/target.hpp"

namespace hoist::store {

/// What columns do not hold of a target is JSON, in `facts`.
Device stored_device(const target::Target& target);
/// The target that a row speaks of. What rows of older versions do not tell is what devices of the kind
/// usually have.
target::Target target_of(const Device& stored);

}  // namespace hoist::store
