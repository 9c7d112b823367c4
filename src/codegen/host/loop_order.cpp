#include "codegen/host/loop_order.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
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

// An access to another line for each neighbour costs a load of a line. One to elements that are not evenly
// apart, `x[i / 2]`, costs instructions only.
// A store costs half as much again, for its line is loaded and written back. Lines that are a multiple of the
// pages' size apart are in one set of a cache, which has no place for many of them.
constexpr std::int64_t cost_of_load = 4, cost_of_store = 6, cost_of_gather = 1;
constexpr std::int64_t page = 4096;  ///< bytes

/// What the accesses of statements cost whose elements do not lie side by side for neighbours in a variable.
std::int64_t far_accesses(const loop::Block& block, arith::Expr variable) {
  std::int64_t count = 0;
  const auto note = [&](const loop::Buffer& buffer, arith::Expr index, std::int64_t cost_of_line) {
    if (buffer.space == loop::AddressSpace::Private) return;
    const auto step = stride(index, {&variable, 1});
    const auto next = stride(arith::substitute(index, {{variable.get(), variable + 1}}), {&variable, 1});
    const std::int64_t most = step && next ? std::max(std::abs(*step), std::abs(*next)) : 0;
    if (most >= far) {
      const bool is_in_one_set = most * static_cast<std::int64_t>(size_of(buffer.type.scalar)) % page == 0;
      count += cost_of_line * (is_in_one_set ? 2 : 1);
    } else if (step != next) {
      count += cost_of_gather;
    }
  };
  loop::for_each_statement(block, [&](const loop::Statement& statement) {
    const auto* store = std::get_if<loop::Store>(&statement.node);
    if (store) note(*store->buffer, store->index, cost_of_store);
  });
  loop::for_each_value(block, [&](const loop::ValuePtr& value) {
    if (const auto* load = std::get_if<loop::Load>(&value->node))
      note(*load->buffer, load->index, cost_of_load);
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

/// The two innermost of nested parallel loops that may change places.
struct Pair {
  loop::For *outer, *inner;
};
std::optional<Pair> innermost_pair(loop::For& outermost) {
  loop::For* outer = &outermost;
  if (outer->parallelism != loop::Parallelism::Global) return std::nullopt;
  loop::For* inner = only_loop_in(*outer);
  while (inner && loop::has_parallel_loop(inner->body)) {
    outer = inner;
    inner = only_loop_in(*outer);
  }
  if (!inner) return std::nullopt;
  return Pair{outer, inner};
}

/// The cost of a block's accesses for neighbours in the innermost of the loops around each, or in the
/// variable where it `stays` the innermost.
double cost_of(const loop::Kernel& kernel, const loop::Block& block, arith::Expr variable, bool stays) {
  double cost = 0;
  for (const loop::Statement& statement : block) {
    const auto* loop = std::get_if<loop::For>(&statement.node);
    if (const auto* branch = std::get_if<loop::If>(&statement.node)) {
      cost += cost_of(kernel, branch->then_body, variable, stays) +
              cost_of(kernel, branch->else_body, variable, stays);
      continue;
    }
    if (!loop) {
      if (variable) cost += static_cast<double>(far_accesses({statement}, variable));
      continue;
    }
    const bool is_innermost_parallel =
        loop->parallelism != loop::Parallelism::Sequential && !loop::has_parallel_loop(loop->body);
    const bool is_moved = is_innermost_parallel && WorkItemAnalysis(kernel, *loop).has_moved_loops();
    cost += static_cast<double>(loop->stop.constant().value_or(far)) *
            cost_of(kernel, loop->body, stays ? variable : loop->variable, stays || is_moved);
  }
  return cost;
}

}  // namespace

loop::Kernel order_loops(loop::Kernel kernel) {
  for (loop::Statement& statement : kernel.body) {
    auto* outermost = std::get_if<loop::For>(&statement.node);
    const auto pair = outermost ? innermost_pair(*outermost) : std::nullopt;
    if (!pair) continue;
    const auto [outer, inner] = *pair;
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

double access_cost(const loop::Kernel& kernel) {
  const loop::Kernel ordered = order_loops(kernel);
  return cost_of(ordered, ordered.body, {}, false);
}

}  // namespace hoist::codegen
