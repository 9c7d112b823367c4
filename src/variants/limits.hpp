#pragma once
// What a device's limits say of the open sizes of a low-level program.
#include <array>
#include <vector>

#include "ir/term.hpp"
#include "runtime/device.hpp"
#include "space/space.hpp"

namespace hoist::variants {

/// What a candidate must fit.
struct DeviceLimits {
  std::int64_t group_size = 1024;         ///< work-items
  std::array<std::int64_t, 3> group_lengths{1024, 1024, 64};  ///< work-items along each dimension
  std::int64_t least_group_size = 1;      ///< smaller groups leave most of the device idle
  std::int64_t local_memory = 48 * 1024;  ///< bytes of a group
  std::int64_t private_values = 160;      ///< scalars that a work-item keeps in arrays of its own
};
DeviceLimits limits_of(const runtime::DeviceInfo& device);

/// What a program takes of a device, as expressions of its open sizes.
struct Demand {
  arith::Expr group_size;      ///< work-items of the largest group; 1 where there are no groups
  std::array<arith::Expr, 3> group_lengths;  ///< along each dimension
  arith::Expr local_memory;    ///< bytes
  arith::Expr private_values;  ///< scalars
};
Demand demand_of(ir::Term low_level);

/// The limits as constraints on the open sizes of a low-level program.
std::vector<space::Constraint> constraints_of(ir::Term low_level, const DeviceLimits& limits);

}  // namespace hoist::variants
