#include "target/target.hpp"

#include <algorithm>
#include <limits>

#include "target/instruction_set.hpp"

namespace hoist::target {

namespace {

/// The machine of the processor, with as many compute units as the device has. The device's rates grow with
/// their number.
Machine machine_of(const Target& told) {
  const bool is_gpu = told.type == Type::Gpu;
  Machine machine = usual_machine(is_gpu ? Processor::Gpu : Processor::Cpu);
  const auto units = static_cast<std::int64_t>(std::max<std::size_t>(told.compute_units, 1));
  const double share = static_cast<double>(units) / static_cast<double>(machine.compute_units);
  machine.compute_units = units;
  machine.memory_bytes_per_second *= share;
  machine.l2_bytes_per_second *= share;
  if (told.cache_line > 0) machine.line_bytes = static_cast<std::int64_t>(told.cache_line);
  // The lanes of CPUs are those that the models that ship have learned with, unless they are asked for.
  if (is_gpu && told.preferred_group_multiple > 1)
    machine.lanes = static_cast<std::int64_t>(told.preferred_group_multiple);
  if (const InstructionSet* set = instruction_set_named(told.instruction_set)) {
    machine.lanes = set->f32_vector;
    machine.registers_per_item = set->vector_registers;
    machine.registers_per_unit = machine.registers_per_item * machine.lanes * machine.items_per_unit;
    machine.operations_per_unit_cycle = 2.0 * set->f32_vector;
  }
  if (told.clock_mhz > 0) machine.cycles_per_second = told.clock_mhz * 1e6;
  return machine;
}

}  // namespace

Machine usual_machine(Processor processor) {
  Machine machine;
  if (processor == Processor::Gpu) return machine;
  machine.processor = Processor::Cpu;
  machine.lanes = 8;
  machine.line_bytes = 64;
  machine.sector_bytes = 64;
  machine.banks = 1;
  machine.bank_bytes = 4;
  machine.compute_units = 8;
  machine.items_per_unit = 1024;
  machine.groups_per_unit = 1;
  machine.local_bytes_per_unit = 1024 * 1024;
  // One work-item after the other has the 16 vector registers for itself; what waits for it is in memory.
  machine.registers_per_unit = 16 * 8 * machine.items_per_unit;
  machine.registers_per_item = 16;
  machine.l1_bytes = 48 * 1024;
  machine.l2_bytes = 2 * 1024 * 1024;
  machine.memory_bytes_per_second = 1e11;
  machine.l2_bytes_per_second = 8e11;
  machine.l1_bytes_per_unit_cycle = 64;
  machine.local_bytes_per_unit_cycle = 64;
  machine.operations_per_unit_cycle = 16;
  machine.f64_share = 0.5;
  machine.special_share = 0.125;
  machine.cycles_per_second = 3e9;
  machine.launch_seconds = 1e-5;
  return machine;
}

bool Target::is_pocl() const { return platform.find("Portable Computing Language") != std::string::npos; }

bool Target::has_warps() const {
  return std::find(sub_group_sizes.begin(), sub_group_sizes.end(), std::size_t{warp_size}) !=
         sub_group_sizes.end();
}

std::int64_t Target::largest_cache() const {
  constexpr std::int64_t usual = 32 * 1024 * 1024;
  const std::size_t largest = *std::max_element(caches.begin(), caches.end());
  return largest > 0 ? static_cast<std::int64_t>(largest) : usual;
}

std::int64_t Target::most_launched_together() const {
  constexpr std::size_t most = 1024;
  return static_cast<std::int64_t>(std::clamp<std::size_t>(max_group_size, 1, most));
}

std::array<std::size_t, 3> Target::most_groups() const {
  constexpr std::size_t any = std::numeric_limits<std::int32_t>::max();
  constexpr std::size_t few = 65535;
  return language == Language::Cuda ? std::array{any, few, few} : std::array{any, any, any};
}

std::int64_t Target::most_unrolled_operations() const {
  // Compilers of OpenCL for processors vectorise over the work-items of a group what is unrolled: kernels of
  // a dozen unrolled loops take seconds to build, and run slower.
  constexpr std::int64_t most_on_processor = 1024;
  return type == Type::Cpu ? most_on_processor : std::numeric_limits<std::int64_t>::max();
}

Target completed(Target told) {
  told.machine = machine_of(told);
  const Profile& own = own_profile(told.type, told.local_memory_is_dedicated);
  return with_profile(std::move(told), own);
}

Target with_profile(Target target, const Profile& profile) {
  target.profile = profile;
  const std::size_t warp =
      target.preferred_group_multiple > 1 ? target.preferred_group_multiple : std::size_t{warp_size};
  target.least_group_size = profile.has_groups ? std::min(warp, target.max_group_size) : 1;
  return target;
}

}  // namespace hoist::target
