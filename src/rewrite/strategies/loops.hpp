#pragma once
// Macro rules that say of the loops of a nest how a processor runs them.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rewrite/strategy.hpp"

namespace hoist::rewrite {

/// The outermost nest of maps of scalars as loops of one kernel, in any order: `lengths` has those of its
/// maps, then those of the reduction that computes an element, as they stand in each other. Iterations of one
/// loop, counted from 1, become the lanes of vectors of `width`. Chooses for each loop how many iterations a
/// body has (of the one with lanes: how many vectors), then, for each place but the last, from the outermost
/// on, which of the loops left is there.
Strategy order_loops(std::size_t lanes_of, std::int64_t width, std::vector<std::int64_t> lengths);

/// What a loop of a nest of maps around one reduction of products is of.
enum class LoopRole : std::uint8_t {
  Rows,     ///< iterations whose sums are side by side in a body; of the rows' operand
  Lanes,    ///< iterations that are lanes of vectors; of the lanes' operand
  OfRows,   ///< another one of the rows' operand alone
  OfLanes,  ///< another one of the lanes' operand alone
  Other     ///< of the reduction, or of both operands, or of none
};

/// How a nest is blocked for caches.
struct Blocking {
  std::int64_t width = 1;    ///< lanes
  std::int64_t scalars = 0;  ///< what copies of both operands may have together
  struct Operand {
    std::size_t number = 1;  ///< counted from 1 as an element reads them
    std::size_t along = 0;   ///< the loop along which its elements are neighbours, counted from 1; 0: none is
  };
  Operand rows_operand, lanes_operand;
  struct Loop {
    LoopRole role = LoopRole::Other;
    std::int64_t length = 0;
  };
  std::vector<Loop> loops;  ///< of the maps, then of the reduction
};

/// A size that a blocked nest leaves open.
struct BlockedSize {
  enum class Of : std::uint8_t {
    Rows,        ///< of a body
    RowTiles,    ///< bodies in a copy
    RowBlocks,   ///< copies in an outer tile
    Vectors,     ///< of a body
    LaneTiles,   ///< bodies in a copy
    Tile,        ///< iterations of another loop in a copy
    InnerOrder,  ///< 1: lanes are inside of rows; 2: rows inside of lanes
  };
  Of of = Of::Tile;
  std::size_t loop = 0;  ///< of Blocking::loops
  std::string name;      ///< of the parameter, in a program that has no others
};
/// In the order in which block_loops chooses them. The first `maps` loops are maps.
std::vector<BlockedSize> open_sizes(const Blocking& blocking, std::size_t maps);

/// The outermost nest of maps of scalars in tiles for the caches, as matrix products are computed by Goto and
/// van de Geijn, "Anatomy of high-performance matrix multiplication" (ACM TOMS 2008): a part of the lanes'
/// operand is copied side by side, then part after part of the rows' operand, and what both give is computed
/// by bodies of rows and vectors. Chooses the rows and vectors of a body, and tiles of all loops that a copy
/// has, which need not divide them.
Strategy block_loops(Blocking blocking);

/// The nest as loops of one kernel in the order of its maps, the outermost shared out.
Strategy plain_loops();

}  // namespace hoist::rewrite
