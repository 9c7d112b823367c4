#pragma once
// The instruction sets that kernels of the device `host` may be restricted to, a row each: what --isa takes,
// how wide their vectors are, what a processor and a compiler call their parts.
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hoist::target {

/// A part of an instruction set.
struct Extension {
  std::string_view feature;  ///< as Linux lists it in /proc/cpuinfo
  std::string_view flag;     ///< by which compilers use it
};

struct InstructionSet {
  std::string_view name;  ///< "avx2"
  int f32_vector;         ///< f32 in a vector register
  int vector_registers;
  std::span<const Extension> extensions;  ///< all that it has beyond x86-64
};
std::span<const InstructionSet> instruction_sets();

/// What stands for all that the processor has.
inline constexpr std::string_view native_instruction_set = "native";
/// "sse4.2", "avx2", "avx512", "native".
std::vector<std::string> names_of_instruction_sets();
/// Null for a name that none has, `native` too.
const InstructionSet* instruction_set_named(std::string_view name);

}  // namespace hoist::target
