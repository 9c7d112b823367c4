#pragma once
// What a kernel's accesses cost: of warps in lines, sectors and passes over the banks, of groups and of all
// groups that run together in bytes that differ.
#include <array>

#include "features/profile.hpp"

namespace hoist::features {

/// Totals over a launch.
struct Traffic {
  double accesses = 0;  ///< to global memory, each of a whole warp
  double lines = 0;     ///< that they touch, the first work-item at the beginning of one
  /// Of these without loads that a compiler leaves out: what iterations that are straight code have in common
  /// is loaded once where nobody writes to the buffer.
  double kept_lines = 0;
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

/// What a cache that so many bytes fit into does not serve of what some neighbouring groups read.
struct Cache {
  double bytes = 0;             ///< of the cache, for these groups alone
  std::int64_t line_bytes = 0;  ///< that it keeps together
  std::int64_t unit_bytes = 0;  ///< that it asks for at the least
};
/// Bytes of global memory that these groups read from behind the cache. A loop's iterations find what earlier
/// ones read as long as what one of them reads fits; work-items are taken to go through loops side by side.
/// What is read again although it does not fit is `bytes_of_accesses` in all.
double read_through(const Profile& profile, const Places& places, const std::array<double, 3>& groups,
                    const Cache& cache, double bytes_of_accesses);

/// Units of so many scalars that accesses of `scalars` scalars touch: they begin at an offset and an element
/// of each progression.
double units_of(std::vector<Progression> progressions, std::vector<std::int64_t> offsets, double scalars,
                double unit_scalars);

}  // namespace hoist::features
