#pragma once
// Macro rules on nests of maps and the reductions inside them (see rewrite/nest.hpp). They work by structure:
// on the nests of a matrix product as on those of a stencil. Each is one step of a derivation.
#include "rewrite/strategy.hpp"

namespace hoist::rewrite {

/// A strategy that is one step: it declines where the result's type is not the term's.
Strategy step(std::string name, Strategy strategy);

/// How the elements of a dimension are dealt out to tiles: neighbours to one tile; or in blocks of a chosen
/// size, one to each tile in turn, again and again (a block of 1 is cyclic).
enum class Dealing : std::uint8_t { Neighbours, Blocks };

/// Who computes a tile: that is open; a work-item; a work-group; a work-item of the group.
enum class TileOwner : std::uint8_t { Open, WorkItem, Group, ItemOfGroup };

struct Tiling {
  Dealing dealing = Dealing::Neighbours;
  TileOwner owner = TileOwner::Open;
  /// Tiles need not divide the dimensions that no usual ones do (has_usual_tiles): the last compute more,
  /// which is left out.
  bool is_guarded = false;
};

/// The outer `dimensions` of a nest in tiles: outside a nest over tiles, inside one over a tile's elements.
/// Windows become overlapping tiles with windows inside. Chooses a size for each dimension, the outer first,
/// and with Dealing::Blocks a block's size after each.
Strategy tile_nest(std::size_t dimensions, Tiling tiling = {});

/// The outer `dimensions` of a nest by work-items, by groups, or by a group's work-items, one element each.
Strategy map_nest(std::size_t dimensions, TileOwner owner);

/// A nest around a reduction becomes a reduction of arrays around the nest: x |> map(a => data(a) |>
/// reduce(f, z)) to transpose(x |> map(data)) |> reduceSeq((acc, row) => zip(acc, row) |> map(f), ..), in any
/// number of dimensions. What depends on some dimensions only is read as an array of those. What the body
/// does with the reduced value stays in a nest after it. The order of combining stays.
Strategy hoist_reduce();
/// The same by chunks of a chosen size: the nest, with a reduction of a chunk in it, is inside a loop over
/// chunks.
Strategy hoist_reduce_by_chunks();
/// The same by chunks that need not divide: the last is filled up with zeros. It declines where these are not
/// known to leave the reduced value as it is, and where chunks of usual sizes divide.
Strategy hoist_reduce_by_guarded_chunks();
/// The same by columns, where rows put together are reduced (`join(window) |> reduce(f, z)`): f is
/// associative and commutative. Where the nest goes on from one row to the next, as a window does, what a
/// column reads is nearly what its neighbour in the nest reads.
Strategy hoist_reduce_by_columns();

/// Works on a reduction whose accumulators are an array that its function maps over: accumulators and the
/// nest are cut in tiles, and the accumulators are kept tile by tile. It chooses as `tile_nest` does, for all
/// dimensions of the accumulators.
Strategy tile_accumulation(Tiling tiling = {});

/// The dimensions of a nest in another order: `order[i]` says which comes at place i.
Strategy reorder_nest(std::vector<std::size_t> order);

}  // namespace hoist::rewrite
