#pragma once
// Which instruction set the kernels of this machine are restricted to.
#include <vector>

#include "base/error.hpp"
#include "runtime/host/processor.hpp"
#include "target/instruction_set.hpp"

namespace hoist::runtime::host {

/// The variable of the environment that names it; workers inherit what a command chose.
inline constexpr const char* instruction_set_variable = "HOIST_ISA";

/// The instruction set of that name; null for "native" and for no name. User error for an unknown name,
/// Device error where the processor lacks it.
Result<const target::InstructionSet*> instruction_set_of(const Processor& processor, const std::string& name);

/// The extensions of all instruction sets that the processor has.
std::vector<target::Extension> present_extensions(const Processor& processor);

/// What the environment names, for this processor.
Result<const target::InstructionSet*> chosen_instruction_set();

/// Restricts all kernels that this process and those that it starts build for the host from now on. No other
/// thread may be reading the environment. Fails as instruction_set_of does.
Result<void> choose_instruction_set(const std::string& name);

}  // namespace hoist::runtime::host
