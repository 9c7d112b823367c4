#include "codegen/host/loop_order.hpp"

#include <utility>

#include "codegen/host/loop_nest.hpp"
#include "codegen/host/work_items.hpp"
#include "loop/traverse.hpp"

namespace hoist::codegen {
namespace {

/// The only statement in a loop, where that is a parallel loop too, whose range does not depend on it.
loop::For* only_loop_in(loop::For& outer) {
  auto* inner = outer.body.size() == 1 ? std::get_if<loop::For>(&outer.body[0].node) : nullptr;
  if (!inner || inner->parallelism != loop::Parallelism::Global ||
      arith::contains(inner->stop, outer.variable))
    return nullptr;
  return inner;
}

}  // namespace

loop::Kernel order_loops(loop::Kernel kernel) {
  for (loop::Statement& statement : kernel.body) {
    auto* outer = std::get_if<loop::For>(&statement.node);
    if (!outer || outer->parallelism != loop::Parallelism::Global) continue;
    loop::For* inner = only_loop_in(*outer);
    while (inner && loop::has_parallel_loop(inner->body)) {
      outer = inner;
      inner = only_loop_in(*outer);
    }
    if (!inner || is_straight(inner->body) || WorkItemAnalysis(kernel, *inner).has_moved_loops()) continue;
    loop::For kept = *outer;
    loop::For swapped_outer = *inner, swapped_inner = *outer;
    swapped_inner.body = inner->body;
    swapped_outer.body.clear();
    swapped_outer.body.push_back({std::move(swapped_inner)});
    *outer = std::move(swapped_outer);
    if (!WorkItemAnalysis(kernel, std::get<loop::For>(outer->body[0].node)).has_moved_loops())
      *outer = std::move(kept);
  }
  return kernel;
}

}  // namespace hoist::codegen
