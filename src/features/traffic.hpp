#pragma once
// What a kernel's accesses cost: of warps in lines, sectors and passes over the banks, of groups and of all
// groups that run together in bytes that differ.
#include <array>

#include "features/profile.hpp"

namespace hoist::features {

/// Totals over a launch.
struct Traffic {
  double accesses = 0;      ///< to global memory, each of a whole warp
  double lines = 0;         ///< that they touch, the first work-item at the beginning of one
  double load_sectors = 0;  ///< that loads touch, where they are
  double store_sectors = 0;
  std::array<double, 4> classes{};           ///< of `accesses`, by AccessClass
  double local_accesses = 0;                 ///< to local memory, each of a whole warp
  double load_passes = 0, store_passes = 0;  ///< over the banks
  double least_passes = 0;                   ///< without conflicts
};
Traffic traffic_of(const Profile& profile, const Places& places, const target::Machine& machine);

/// Bytes of lines in global memory that differ.
struct Footprint {
  double read = 0, written = 0;
  double sum() const { return read + written; }
};
/// The footprint of so many neighbouring groups in each dimension.
Footprint footprint_of(const Profile& profile, const Places& places, const std::array<double, 3>& groups,
                       std::int64_t line_bytes);

/// Units of so many scalars that accesses of `scalars` scalars touch: they begin at an offset and an element
/// of each progression.
double units_of(std::vector<Progression> progressions, std::vector<std::int64_t> offsets, double scalars,
                double unit_scalars);

}  // namespace hoist::features
