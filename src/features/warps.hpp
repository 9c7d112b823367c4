#pragma once
// What the work-items of a warp access together: lines, sectors, banks.
#include <array>
#include <cstdint>
#include <vector>

#include "features/places.hpp"
#include "target/target.hpp"

namespace hoist::features {

using Ids = std::array<std::int64_t, 3>;

/// Warps of a group in which work-items stand alike.
struct WarpKind {
  double count = 0;          ///< of them in a group
  std::vector<Ids> members;  ///< local ids of those that are active
};

/// The warps of a group where only the work-items with ids below `limits` are active; those without an active
/// one are left out. Where rows of work-items do not fill warps evenly and the group has many warps, some are
/// looked at in place of all.
std::vector<WarpKind> warps_of(const Ids& local, const Ids& limits, std::int64_t warp_size);

/// The access of one warp: where each member reads or writes, in scalars.
struct WarpAccess {
  std::vector<std::int64_t> places;  ///< of the members, in their order
  std::int64_t scalars = 1;          ///< that each accesses
  std::int64_t scalar_bytes = 4;
};

/// Units of so many bytes (lines, sectors) that it touches, if its first member's place begins `alignment`
/// bytes into one.
std::int64_t units_touched(const WarpAccess& access, std::int64_t unit_bytes, std::int64_t alignment);

/// How often banked memory is accessed until all members are served, and how often it would be without
/// conflicts: work-items whose accesses make up one width of all banks go together.
struct BankPasses {
  std::int64_t passes = 0, least = 0;
};
BankPasses bank_passes(const WarpAccess& access, const target::Machine& machine);

enum class AccessClass : std::uint8_t {
  Uniform,  ///< all members access one place
  Dense,    ///< no line that their bytes could do without
  Strided,  ///< more lines
  Unknown,  ///< only the run knows
};
AccessClass class_of(const WarpAccess& access, std::int64_t line_bytes);

}  // namespace hoist::features
