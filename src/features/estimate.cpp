#include "features/estimate.hpp"

#include <algorithm>
#include <cmath>

#include "loop/local_memory.hpp"

namespace hoist::features {

namespace {

double at(const std::array<double, static_cast<std::size_t>(OperationKind::count)>& operations,
          OperationKind kind) {
  return operations[static_cast<std::size_t>(kind)];
}

/// Operations, in those of the simplest kind of f32.
double work_of(const Profile& profile, const target::Machine& machine) {
  double all = 0;
  for (const double each : profile.operations) all += each;
  const double rare = at(profile.operations, OperationKind::FloatDivide) +
                      at(profile.operations, OperationKind::FloatSpecial) +
                      at(profile.operations, OperationKind::IntegerDivide);
  return all - profile.contracted + rare * (1 / machine.special_share - 1) +
         profile.f64_operations * (1 / machine.f64_share - 1);
}

/// What a GPU's work-items move because registers have no room for all that they keep: memory of their own
/// goes through the caches, and a device runs so many that it seldom stays there. A processor's core has it
/// in its first-level cache.
struct Spills {
  double bytes = 0;  ///< over all work-items
  bool fits_l1 = true, fits_l2 = true;
};
Spills spills_of(const Launch& launch, const target::Machine& machine) {
  const Residency& residency = launch.residency;
  if (residency.spilled <= 0 || machine.processor != target::Processor::Gpu) return {};
  constexpr double value_bytes = 4;
  constexpr auto space = static_cast<std::size_t>(loop::AddressSpace::Private);
  const Profile& profile = launch.profile;
  const double kept = residency.spilled * value_bytes;
  const double at_once = kept * residency.groups_per_unit * static_cast<double>(profile.group_size());
  // Each value is written and read once at the least; of arrays every access to the share that is spilled.
  const double share = std::min(1.0, kept / std::max(launch.registers.array_bytes, kept));
  const double of_arrays = share * (profile.load_bytes[space] + profile.store_bytes[space]);
  return {std::max(of_arrays, 2 * kept * profile.work_items()),
          at_once <= static_cast<double>(machine.l1_bytes),
          at_once * static_cast<double>(machine.compute_units) <= static_cast<double>(machine.l2_bytes)};
}

Estimate estimate_of(const Launch& launch, const target::Machine& machine) {
  const Profile& profile = launch.profile;
  const Residency& residency = launch.residency;
  Estimate result;
  const double groups = profile.group_count();
  const auto sector = static_cast<double>(machine.sector_bytes);
  const double of_groups = launch.group.sum() * groups;
  const bool is_in_l2 = launch.whole.sum() <= static_cast<double>(machine.l2_bytes);
  const double of_waves = std::min(launch.wave.sum() * std::ceil(residency.waves), of_groups);
  result.memory_bytes = is_in_l2 ? launch.whole.sum() : std::max(launch.whole.sum(), of_waves);
  const bool is_in_l1 =
      residency.groups_per_unit * launch.group.sum() <= static_cast<double>(machine.l1_bytes);
  const double loaded = launch.traffic.load_sectors * sector;
  result.l2_bytes = (is_in_l1 ? std::min(launch.group.read * groups, loaded) : loaded) +
                    launch.traffic.store_sectors * sector;
  const Spills spills = spills_of(launch, machine);
  if (!spills.fits_l1) result.l2_bytes += spills.bytes;
  if (!spills.fits_l2) result.memory_bytes += spills.bytes;
  // Units without a group, and the rest of the last wave, do nothing.
  const auto units = static_cast<double>(machine.compute_units);
  const double busy = std::min(units, groups) * (residency.waves > 1 ? residency.filled : 1);
  const double cycles = busy * machine.cycles_per_second;
  const double share = busy / units;
  result.memory = result.memory_bytes / machine.memory_bytes_per_second;
  result.l2 = result.l2_bytes / (machine.l2_bytes_per_second * share);
  const double line_cycles = static_cast<double>(machine.line_bytes) / machine.l1_bytes_per_unit_cycle;
  result.l1 =
      launch.traffic.lines * line_cycles / cycles + spills.bytes / (machine.l1_bytes_per_unit_cycle * cycles);
  const double pass_bytes = static_cast<double>(machine.banks * machine.bank_bytes);
  const double passes = launch.traffic.load_passes + launch.traffic.store_passes;
  result.local = passes * pass_bytes / machine.local_bytes_per_unit_cycle / cycles;
  result.arithmetic = work_of(profile, machine) / (machine.operations_per_unit_cycle * cycles);
  result.launch = machine.launch_seconds;
  result.total =
      result.launch + std::max({result.memory, result.l2, result.l1 + result.local, result.arithmetic});
  return result;
}

}  // namespace

Residency residency_of(const Profile& profile, const Registers& registers, double local_bytes,
                       const target::Machine& machine) {
  Residency result;
  const auto warp = static_cast<double>(machine.lanes);
  const double items = std::ceil(static_cast<double>(profile.group_size()) / warp) * warp;
  // Addresses and what else a compiler needs beside the values of the kernel.
  constexpr double besides = 12, least = 16;
  const double wanted = std::max(least, registers.live + registers.array_bytes / 4 + besides);
  const auto most = static_cast<double>(machine.registers_per_item);
  result.registers = std::min(wanted, most);
  result.spilled = wanted - result.registers;
  double groups = static_cast<double>(machine.groups_per_unit);
  groups = std::min(groups, std::floor(static_cast<double>(machine.items_per_unit) / items));
  groups = std::min(groups,
                    std::floor(static_cast<double>(machine.registers_per_unit) / (result.registers * items)));
  if (local_bytes > 0)
    groups = std::min(groups, std::floor(static_cast<double>(machine.local_bytes_per_unit) / local_bytes));
  result.groups_per_unit = std::max(groups, 1.0);
  result.occupancy =
      std::min(1.0, result.groups_per_unit * items / static_cast<double>(machine.items_per_unit));
  result.groups = result.groups_per_unit * static_cast<double>(machine.compute_units);
  result.waves = profile.group_count() / result.groups;
  result.filled = result.waves / std::ceil(result.waves);
  return result;
}

std::array<double, 3> wave_shape(const Profile& profile, double groups) {
  std::array<double, 3> result{1, 1, 1};
  for (std::size_t d = 0; d < 3; ++d) {
    const auto most = static_cast<double>(profile.groups[d]);
    result[d] = std::min(most, std::max(1.0, std::ceil(groups)));
    groups /= most;
  }
  return result;
}

Launch launch_of(const loop::Kernel& kernel, const target::Machine& machine) {
  Launch result;
  result.kernel = &kernel;
  Places places(local_sizes(kernel));
  result.profile = profile_of(kernel, places);
  result.local_bytes = static_cast<double>(loop::local_bytes(kernel));
  result.traffic = traffic_of(result.profile, places, machine);
  result.registers = registers_of(kernel);
  if (result.profile.inner_loop != nullptr) result.inner = inner_loop(*result.profile.inner_loop);
  result.residency = residency_of(result.profile, result.registers, result.local_bytes, machine);
  const auto footprint = [&](const std::array<double, 3>& groups) {
    return footprint_of(result.profile, places, groups, machine.line_bytes);
  };
  result.group = footprint({1, 1, 1});
  result.wave = footprint(wave_shape(result.profile, result.residency.groups));
  constexpr double all = 1e18;
  result.whole = footprint({all, all, all});
  result.estimate = estimate_of(result, machine);
  return result;
}

}  // namespace hoist::features
