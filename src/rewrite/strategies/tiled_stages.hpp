#pragma once
// A macro rule for programs of several stages: all of them computed tile by tile.
#include "rewrite/strategy.hpp"

namespace hoist::rewrite {

/// let stage = ... in ... in result, computed by work-groups: each has a tile of the result, and computes of
/// every stage what that tile is computed from, with what neighbouring tiles need too, into its local memory.
/// The first `dimensions` of those dimensions are cut in which the stages' elements move along with the
/// result's; tiles may have any size. Declines where a stage's elements are all needed for each element of
/// the result, can fail, or cannot be computed one without the others.
Strategy tile_stages(std::size_t dimensions);

/// The same with rolling buffers: a group's tile is a strip that it walks in rounds of some rows, along the
/// first dimension that is cut. Of what a round computes of a stage, the rows that the next round needs again
/// are kept, so that only halos of the other dimensions, and those of strips, are computed twice. Chooses the
/// tile, then how many times the least number of rows a round has: as many as are kept of any stage, which
/// whole numbers of rows of all stages belong to. Rounds divide strips.
Strategy roll_stages(std::size_t dimensions);

}  // namespace hoist::rewrite
