#pragma once
// Tiles of nests of maps.
#include "rewrite/strategy.hpp"

namespace hoist::rewrite {

/// Exchanges the two maps of a nest, whatever they are over; takes the inner one's function apart where that
/// is needed.
Strategy interchange();
/// A map, or a nest of two directly in each other, in tiles: outside the maps over tiles, inside those over a
/// tile's elements. Chooses a size for each dimension, the outer first. `dimensions` is 1 or 2.
Strategy tile(std::size_t dimensions);

}  // namespace hoist::rewrite
