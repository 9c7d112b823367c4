#pragma once
// Runs a placed plan by the loop interpreter, its places in any order that the plan allows: how tests see
// that each place has what its tasks read, whatever devices and messages do.
#include <cstdint>
#include <vector>

#include "base/error.hpp"
#include "execute/placed_plan.hpp"
#include "execute/stream_simulation.hpp"

namespace hoist::execute {

/// One run from these inputs (by flattened input of the program). The seed chooses which place goes on; all
/// memory is poisoned before. Bug error where places wait for each other.
Result<SimulatedRun> simulate(const Placed& placed, const std::vector<std::vector<std::byte>>& inputs,
                              std::uint64_t seed);

}  // namespace hoist::execute
