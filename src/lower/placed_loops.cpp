#include "lower/placed_loops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace hoist::lower {

namespace {

using arith::Expr;

/// A loop of the schedule: the nest's are the first, then come those over tiles.
struct Numbered {
  std::size_t loop;
  std::int64_t unit;
};

std::int64_t ceiling(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// The loops by their numbers, with what they must be checked.
std::vector<Numbered> numbered(const std::vector<NestLoop>& loops, const Schedule& schedule) {
  std::vector<std::int64_t> innermost, steps(loops.size(), 1);  // by loop: of the smallest tile; of a body
  for (const NestLoop& each : loops) innermost.push_back(each.length);
  std::vector<bool> is_tiled(loops.size(), false);
  for (const Schedule::Tile& tile : schedule.tiles) {
    if (tile.loop >= loops.size()) refuse_nest("it has fewer loops");
    if (is_tiled[tile.loop] && innermost[tile.loop] % tile.size != 0)
      refuse_nest(fmt::format("tiles of {} do not consist of tiles of {}", innermost[tile.loop], tile.size));
    innermost[tile.loop] = tile.size;
    is_tiled[tile.loop] = true;
  }
  if (schedule.lanes > 1) {
    if (schedule.lanes_of >= loops.size()) refuse_nest("it has fewer loops");
    steps[schedule.lanes_of] = schedule.lanes;
  }
  for (const Schedule::Jammed& each : schedule.jams) {
    if (each.loop >= loops.size()) refuse_nest("it has fewer loops");
    const bool has_lanes = schedule.lanes > 1 && schedule.lanes_of == each.loop;
    const std::int64_t length = innermost[each.loop] / (has_lanes ? schedule.lanes : 1);
    if (length != each.length)
      refuse_nest(fmt::format("loop {} has {} iterations, not {}", each.loop + 1, length, each.length));
    steps[each.loop] = each.by * (has_lanes ? schedule.lanes : 1);
  }
  std::vector<Numbered> all;
  for (std::size_t l = 0; l < loops.size(); ++l) {
    if (innermost[l] % steps[l] != 0)
      refuse_nest(
          fmt::format("{} does not divide the {} iterations of loop {}", steps[l], innermost[l], l + 1));
    if (loops[l].is_reduction && has_edge(loops[l], steps[l]))
      refuse_nest(fmt::format("{} does not divide the {} iterations of loop {}, a reduction", steps[l],
                              loops[l].length, l + 1));
    all.push_back({l, steps[l]});
  }
  for (const Schedule::Tile& tile : schedule.tiles) all.push_back({tile.loop, tile.size});
  return all;
}

}  // namespace

PlacedLoops placed_loops(const std::vector<NestLoop>& loops, const Schedule& schedule,
                         loop::NameSource& names) {
  const std::vector<Numbered> all = numbered(loops, schedule);
  std::vector<std::size_t> left(all.size()), order;
  std::iota(left.begin(), left.end(), 0U);
  for (const std::size_t place : schedule.places) {
    if (place >= left.size()) refuse_nest("it has fewer loops");
    order.push_back(left[place]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(place));
  }
  // Where no place is given, tiles are outside.
  std::stable_partition(left.begin(), left.end(), [&](std::size_t number) { return number >= loops.size(); });
  order.insert(order.end(), left.begin(), left.end());

  PlacedLoops result;
  std::vector<std::int64_t> around;  // by loop: the tile that is cut next, or the whole loop
  for (std::size_t l = 0; l < loops.size(); ++l) {
    result.steps.push_back(all[l].unit);
    result.first.push_back(arith::constant(0));
    around.push_back(std::numeric_limits<std::int64_t>::max());
  }
  result.outside.push_back(0);
  for (const std::size_t number : order) {
    const auto& [l, unit] = all[number];
    const std::int64_t length = loops[l].length;
    if (unit > around[l]) refuse_nest("a loop is outside of the one over the tiles that it cuts");
    const std::int64_t rounds = ceiling(std::min(around[l], length), unit);
    if (rounds > 1) {
      Expr stop = arith::constant(rounds);
      if (around[l] < length && length % around[l] != 0)
        stop = arith::minimum(rounds, arith::ceiling_quotient(length - result.first[l], unit));
      const Expr variable = arith::index(names.fresh(loops[l].variable->name), 0, arith::constant(rounds));
      result.order.push_back({l, unit, rounds, variable, stop});
      result.first[l] = result.first[l] + variable * unit;
    }
    around[l] = unit;
    result.outside.push_back(result.order.size());
  }
  return result;
}

}  // namespace hoist::lower
