// Patterns that need state or memory of their own: reduce and sliding windows.
#include "ir/inspect.hpp"
#include "ir/print.hpp"
#include "ir/reduction.hpp"
#include "lower/ownership.hpp"
#include "lower/to_loops.hpp"

namespace hoist::lower {

using ir::Op;
using loop::AddressSpace;
using loop::Parallelism;
using loop::ValuePtr;

std::optional<IndexRange> ToLoops::range_of(const ir::Call& reduction, const EnvironmentPtr& env) {
  if (reduction.op != Op::ReduceRange) return std::nullopt;
  const bool is_by_work_item = std::any_of(loops_.begin(), loops_.end(), [](const Enclosing& outer) {
    return outer.parallelism == Parallelism::Local;
  });
  if (is_by_work_item && ir::needs_group(reduction.arguments[0])) {
    throw_user("mapLcl inside a reduceRange that is inside mapLcl", ir::to_string(reduction.arguments[0]),
               "work-items whose ranges differ cannot wait for each other: put reduceRange around mapLcl");
  }
  auto bound = [&](std::size_t argument) {
    return index_of_value(eval(reduction.arguments[argument], env)->value());
  };
  const arith::Expr from = bound(2), to = bound(3);
  return IndexRange(arith::maximum(from, 0), arith::minimum(to, reduction.arguments.back().type()->size));
}

View ToLoops::reduce(ir::Term term, const ir::Call& call, const View& x, const View& init,
                     const EnvironmentPtr& env) {
  ir::Type type = term.type();
  auto accumulator = declare_state(type, init, "acc");
  const bool is_reorderable = (call.op == Op::Reduce || call.op == Op::ReduceRange) &&
                              ir::operator_properties(call.arguments[0]).commutative;
  const LoopHints hints{.unroll = call.op == Op::ReduceSeqUnroll, .reorderable = is_reorderable};
  for_each_element(x, range_of(call, env), "i", hints, [&](const View& element) {
    assign_state(accumulator, apply(call.arguments[0], {state_view(type, accumulator), element}, env));
  });
  return state_view(type, accumulator);
}

namespace {

bool contains_global_map(ir::Term term) {
  if (auto* call = term.as<ir::Call>(); call && call->op == Op::MapGlobal) return true;
  const std::vector<ir::Term> children = ir::children(term);
  return std::any_of(children.begin(), children.end(), contains_global_map);
}

/// Accumulators in registers belong to the work-items that update them.
void check_spread(const MemoryRegion& region, const std::vector<int>& updated, const ir::Call& call) {
  if (region.leaves[0].buffer->space != AddressSpace::Private) return;
  const auto& dimensions = region.leaves[0].dimensions;
  for (std::size_t d = 0; d < dimensions.size() && d < updated.size(); ++d) {
    if (updated[d] < 0 || dimensions[d].spread_over == updated[d]) continue;
    throw_user(
        "a reduction's accumulators are updated by mapLcl, but every work-item keeps a copy of all of them",
        ir::to_string(call.arguments[1]),
        "compute the initial accumulators by mapLcl of the same dimension and shape");
  }
}

}  // namespace

View ToLoops::reduce_array(const ir::Call& call, const View& x, const View& init, const EnvironmentPtr& env) {
  if (contains_global_map(call.arguments[0])) {
    throw_unsupported(
        "mapGlb inside a reduction of arrays", ir::to_string(call.arguments[0]),
        "put mapGlb around the reduction, or use mapWrg and mapLcl: only mapLcl distributes accumulators");
  }
  ir::Term body = call.arguments[0].as<ir::Lambda>()->body;
  ir::Type type = body.type();
  // The accumulator lives where its first value was put, or is spread as the operator's own maps spread it.
  State state;
  bool is_own_memory =
      ir::is_array(type) && init->memory && !init->memory->leaves.empty() &&
      (makes_memory(call.arguments[1]) || overwritable_.count(init->memory->leaves[0].buffer.get()) > 0) &&
      init->memory->leaves[0].buffer->space != AddressSpace::Global &&
      !init->memory->leaves[0].buffer->is_pointer;
  if (is_own_memory) {
    state = {type, {{type, body, *init->memory, {}}}};
    check_spread(*init->memory, spread_dimensions(body), call);
  } else {
    state = allocate_state(type, body, std::nullopt, "acc");
    initialise(state.region(), init);
  }
  // A reduction that starts from accumulators which are used for nothing else may go on in them.
  const loop::Buffer* own = state.parts[0].now.leaves[0].buffer.get();
  const bool was_overwritable = overwritable_.count(own) > 0;
  if (ir::is_array(type) && is_used_once(body, 1)) {
    overwritable_.insert(own);
  } else {
    overwritable_.erase(own);
  }
  loop::Block* home = block_;
  for_each_element(x, range_of(call, env), "k", {.unroll = call.op == Op::ReduceSeqUnroll},
                   [&](const View& element) {
                     advance(state, home, [&](const View& accumulators, const Destination& next) {
                       write(body, bind(call.arguments[0], {accumulators, element}, env), next);
                     });
                   });
  overwritable_.erase(own);
  if (was_overwritable) overwritable_.insert(own);
  return memory_view(state.region());
}

void ToLoops::write_sliding(const ir::Call& call, const View& x, const EnvironmentPtr& env,
                            const Destination& destination) {
  // The window stays in registers: each step moves it by `step` and loads only what is new.
  arith::Expr window = call.sizes[0], step = call.sizes[1];
  arith::Expr kept = window - step;
  constant_size(window, "the length of a sliding window");
  arith::Expr count = (x->type->size - window + step) / step;
  MemoryRegion region =
      allocate({}, ir::array_type(window, ir::element_of(x->type)), AddressSpace::Private, "window");
  View held = memory_view(region);
  Destination hold = memory_destination(region);
  bool overlaps = arith::is_less(0, kept);
  if (overlaps) {
    for_each(Parallelism::Sequential, 0, kept, "w", [&](arith::Expr j) { copy(x->at(j), hold->at(j)); },
             {.unroll = true});
  }
  for_each(Parallelism::Sequential, 0, count, "i", [&](arith::Expr i) {
    arith::Expr first_new = overlaps ? kept : arith::constant(0);
    for_each(Parallelism::Sequential, 0, window - first_new, "w",
             [&](arith::Expr j) { copy(x->at(i * step + first_new + j), hold->at(first_new + j)); },
             {.unroll = true});
    write(call.arguments[0].as<ir::Lambda>()->body, bind(call.arguments[0], {held}, env), destination->at(i));
    if (overlaps) {
      for_each(Parallelism::Sequential, 0, kept, "w",
               [&](arith::Expr j) { copy(held->at(j + step), hold->at(j)); }, {.unroll = true});
    }
  });
}

}  // namespace hoist::lower
