// Patterns that need state or memory of their own: reduce, scan, iterate and sliding windows.
#include <unordered_set>

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

std::vector<loop::VariablePtr> ToLoops::declare_state(ir::Type type, const View& start, const char* name) {
  std::vector<loop::VariablePtr> variables;
  if (ir::is_tuple(type)) {
    for (std::uint32_t i = 0; i < type->elements.size(); ++i) {
      auto inner = declare_state(type->elements[i], start->get(i), name);
      variables.insert(variables.end(), inner.begin(), inner.end());
    }
    return variables;
  }
  variables.push_back(declare(name, value_type(type), start->value(), true));
  return variables;
}

View ToLoops::state_view(ir::Type type, const std::vector<loop::VariablePtr>& variables) {
  std::size_t next = 0;
  std::function<View(ir::Type)> build = [&](ir::Type t) -> View {
    if (!ir::is_tuple(t)) return value_view(t, loop::reference(variables[next++]));
    std::vector<View> components;
    for (ir::Type component : t->elements) components.push_back(build(component));
    return tuple_view(t, std::move(components));
  };
  return build(type);
}

void ToLoops::assign_state(const std::vector<loop::VariablePtr>& variables, const View& value) {
  std::vector<ValuePtr> values;
  std::function<void(const View&)> collect = [&](const View& view) {
    if (ir::is_tuple(view->type)) {
      for (std::uint32_t i = 0; i < view->type->elements.size(); ++i) collect(view->get(i));
    } else {
      values.push_back(view->value());
    }
  };
  collect(value);
  // A value that reads a variable that is assigned before it is computed first.
  for (std::size_t i = 1; i < values.size(); ++i) {
    bool reads_assigned = false;
    loop::for_each_value(values[i], [&](const ValuePtr& inner) {
      auto* read = std::get_if<loop::Reference>(&inner->node);
      for (std::size_t j = 0; read && j < i; ++j) reads_assigned |= read->variable == variables[j];
    });
    if (reads_assigned) values[i] = loop::reference(declare("next", values[i]->type, values[i], false));
  }
  for (std::size_t i = 0; i < values.size(); ++i) emit({loop::Assign{variables[i], values[i]}});
}

std::optional<IndexRange> ToLoops::range_of(const ir::Call& reduction, const EnvironmentPtr& env) {
  if (reduction.op != Op::ReduceRange) return std::nullopt;
  const bool is_by_work_item = std::any_of(loops_.begin(), loops_.end(), [](const Enclosing& outer) {
    return outer.parallelism == Parallelism::Local;
  });
  const auto needs_group = [](const ir::Call& call) { return call.op == Op::MapLocal || call.op == Op::ReduceLocal; };
  if (is_by_work_item && ir::any_call(reduction.arguments[0], needs_group)) {
    throw_user("mapLcl inside a reduceRange that is inside mapLcl", ir::to_string(reduction.arguments[0]),
               "work-items whose ranges differ cannot wait for each other: put reduceRange around mapLcl");
  }
  auto bound = [&](std::size_t argument) { return unchecked_index(eval(reduction.arguments[argument], env)->value()); };
  const arith::Expr from = bound(2), to = bound(3);
  return IndexRange(arith::maximum(from, 0), arith::minimum(to, reduction.arguments.back().type()->size));
}

View ToLoops::reduce(ir::Term term, const ir::Call& call, const View& x, const View& init,
                     const EnvironmentPtr& env) {
  ir::Type type = term.type();
  std::function<bool(ir::Type)> has_array = [&](ir::Type t) {
    if (ir::is_array(t)) return true;
    for (ir::Type component : t->elements) {
      if (ir::is_tuple(t) && has_array(component)) return true;
    }
    return false;
  };
  if (has_array(type)) return reduce_array(call, x, init, env);
  auto accumulator = declare_state(type, init, "acc");
  const bool is_reorderable =
      (call.op == Op::Reduce || call.op == Op::ReduceRange) && ir::operator_properties(call.arguments[0]).commutative;
  const LoopHints hints{.unroll = call.op == Op::ReduceSeqUnroll, .reorderable = is_reorderable};
  for_each_element(x, range_of(call, env), "i", hints, [&](const View& element) {
    assign_state(accumulator, apply(call.arguments[0], {state_view(type, accumulator), element}, env));
  });
  return state_view(type, accumulator);
}

