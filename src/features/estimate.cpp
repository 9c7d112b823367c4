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
  // Units without a group, and the rest of the last wave, do nothing.
  const auto units = static_cast<double>(machine.compute_units);
  const double busy = std::min(units, groups) * (residency.waves > 1 ? residency.filled : 1);
  const double cycles = busy * machine.cycles_per_second;
  const double share = busy / units;
  result.memory = result.memory_bytes / machine.memory_bytes_per_second;
  result.l2 = result.l2_bytes / (machine.l2_bytes_per_second * share);
  const double line_cycles = static_cast<double>(machine.line_bytes) / machine.l1_bytes_per_unit_cycle;
  result.l1 = launch.traffic.lines * line_cycles / cycles;
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
