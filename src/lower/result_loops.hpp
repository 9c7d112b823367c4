#pragma once
// Loops of a scheduled nest over elements of its result: those that store one value in all of them, and those
// along which the result's parts lie one behind the other.
#include <optional>
#include <vector>

#include "lower/placed_loops.hpp"

namespace hoist::lower {

/// From 0 on, by 1, without a body.
loop::For sequential_loop(arith::Expr variable, arith::Expr stop);
/// The block as the body of the last of the loops, each of which is the body of the one before.
loop::Block inside_of(std::vector<loop::For> around, loop::Block block);

/// The loop of the nest whose iterations are farthest apart in the result: its rows, its planes. Nothing
/// where no loop is.
std::optional<std::size_t> rows_of(const PerfectNest& nest);

/// Loops that store a value, which may be of what is there, in all elements of the result that the placed
/// loops from a place on compute. All of `rows`, which bodies divide, are as many independent iterations as
/// the placed loop has.
loop::Block over_result(const PerfectNest& nest, const PlacedLoops& placed, std::size_t at,
                        std::optional<std::size_t> rows, const loop::ValuePtr& value,
                        loop::NameSource& names);

}  // namespace hoist::lower