namespace {

/// Whether a block that overwrites `buffers` in place reads each element only where it then writes that element, so that
/// no new value is taken for an old one.
bool is_pointwise(const loop::Block& block, const MemoryRegion& region) {
  std::unordered_set<const loop::Buffer*> buffers;
  for (const MemoryLeaf& leaf : region.leaves) buffers.insert(leaf.buffer.get());
  std::unordered_set<const arith::Node*> written;
  bool only_once = true;
  loop::for_each_statement(block, [&](const loop::Statement& statement) {
    if (auto* store = std::get_if<loop::Store>(&statement.node); store && buffers.count(store->buffer.get())) {
      only_once &= written.insert(store->index.get()).second || buffers.size() > 1;
    }
  });
  bool pointwise = only_once;
  std::vector<const loop::Store*> stores;  // so far
  loop::for_each_statement(block, [&](const loop::Statement& statement) {
    loop::for_each_root_value(statement, [&](const ValuePtr& root) {
      loop::for_each_value(root, [&](const ValuePtr& value) {
        auto* load = std::get_if<loop::Load>(&value->node);
        if (!load || !buffers.count(load->buffer.get())) return;
        pointwise &= written.count(load->index.get()) > 0;
        for (const loop::Store* store : stores) {
          pointwise &= store->buffer != load->buffer || arith::equal(store->index, load->index) == arith::Truth::No;
        }
      });
    });
    auto* store = std::get_if<loop::Store>(&statement.node);
    if (store && buffers.count(store->buffer.get())) stores.push_back(store);
  });
  return pointwise;
}

/// Whether a block that overwrites `region` in place has read all that it reads there before it first writes.
bool reads_first(const loop::Block& block, const MemoryRegion& region) {
  auto is_own = [&](const loop::BufferPtr& buffer) {
    return std::any_of(region.leaves.begin(), region.leaves.end(),
                       [&](const MemoryLeaf& leaf) { return leaf.buffer == buffer; });
  };
  bool has_written = false;
  for (const loop::Statement& statement : block) {
    bool reads = false, writes = false;
    loop::for_each_value(statement, [&](const ValuePtr& value) {
      auto* load = std::get_if<loop::Load>(&value->node);
      reads |= load && is_own(load->buffer);
    });
    loop::Block inside;
    inside.push_back(statement);
    loop::for_each_statement(inside, [&](const loop::Statement& each) {
      auto* store = std::get_if<loop::Store>(&each.node);
      writes |= store && is_own(store->buffer);
    });
    if (has_written && reads) return false;
    if (auto* branch = std::get_if<loop::If>(&statement.node); branch && writes) {
      if (!reads_first(branch->then_body, region) || !reads_first(branch->else_body, region)) return false;
    } else if (reads && writes && !std::holds_alternative<loop::Store>(statement.node)) {
      return false;
    }
    has_written |= writes;
  }
  return true;
}

}  // namespace

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
    throw_user("a reduction's accumulators are updated by mapLcl, but each work-item has all of them",
               ir::to_string(call.arguments[1]), "make them by mapLcl of the same dimension and shape");
  }
}

}  // namespace

View ToLoops::reduce_array(const ir::Call& call, const View& x, const View& init, const EnvironmentPtr& env) {
  if (contains_global_map(call.arguments[0])) {
    throw_unsupported("mapGlb inside a reduction of arrays", ir::to_string(call.arguments[0]),
                      "put mapGlb around the reduction, or use mapWrg and mapLcl: accumulators are shared out by mapLcl");
  }
  ir::Term body = call.arguments[0].as<ir::Lambda>()->body;
  ir::Type type = body.type();
  // The accumulator lives where its first value was put, or is spread as the operator's own maps spread it.
  MemoryRegion region;
  bool is_own_memory = init->memory && !init->memory->leaves.empty() &&
                       (makes_memory(call.arguments[1]) ||
                        overwritable_.count(init->memory->leaves[0].buffer.get()) > 0) &&
                       init->memory->leaves[0].buffer->space != AddressSpace::Global &&
                       !init->memory->leaves[0].buffer->is_pointer;
  if (is_own_memory) {
    region = *init->memory;
    check_spread(region, spread_dimensions(body), call);
  } else {
    region = allocate(body, type, placed(body, type, AddressSpace::Private), "acc");
    initialise(region, init);
  }
  const View accumulators = memory_view(region);
  // A reduction that starts from accumulators which are used for nothing else may go on in them.
  const loop::Buffer* own = region.leaves[0].buffer.get();
  const bool was_overwritable = overwritable_.count(own) > 0;
  if (is_used_once(body, 1)) {
    overwritable_.insert(own);
  } else {
    overwritable_.erase(own);
  }
  for_each_element(
      x, range_of(call, env), "k", {.unroll = call.op == Op::ReduceSeqUnroll}, [&](const View& element) {
        loop::Block* outer = block_;
        loop::Block in_place;
        block_ = &in_place;
        std::size_t tiles = kernel_top_->size(), temporaries = plan_.temporaries.size();
        write(body, bind(call.arguments[0], {accumulators, element}, env), memory_destination(region));
        bool is_safe = is_pointwise(in_place, region) || reads_first(in_place, region);
        if (!is_safe) {
          in_place.clear();
          kernel_top_->resize(tiles);
          plan_.temporaries.resize(temporaries);
          MemoryRegion next = allocate(body, type, region.leaves[0].buffer->space, "next");
          write(body, bind(call.arguments[0], {accumulators, element}, env), memory_destination(next));
          initialise(region, memory_view(next));
        }
        block_ = outer;
        for (loop::Statement& statement : in_place) emit(std::move(statement));
      });
  overwritable_.erase(own);
  if (was_overwritable) overwritable_.insert(own);
  return accumulators;
}

