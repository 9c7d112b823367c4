#pragma once
// How the loops of a nest run, where the program says so: loopAt, loopJam, loopLanes, loopTile and loopPack.
#include <cstdint>
#include <vector>

#include "ir/term.hpp"

namespace hoist::lower {

/// Loops are numbered from 0 on as they stand in each other before: those over the elements of the result,
/// then those of the reduction that computes one, then those over tiles as these are made.
struct Schedule {
  struct Tile {
    std::size_t loop = 0;   ///< of the nest, no loop over tiles: a second tile of it cuts the first
    std::int64_t size = 1;  ///< which need not divide the loop's length
  };
  std::vector<Tile> tiles;
  struct Packed {
    std::size_t operand = 0;  ///< which of the arrays that an element reads, in their order
    std::size_t outside = 0;  ///< how many loops are around the copy
  };
  std::vector<Packed> packed;
  std::vector<std::size_t>
      places;  ///< for each place, from the outermost on, which of the loops left is there
  struct Jammed {
    std::size_t loop = 0;
    std::int64_t length = 0;  ///< of the whole loop, or of its smallest tile
    std::int64_t by = 1;      ///< how many iterations are one body
  };
  std::vector<Jammed> jams;
  std::size_t lanes_of = 0;  ///< the loop whose iterations are lanes
  std::int64_t lanes = 1;
};

/// Takes the patterns that are a schedule off a term: what they are of, and what they say. User error where
/// a size is no constant.
struct Scheduled {
  ir::Term nest;
  Schedule schedule;
};
Scheduled taken_off(ir::Term term);

}  // namespace hoist::lower
