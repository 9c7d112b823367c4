#include "lower/result_loops.hpp"

#include <algorithm>

namespace hoist::lower {

using arith::Expr;
using loop::Block;
using loop::ValuePtr;

loop::For sequential_loop(Expr variable, Expr stop) {
  loop::For loop;
  loop.variable = variable;
  loop.start = 0;
  loop.stop = stop;
  loop.step = 1;
  return loop;
}

Block inside_of(std::vector<loop::For> around, Block block) {
  for (std::size_t i = around.size(); i-- > 0;) {
    around[i].body = std::move(block);
    block = Block();
    block.push_back({std::move(around[i])});
  }
  return block;
}

std::optional<std::size_t> rows_of(const PerfectNest& nest) {
  std::optional<std::size_t> farthest;
  std::int64_t distance = 0;
  for (std::size_t l = 0; l < nest.loops.size(); ++l) {
    const Expr variable = nest.loops[l].variable;
    const auto stride =
        (arith::substitute(nest.store->index, {{variable.get(), variable + 1}}) - nest.store->index)
            .constant();
    if (nest.loops[l].is_reduction || stride.value_or(0) <= distance) continue;
    farthest = l;
    distance = *stride;
  }
  return farthest;
}

Block over_result(const PerfectNest& nest, const PlacedLoops& placed, std::size_t at,
                  std::optional<std::size_t> rows, const ValuePtr& value, loop::NameSource& names) {
  arith::Substitution places;
  std::vector<loop::For> around;
  const auto add_loop = [&](std::size_t l, std::int64_t length) {
    const Expr variable = arith::index(names.fresh(nest.loops[l].variable->name), 0, length);
    around.push_back(sequential_loop(variable, arith::constant(length)));
    return variable;
  };
  for (std::size_t l = 0; l < nest.loops.size(); ++l) {
    if (nest.loops[l].is_reduction) continue;
    const std::int64_t length = nest.loops[l].length, step = placed.steps[l];
    const auto end = placed.order.begin() + static_cast<std::ptrdiff_t>(at);
    const bool is_outside =
        std::any_of(placed.order.begin(), end, [&](const PlacedLoop& each) { return each.loop == l; });
    Expr& place = places[nest.loops[l].variable.get()];
    if (is_outside) {
      place = placed.first[l] + add_loop(l, step);
    } else if (l == rows && step < length) {
      const Expr bodies = add_loop(l, length / step);
      around.back().is_independent = true;
      place = step == 1 ? bodies : bodies * step + add_loop(l, step);
    } else {
      place = add_loop(l, length);
    }
  }
  const Expr index = arith::substitute(nest.store->index, places);
  const ValuePtr stored = loop::map_value(loop::substitute(value, places), [&](const ValuePtr& each) {
    return nest.is_sum(each) ? loop::load(nest.store->buffer, index) : each;
  });
  Block block;
  block.push_back({loop::Store{nest.store->buffer, index, stored}});
  return inside_of(std::move(around), std::move(block));
}

}  // namespace hoist::lower
