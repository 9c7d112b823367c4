#pragma once
// Macro rules on nests of maps (see rewrite/nest.hpp). They work by structure:
// on the nests of a matrix product as on those of a stencil. Each is one step of a derivation.
#include "rewrite/nest.hpp"
#include "rewrite/strategy.hpp"

namespace hoist::rewrite {

/// A strategy that is one step: it declines where the result's type is not the term's.
Strategy step(std::string name, Strategy strategy);

/// How the elements of a dimension are dealt out to tiles: neighbours to one tile; or in blocks of a chosen
/// size, one to each tile in turn, again and again (a block of 1 is cyclic).
enum class Dealing : std::uint8_t { Neighbours, Blocks };

/// Who computes a tile: that is open; a work-item; a work-group; a work-item of the group.
enum class TileOwner : std::uint8_t { Open, WorkItem, Group, ItemOfGroup };

/// The maps over tiles, the innermost on dimension 0. Those beyond the third are sequential.
std::vector<MapKind> kinds_of(TileOwner owner, std::size_t dimensions);

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

/// Maps over all work-items, directly in each other, by groups of chosen lengths: what says how a launch is
/// shared out. Chooses the length of each dimension, the outer first.
Strategy items_in_groups();

/// Works on a reduction whose accumulators are an array that its function maps over: accumulators and the
/// nest are cut in tiles, and the accumulators are kept tile by tile. It chooses as `tile_nest` does, for all
/// dimensions of the accumulators.
Strategy tile_accumulation(Tiling tiling = {});

/// The dimensions of a nest in another order: `order[i]` says which comes at place i.
Strategy reorder_nest(std::vector<std::size_t> order);

}  // namespace hoist::rewrite