void ToLoops::write_scan(const ir::Call& call, const View& x, const View& init, const EnvironmentPtr& env,
                         const Destination& destination) {
  ir::Type type = init->type;
  auto accumulator = declare_state(type, init, "acc");
  for_each(Parallelism::Sequential, 0, x->type->size, "i", [&](arith::Expr i) {
    assign_state(accumulator, apply(call.arguments[0], {state_view(type, accumulator), x->at(i)}, env));
    copy(state_view(type, accumulator), destination->at(i));
  });
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
    for_each(Parallelism::Sequential, 0, kept, "w", [&](arith::Expr j) { copy(x->at(j), hold->at(j)); }, {.unroll = true});
  }
  for_each(Parallelism::Sequential, 0, count, "i", [&](arith::Expr i) {
    arith::Expr first_new = overlaps ? kept : arith::constant(0);
    for_each(
        Parallelism::Sequential, 0, window - first_new, "w",
        [&](arith::Expr j) { copy(x->at(i * step + first_new + j), hold->at(first_new + j)); }, {.unroll = true});
    write(call.arguments[0].as<ir::Lambda>()->body, bind(call.arguments[0], {held}, env), destination->at(i));
    if (overlaps) {
      for_each(
          Parallelism::Sequential, 0, kept, "w", [&](arith::Expr j) { copy(held->at(j + step), hold->at(j)); }, {.unroll = true});
    }
  });
}

View ToLoops::iterate_state(const ir::Call& call, arith::Expr count, const View& start, const EnvironmentPtr& env) {
  auto state = declare_state(start->type, start, "state");
  for_each(Parallelism::Sequential, 0, count, "i", [&](arith::Expr) {
    assign_state(state, apply(call.arguments[0], {state_view(start->type, state)}, env));
  });
  return state_view(start->type, state);
}

View ToLoops::iterate_on_host(const ir::Call& call, arith::Expr count, const View& start, const EnvironmentPtr& env) {
  ir::Term function = call.arguments[0];
  ir::Type result = function.as<ir::Lambda>()->body.type();
  if (arith::contains(result->size, call.sizes[1]) && result->size != call.sizes[1]) {
    // Every step has a length of its own, so every step has kernels of its own.
    std::int64_t steps = constant_size(count, "the number of iterations that change an array's length");
    View current = start;
    arith::Expr length = start->type->size;
    for (std::int64_t step = 0; step < steps; ++step) {
      ir::Term body = ir::substitute_sizes(function, {{call.sizes[1].get(), length}});
      ir::Type type = body.as<ir::Lambda>()->body.type();
      MemoryRegion next = allocate({}, type, AddressSpace::Global, "tmp");
      write(body.as<ir::Lambda>()->body, bind(body, {current}, env), memory_destination(next));
      current = memory_view(next);
      length = type->size;
    }
    return current;
  }
  ir::Term body = ir::substitute_sizes(function, {{call.sizes[1].get(), start->type->size}});
  ir::Type type = body.as<ir::Lambda>()->body.type();
  MemoryRegion now = allocate({}, type, AddressSpace::Global, "now");
  MemoryRegion next = allocate({}, type, AddressSpace::Global, "next");
  copy_on_host(start, now);
  loop::RepeatStep repeat;
  repeat.count = count;
  auto* outer = steps_;
  steps_ = &repeat.body;
  write(body.as<ir::Lambda>()->body, bind(body, {memory_view(now)}, env), memory_destination(next));
  for (std::size_t leaf = 1; leaf < now.leaves.size(); ++leaf) {
    steps_->push_back({loop::CopyStep{next.leaves[leaf].buffer, now.leaves[leaf].buffer}});
  }
  steps_ = outer;
  repeat.swap_first = now.leaves[0].buffer;
  repeat.swap_second = next.leaves[0].buffer;
  steps_->push_back({std::move(repeat)});
  return memory_view(now);
}

void ToLoops::copy_on_host(const View& view, const MemoryRegion& region) {
  bool is_whole = view->memory != nullptr;
  for (std::size_t leaf = 0; is_whole && leaf < region.leaves.size(); ++leaf) {
    is_whole = view->memory->leaves[leaf].buffer->scalars == region.leaves[leaf].buffer->scalars &&
               view->memory->leaves[leaf].offset.is_constant(0);
  }
  if (is_whole) {
    for (std::size_t leaf = 0; leaf < region.leaves.size(); ++leaf) {
      steps_->push_back({loop::CopyStep{view->memory->leaves[leaf].buffer, region.leaves[leaf].buffer}});
    }
    return;
  }
  in_kernel(ir::size_value(1), [&] { copy(view, memory_destination(region)); });
}

