#pragma once
// Dependences of a loop's instructions on each other, through registers and through places in memory whose
// address is the same in every iteration: stack slots, and accumulators that were left in memory.
#include <cstddef>
#include <optional>
#include <vector>

#include "assembly/operation.hpp"

namespace hoist::assembly {

/// For each instruction the number of instructions to the first one that reads what it leaves in a vector
/// register, in this iteration or the next; nothing where nobody reads it.
std::vector<std::optional<std::size_t>> distances_to_consumers(const std::vector<Operation>& operations);

/// Accesses to the stack at constant addresses, relative to %rsp or, where it points there, %rbp.
struct Spills {
  double slots = 0;  ///< different ones that the loop both stores to and loads from
  double loads = 0, stores = 0;
};
/// `has_frame_pointer`: whether %rbp points to the function's frame.
Spills spills_of(const std::vector<Operation>& operations, bool has_frame_pointer);

/// The cycles that an iteration takes at least because the next one needs its results: the greatest mean
/// latency, over the iterations that it goes through, of a cycle of dependences.
double chain_latency(const std::vector<Operation>& operations);

}  // namespace hoist::assembly
