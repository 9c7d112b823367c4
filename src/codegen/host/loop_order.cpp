#include "codegen/host/loop_order.hpp"

#include <cstdlib>
#include <utility>

#include "codegen/host/loop_nest.hpp"
#include "codegen/host/strides.hpp"
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

/// Elements from which on neighbouring iterations share no cache line.
constexpr std::int64_t far = 16;

/// The accesses of statements whose elements are far apart for neighbours in a variable.
std::int64_t far_accesses(const loop::Block& block, arith::Expr variable) {
  std::int64_t count = 0;
  const auto note = [&](const loop::Buffer& buffer, arith::Expr index) {
    const auto step = stride(index, {&variable, 1});
    if (buffer.space != loop::AddressSpace::Private && step && std::abs(*step) >= far) ++count;
  };
  loop::for_each_statement(block, [&](const loop::Statement& statement) {
    const auto* store = std::get_if<loop::Store>(&statement.node);
    if (store) note(*store->buffer, store->index);
  });
  loop::for_each_value(block, [&](const loop::ValuePtr& value) {
    if (const auto* load = std::get_if<loop::Load>(&value->node)) note(*load->buffer, load->index);
  });
  return count;
}

/// The loops that `outer` and the loop in it become when they change places.
loop::For exchanged(const loop::For& outer, const loop::For& inner) {
  loop::For new_outer = inner, new_inner = outer;
  new_inner.body = inner.body;
  new_outer.body.clear();
  new_outer.body.push_back({std::move(new_inner)});
  return new_outer;
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
    if (!inner) continue;
    if (is_straight(inner->body)) {
      if (far_accesses(inner->body, outer->variable) < far_accesses(inner->body, inner->variable))
        *outer = exchanged(*outer, *inner);
      continue;
    }
    if (WorkItemAnalysis(kernel, *inner).has_moved_loops()) continue;
    loop::For kept = *outer;
    *outer = exchanged(*outer, *inner);
    if (!WorkItemAnalysis(kernel, std::get<loop::For>(outer->body[0].node)).has_moved_loops())
      *outer = std::move(kept);
  }
  return kernel;
}

}  // namespace hoist::codegen
