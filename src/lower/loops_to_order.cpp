#include "lower/loops_to_order.hpp"

#include "base/error.hpp"
#include "loop/traverse.hpp"
#include "lower/passes.hpp"
#include "lower/perfect_nest.hpp"

namespace hoist::lower {

using arith::Expr;

std::optional<LoopsToOrder> loops_to_order(const loop::Kernel& kernel) {
  loop::NameSource names(kernel);
  loop::Kernel nested = kernel;
  nest_joined_parts(nested, names, true);
  const auto parts = catch_failure([&] { return perfect_nest(nested); });
  if (!parts) return std::nullopt;
  LoopsToOrder result;
  const auto grows_by_one = [&](Expr index, const NestLoop& loop) {
    return (arith::substitute(index, {{loop.variable.get(), loop.variable + 1}}) - index).is_constant(1);
  };
  const auto loops_in = [&](Expr index) {
    std::vector<bool> loops;
    for (const NestLoop& each : parts->loops) loops.push_back(arith::contains(index, each.variable));
    return loops;
  };
  for (const NestLoop& each : parts->loops) {
    result.lengths.push_back(each.length);
    if (!each.is_reduction) {
      ++result.maps;
      if (grows_by_one(parts->store->index, each)) result.side_by_side = result.lengths.size() - 1;
    }
  }
  for (const loop::Load& each : loads_of(parts->element)) {
    result.operands.push_back(loops_in(each.index));
    auto& along = result.along.emplace_back();
    for (std::size_t l = 0; l < parts->loops.size(); ++l) {
      if (grows_by_one(each.index, parts->loops[l])) along = l;
    }
  }
  return result;
}

}  // namespace hoist::lower
