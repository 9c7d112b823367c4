#pragma once
// The loops of a nest in the order of a schedule: those over tiles, and those inside of tiles.
#include <cstdint>
#include <vector>

#include "loop/traverse.hpp"
#include "lower/perfect_nest.hpp"
#include "lower/schedule.hpp"

namespace hoist::lower {

/// A loop of more than one round. A round is `unit` iterations of a loop of the nest: a tile, or what a body
/// has of them.
struct PlacedLoop {
  std::size_t loop = 0;  ///< of the nest
  std::int64_t unit = 1;
  std::int64_t rounds = 1;  ///< the most: the last tile may have fewer
  arith::Expr variable;     ///< the round
  arith::Expr stop;         ///< how many rounds
};

struct PlacedLoops {
  std::vector<PlacedLoop> order;     ///< the outermost first
  std::vector<std::int64_t> steps;   ///< by loop of the nest: iterations in a body
  std::vector<arith::Expr> first;    ///< by loop of the nest: the first iteration of a body
  std::vector<std::size_t> outside;  ///< by number of the schedule's loops: how many of `order` they are
};

/// User error where the schedule is of other loops, a tile does not consist of smaller ones or of bodies, or
/// is inside of what it has.
PlacedLoops placed_loops(const std::vector<NestLoop>& loops, const Schedule& schedule,
                         loop::NameSource& names);

/// A body may have iterations that the loop does not have, where tiles do not divide it.
inline bool has_edge(const NestLoop& loop, std::int64_t step) { return loop.length % step != 0; }

}  // namespace hoist::lower
