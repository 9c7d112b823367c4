#pragma once
// What may be ordered of a kernel: the loops that a schedule counts.
#include <cstdint>
#include <optional>
#include <vector>

#include "loop/kernel.hpp"

namespace hoist::lower {

/// The loops that a schedule may order, as they stand in each other.
struct LoopsToOrder {
  std::vector<std::int64_t> lengths;
  std::size_t maps = 0;                     ///< how many of them, the first, are over elements of the result
  std::vector<std::vector<bool>> operands;  ///< by array that an element reads and loop: depends it on that?
  std::vector<std::optional<std::size_t>>
      along;  ///< by such array: the loop along which its elements are neighbours
  std::optional<std::size_t> side_by_side;  ///< the loop along which elements of the result are neighbours
};
/// Nothing where there are none.
std::optional<LoopsToOrder> loops_to_order(const loop::Kernel& kernel);

}  // namespace hoist::lower
