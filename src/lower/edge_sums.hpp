#pragma once
// The sums of a body that has iterations beyond the end of a loop: kept in memory, and stored one by one
// where the loops have them.
#include <optional>
#include <vector>

#include "lower/placed_loops.hpp"

namespace hoist::lower {

class EdgeSums {
 public:
  EdgeSums(const PerfectNest& nest, const PlacedLoops& placed, std::optional<std::size_t> lanes_of,
           loop::NameSource& names);

  const loop::BufferPtr& buffer() const { return buffer_; }
  /// Keeps a sum, or those of lanes, of the iterations that are so far from a body's first one, by loop.
  loop::Statement kept(const std::vector<std::int64_t>& offsets, const loop::ValuePtr& sum) const;
  /// Loops that store the results. The conditions say whether the sums are those of the first and of the last
  /// tile of the reduction; null where there is one alone.
  loop::Block stored(const loop::ValuePtr& is_first, const loop::ValuePtr& is_last,
                     loop::NameSource& names) const;

 private:
  const PerfectNest& nest_;
  const PlacedLoops& placed_;
  std::vector<std::int64_t> strides_;  ///< by loop; 0 of the reduction
  loop::BufferPtr buffer_;
};

}  // namespace hoist::lower
