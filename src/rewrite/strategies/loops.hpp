#pragma once
// Macro rules that say of the loops of a nest how a processor runs them.
#include <cstdint>
#include <vector>

#include "rewrite/strategy.hpp"

namespace hoist::rewrite {

/// The outermost nest of maps of scalars as loops of one kernel, in any order: `lengths` has those of its
/// maps, then those of the reduction that computes an element, as they stand in each other. Iterations of one
/// loop, counted from 1, become the lanes of vectors of `width`. Chooses for each loop how many iterations a
/// body has (of the one with lanes: how many vectors), then, for each place but the last, from the outermost
/// on, which of the loops left is there.
Strategy order_loops(std::size_t lanes_of, std::int64_t width, std::vector<std::int64_t> lengths);

/// The nest as loops of one kernel in the order of its maps, the outermost shared out.
Strategy plain_loops();

}  // namespace hoist::rewrite
