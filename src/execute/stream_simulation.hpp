#pragma once
// Runs a streamed plan by the loop interpreter, its nodes in any order that the plan allows: how tests see
// that windows and dependences are right, whatever queues and devices do.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "execute/streamed_plan.hpp"

namespace hoist::execute {

struct SimulatedRun {
  std::vector<std::vector<std::byte>> outputs;  ///< by flattened output
  /// What the interpreter found in kernels, and accesses of kernels to elements that the plan does not say
  /// that they touch.
  std::vector<std::string> faults;
};

/// One run from these inputs (by flattened input of the program), in an order that the seed chooses among
/// those that `after` and in-order queues allow. Memory is poisoned before: a node that runs too early reads
/// what is no number of the program's.
Result<SimulatedRun> simulate(const Streamed& streamed, const std::vector<std::vector<std::byte>>& inputs,
                              std::uint64_t seed);

}  // namespace hoist::execute
