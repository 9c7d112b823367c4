#pragma once
// Macro rules for reductions that many work-items do together.
#include "rewrite/strategy.hpp"

namespace hoist::rewrite {

/// Any number of values reduced by a group of `items` work-items; inside a mapWrg. The operator is
/// associative and commutative and has a neutral element.
ir::Term reduced_by_group(ir::Term function, ir::Term data, arith::Expr items);

/// At every reduction of a term inside a mapWrg: the group's work-items, of a number that it chooses, each
/// add up every so manieth element, so that neighbours read neighbours, in vectors of `width`; then they add
/// up their sums (reduceLcl). The operator must be associative and commutative, and the start its neutral
/// element.
Strategy reduce_in_group(std::int64_t width);

/// On the body of a mapWrg that goes through rows several times, as a softmax does: its maps and reductions
/// of arrays of one length are those of parts, of which each of the group's work-items, of a number that it
/// chooses, has one in registers. Neighbours have neighbours, in vectors of `width`. Rows of the program are
/// read once. Reductions as of `reduce_in_group`.
Strategy row_in_group(std::int64_t width);

/// At a reduction outside of all parallel maps: groups reduce chunks of a chosen size as `reduce_in_group`
/// does, one group reduces what they leave. Chooses the chunk, then the work-items of a group.
Strategy reduce_by_groups(std::int64_t width);

/// zip(x, y) |> map(*) |> reduce(+, z) by the dot product of vectors of `width`.
Strategy dot_vectors(std::int64_t width);

}  // namespace hoist::rewrite
