#pragma once
// What a device's limits say of the open sizes of a low-level program.
#include <array>
#include <vector>

#include "ir/term.hpp"
#include "space/space.hpp"
#include "target/target.hpp"

namespace hoist::variants {

/// What a program takes of a device, as expressions of its open sizes.
struct Demand {
  arith::Expr group_size;                    ///< work-items of the largest group; 1 where there are no groups
  std::array<arith::Expr, 3> group_lengths;  ///< along each dimension
  arith::Expr local_memory;                  ///< bytes
  arith::Expr private_values;                ///< scalars
  arith::Expr between_kernels;  ///< scalars that groups leave in global memory for another kernel
};
Demand demand_of(ir::Term low_level);

/// The limits of the target as constraints on the open sizes of a low-level program.
std::vector<space::Constraint> constraints_of(ir::Term low_level, const target::Target& target);

}  // namespace hoist::variants
