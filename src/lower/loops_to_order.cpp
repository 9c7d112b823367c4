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
  const auto loops_in = [&](Expr index) {
    std::vector<bool> loops;
    for (const NestLoop& each : parts->loops) loops.push_back(arith::contains(index, each.variable));
    return loops;
  };
  for (const NestLoop& each : parts->loops) {
    result.lengths.push_back(each.length);
    const Expr next = arith::substitute(parts->store->index, {{each.variable.get(), each.variable + 1}});
    if (!each.is_reduction) {
      ++result.maps;
      if ((next - parts->store->index).is_constant(1)) result.side_by_side = result.lengths.size() - 1;
    }
  }
  for (const loop::Load& each : loads_of(parts->element)) result.operands.push_back(loops_in(each.index));
  return result;
}

}  // namespace hoist::lower
