#pragma once
// Targets whose kernels may use some of a processor's instructions alone.
#include "target/instruction_set.hpp"
#include "target/target.hpp"

namespace hoist::target {

/// The target where kernels have no other instructions. It is another device: its name says so, and tuned
/// results are its own.
Target with_instruction_set(Target target, const InstructionSet& set);

}  // namespace hoist::target
