#pragma once
// Macro rules on nests of maps around a reduction: the reduction comes outside, or groups share it.
#include <cstdint>
#include <limits>

#include "rewrite/strategy.hpp"

namespace hoist::rewrite {

/// A nest around a reduction becomes a reduction of arrays around the nest: x |> map(a => data(a) |>
/// reduce(f, z)) to transpose(x |> map(data)) |> reduceSeq((acc, row) => zip(acc, row) |> map(f), ..), in any
/// number of dimensions. What depends on some dimensions only is read as an array of those. What the body
/// does with the reduced value stays in a nest after it. The order of combining stays.
Strategy hoist_reduce();
/// The same by chunks of a chosen size: the nest, with a reduction of a chunk in it, is inside a loop over
/// chunks.
Strategy hoist_reduce_by_chunks();
/// The same by chunks that need not divide: the last is filled up with zeros, with the last element again, or
/// with the operator's neutral element. It declines where none of these is known to leave the reduced value
/// as it is, and where chunks of usual sizes divide.
Strategy hoist_reduce_by_guarded_chunks();
/// The same by columns, where rows put together are reduced (`join(window) |> reduce(f, z)`): f is
/// associative and commutative. Where the nest goes on from one row to the next, as a window does, what a
/// column reads is nearly what its neighbour in the nest reads.
Strategy hoist_reduce_by_columns();

/// What `split_reduction` takes: nests of at most `most_outputs` elements, each a reduction of at least
/// `least_length`.
struct SplitBounds {
  std::int64_t most_outputs = std::numeric_limits<std::int64_t>::max();
  std::int64_t least_length = 0;
};

/// A nest around a reduction becomes two kernels: groups along dimension 2 each do the nest with a chunk of
/// what is reduced, and what they leave is reduced after them ("split-K"). The nest of a chunk stays open:
/// what tiles nests for groups tiles it, too. Chooses the length of a chunk. The operator must be
/// associative.
Strategy split_reduction(SplitBounds bounds = {});
/// The same by chunks that need not divide, as `hoist_reduce_by_guarded_chunks`.
Strategy split_reduction_guarded(SplitBounds bounds = {});

}  // namespace hoist::rewrite