View ToLoops::iterate(ir::Term, const ir::Call& call, const EnvironmentPtr& env, std::optional<AddressSpace> space) {
  arith::Expr count = call.sizes[0], length_variable = call.sizes[1];
  ir::Term function = call.arguments[0], start_term = call.arguments[1];
  if (!ir::is_array(start_term.type())) {
    View start = eval(start_term, env);
    return deferred(start_term.type(), [=, this, &call] { return iterate_state(call, count, start, env); });
  }
  if (level_ == Level::Host) return iterate_on_host(call, count, eval(start_term, env), env);

  ir::Term body = function.as<ir::Lambda>()->body;
  const AddressSpace where = placed(body, start_term.type(),
                                    space.value_or(level_ == Level::Group ? AddressSpace::Local : AddressSpace::Private));
  arith::Expr length = start_term.type()->size;
  View start = leads_to_producer(start_term) ? in_space(start_term, env, where) : eval(start_term, env);

  bool keeps_length = body.type()->size == length_variable;
  // Two buffers, each as long as the longest value it will hold.
  ir::Term first_step = ir::substitute_sizes(function, {{length_variable.get(), length}});
  ir::Type first_type = start_term.type();
  ir::Type second_type = first_step.as<ir::Lambda>()->body.type();
  bool start_is_own = start->memory && start->memory->leaves[0].buffer->space == where && leads_to_producer(start_term) &&
                      start->memory->leaves[0].offset.is_constant(0);
  MemoryRegion first;
  if (start_is_own) {
    first = *start->memory;
  } else {
    first = allocate(body, first_type, where, "even");
    initialise(first, start);
  }
  MemoryRegion second = allocate(body, second_type, where, "odd");

  if (where == AddressSpace::Private) {
    if (!keeps_length) {
      throw_unsupported("iterate with a changing length in private memory", {},
                        "keep its values in local memory: `iterate(...) |> toLocal` inside mapWrg");
    }
    ir::Term step = first_step;
    for_each(Parallelism::Sequential, 0, count, "it", [&](arith::Expr) {
      write(step.as<ir::Lambda>()->body, bind(step, {memory_view(first)}, env), memory_destination(second));
      initialise(first, memory_view(second));
    });
    return memory_view(first);
  }

  // Pointers that exchange their buffers after every iteration.
  MemoryRegion in = behind_pointers(first, "from"), out = behind_pointers(second, "to");
  in.type = first_type;
  out.type = second_type;
  ir::Type final_type = second_type;
  for_each(Parallelism::Sequential, 0, count, "it", [&](arith::Expr iteration) {
    arith::Expr now = length;
    if (!keeps_length) {
      // [k] -> [k/c]: the length of this iteration is n / c**it.
      arith::Expr next = body.type()->size;
      if (next->kind != arith::Kind::ExactQuotient || next->operands[0] != length_variable) {
        throw_unsupported("iterate whose function makes an array of length " + arith::to_string(next) +
                              " inside a kernel",
                          {}, "divide the length by a constant, or keep it");
      }
      arith::Expr factor = next->operands[1];
      arith::Expr expression = arith::exact_quotient(length, arith::power(factor, iteration));
      auto variable =
          std::make_shared<loop::Variable>(loop::Variable{names_.fresh("size"), {Scalar::I32, 1}, false});
      arith::Expr least = arith::exact_quotient(length, arith::power(factor, count - 1));
      now = arith::data(variable->name, least.constant() ? least : arith::constant(1), length + 1);
      emit({loop::Let{variable, loop::index_value(expression), now}});
      index_of_.emplace(variable.get(), now);
      final_type = ir::array_type(arith::exact_quotient(length, arith::power(factor, count)),
                                  ir::element_of(body.type()));
    }
    ir::Term step = ir::substitute_sizes(function, {{length_variable.get(), now}});
    MemoryRegion from = in, to = out;
    from.type = ir::array_type(now, ir::element_of(start_term.type()));
    to.type = step.as<ir::Lambda>()->body.type();
    write(step.as<ir::Lambda>()->body, bind(step, {memory_view(from)}, env), memory_destination(to));
    for (std::size_t leaf = 0; leaf < in.leaves.size(); ++leaf) {
      emit({loop::Swap{in.leaves[leaf].buffer, out.leaves[leaf].buffer}});
    }
  });
  in.type = keeps_length ? first_type : final_type;
  return memory_view(in);
}

}  // namespace hoist::lower
