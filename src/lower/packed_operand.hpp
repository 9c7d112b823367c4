#pragma once
// What a tile of a nest reads of an array, copied side by side in the order in which the tile's loops read
// it.
#include <optional>

#include "lower/placed_loops.hpp"

namespace hoist::lower {

/// A copy in local memory. Of b[k][j], read by the loops j and k with 32 iterations of j in a body, it is
/// [rounds of j][rounds of k][32]: what lanes read lies innermost. Of a[i][k], which is read element by
/// element, it is [rounds of i][iterations of i in a body][rounds of k], so that copying is along memory.
class PackedOperand {
 public:
  /// What `load` reads inside of the first `outside` loops. `lanes` are of loop `lanes_of`; `sums_begin` is
  /// the place of the outermost loop that has nothing but loops of the reduction inside.
  PackedOperand(const loop::Load& load, std::size_t outside, const std::vector<NestLoop>& loops,
                const PlacedLoops& placed, std::optional<std::size_t> lanes_of, std::int64_t lanes,
                std::size_t sums_begin, loop::NameSource& names);

  const loop::Load& load() const { return load_; }
  std::size_t outside() const { return outside_; }
  const loop::BufferPtr& buffer() const { return buffer_; }
  /// Where an element is; `offsets` are from the first iteration of a body, by loop.
  arith::Expr index(const std::vector<std::int64_t>& offsets) const;
  /// The loops that copy. What is beyond the end of a loop is a copy of its last element.
  loop::Block copy(loop::NameSource& names) const;

 private:
  /// A dimension of the copy: the rounds of a loop, or the iterations of one in a body.
  struct Dimension {
    std::size_t loop = 0;              ///< of the nest
    std::optional<std::size_t> place;  ///< whose rounds; else iterations in a body
    std::int64_t extent = 1;
    std::int64_t stride = 1;
  };
  bool depends_on(std::size_t l) const;
  /// By how much the index grows with a loop, where that is the same everywhere.
  std::optional<std::int64_t> stride_in_array(std::size_t l) const;
  std::optional<std::size_t> side_by_side() const;
  void lay_out(std::size_t sums_begin);
  /// How copies treat iterations in a body that are beyond the end of their loop.
  enum class Edge : std::uint8_t {
    Undecided,  ///< there may be some
    None,       ///< there are none
    Clamped     ///< they are the last iteration again
  };
  class Copying;
  std::vector<Dimension> order_of_copying() const;
  /// Whether the last iterations of a loop may be beyond its end.
  bool has_edge_along(std::size_t l) const;

  loop::Load load_;
  std::size_t outside_;
  const std::vector<NestLoop>& loops_;
  const PlacedLoops& placed_;
  std::optional<std::size_t> lanes_of_;
  std::int64_t lanes_;
  loop::BufferPtr buffer_;
  std::vector<Dimension> dimensions_;  ///< the outermost first
};

}  // namespace hoist::lower
