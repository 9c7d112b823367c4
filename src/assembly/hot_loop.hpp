#pragma once
// The loop that a kernel spends its time in, as far as its assembly tells.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assembly/instruction.hpp"

namespace hoist::assembly {

struct HotLoop {
  std::string function;
  /// Of one iteration, without those of loops inside, from the loop's header on.
  std::vector<Instruction> instructions;
  std::size_t depth = 1;           ///< of the loops of its function that it is in, itself included
  bool has_frame_pointer = false;  ///< whether %rbp points to its function's frame
};

/// Of the loops of the kernel's function and of all others of the listing that it names, directly or through
/// others (compilers move the body of a parallel loop into one), the one with most vector arithmetic:
/// additions and multiplications of an iteration, each counted once a lane, times ten for each loop around.
/// What is in a loop inside does not count, so that this is an innermost loop unless one has been peeled
/// away: unrolled altogether, or left as a version for arrays that overlap. Remainders lose as they are
/// scalar, or have fewer lanes or copies of the body. Where no loop has vector arithmetic, scalar
/// floating-point arithmetic counts in its place, then instructions. Nothing where there is no loop, or no
/// such kernel.
std::optional<HotLoop> hot_loop(const std::vector<Function>& functions, std::string_view kernel);

}  // namespace hoist::assembly
