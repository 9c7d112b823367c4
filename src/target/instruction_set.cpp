#include "target/instruction_set.hpp"

namespace hoist::target {

namespace {

// Fused multiply-add is of the second generation: compilers contract to it, and no processor has AVX2
// without.
constexpr Extension sse4_2[] = {{"sse4_2", "-msse4.2"}};
constexpr Extension avx2[] = {{"avx2", "-mavx2"}, {"fma", "-mfma"}, {"bmi1", "-mbmi"}, {"bmi2", "-mbmi2"}};
constexpr Extension avx512[] = {
    {"avx2", "-mavx2"},         {"fma", "-mfma"},           {"bmi1", "-mbmi"},
    {"bmi2", "-mbmi2"},         {"avx512f", "-mavx512f"},   {"avx512cd", "-mavx512cd"},
    {"avx512bw", "-mavx512bw"}, {"avx512dq", "-mavx512dq"}, {"avx512vl", "-mavx512vl"}};

constexpr InstructionSet all_sets[] = {
    {.name = "sse4.2", .f32_vector = 4, .vector_registers = 16, .extensions = sse4_2},
    {.name = "avx2", .f32_vector = 8, .vector_registers = 16, .extensions = avx2},
    {.name = "avx512", .f32_vector = 16, .vector_registers = 32, .extensions = avx512},
};

}  // namespace

std::span<const InstructionSet> instruction_sets() { return all_sets; }

std::vector<std::string> names_of_instruction_sets() {
  std::vector<std::string> names;
  for (const InstructionSet& each : all_sets) names.emplace_back(each.name);
  names.emplace_back(native_instruction_set);
  return names;
}

const InstructionSet* instruction_set_named(std::string_view name) {
  for (const InstructionSet& each : all_sets) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

}  // namespace hoist::target
