// iterate and iterateWhile: a function applied to its own result.
//
// There are four forms. A state of scalars is kept in variables of one loop (`iterate_scalars`). A state with
// arrays is iterated by the host outside of kernels, each step by kernels of its own (`iterate_on_host`), and
// in a loop inside a kernel (`iterate_in_kernel`). Where the length of the array changes from step to step,
// `iterate_on_host_by_length` and `iterate_on_lengths` make kernels, or loops, that are the same for all
// lengths or unroll the steps.
//
// Read `iterate` first: it tells the forms apart. What a step leaves alone, or replaces some elements of, is
// found by `changes_by`: such parts of the state need no second memory.
#include "ir/iterate.hpp"
#include "ir/inspect.hpp"
#include "ir/print.hpp"
#include "lower/ownership.hpp"
#include "lower/to_loops.hpp"

namespace hoist::lower {

using ir::Op;
using loop::AddressSpace;
using loop::Parallelism;

namespace {

ir::Term body_of(ir::Term function) { return function.as<ir::Lambda>()->body; }

/// iterate's function for an array of this length; itself for other states.
ir::Term for_length(const ir::Call& call, arith::Expr length) {
  ir::Term function = call.arguments[0];
  const bool is_typed = call.sizes[1].kind() == arith::Kind::Variable && call.sizes[1] != length;
  return is_typed ? ir::substitute_sizes(function, {{call.sizes[1].get(), length}}) : function;
}

/// Whether memory whose length must be a constant is made in a function, as what groups keep is.
bool needs_known_lengths(ir::Term term) {
  return ir::any_op(term, [](ir::Op op) { return ir::has_any(op, ir::Trait::ConstantLength); });
}

/// What a step does to a part of the state, an array or a scalar.
enum class Change { None, Elements, All };

using IsOld = std::function<bool(ir::Term)>;

Change change_of(ir::Term next, const IsOld& is_old) {
  if (!next) return Change::All;
  if (is_old(next)) return Change::None;
  auto* call = next.as<ir::Call>();
  for (; call && call->op == Op::Update; call = next.as<ir::Call>()) next = call->arguments[2];
  return is_old(next) ? Change::Elements : Change::All;
}

/// Adds what a step does to each part of a state of this type, in order.
void find_changes(ir::Term next, ir::Type type, const IsOld& is_old, std::vector<Change>& found) {
  if (!ir::is_tuple(type)) {
    found.push_back(change_of(next, is_old));
    return;
  }
  auto* tuple = next ? next.as<ir::Tuple>() : nullptr;
  for (std::uint32_t i = 0; i < type->elements.size(); ++i) {
    find_changes(
        tuple ? tuple->components[i] : ir::Term(), type->elements[i],
        [&, i](ir::Term term) {
          auto* get = term.as<ir::Get>();
          return get && get->index == i && is_old(get->tuple);
        },
        found);
  }
}

/// The changes that a function makes to its last parameter, the state.
std::vector<Change> changes_by(ir::Term function) {
  ir::Term next = body_of(function);
  std::uint32_t state = 0;
  for (; auto* let = next.as<ir::Let>(); ++state) next = body_of(let->body);
  std::vector<Change> found;
  find_changes(
      next, next.type(),
      [&](ir::Term term) {
        auto* bound = term.as<ir::Bound>();
        return bound && bound->index == state;
      },
      found);
  return found;
}

}  // namespace

View ToLoops::iterate(const ir::Call& call, const EnvironmentPtr& env, std::optional<AddressSpace> space) {
  ir::Term start_term = call.arguments.back();
  const ir::Type type = start_term.type();
  // No step: the function may not even fit the length.
  if (call.op == Op::Iterate && call.sizes[0].is_constant(0)) return eval(start_term, env);
  Iteration iteration;
  if (call.op == Op::IterateWhile) {
    auto* always = body_of(call.arguments[0]).as<ir::Literal>();
    const bool is_counted = always && always->value.integer != 0;
    iteration = {call.arguments[2], call.arguments[1], is_counted ? ir::Term() : call.arguments[0]};
  } else {
    iteration = {ir::is_array(type) ? for_length(call, type->size) : call.arguments[0],
                 ir::size_value(call.sizes[0]),
                 {}};
  }
  if (!ir::contains_array(type)) {
    View start = eval(start_term, env);
    return deferred(type, [=, this] { return iterate_scalars(iteration, start, env); });
  }
  const bool keeps_type = ir::is_equal(body_of(iteration.function).type(), type);
  if (level_ == Level::Host) {
    View start = eval(start_term, env);
    return keeps_type ? iterate_on_host(iteration, start, env) : iterate_on_host_by_length(call, start, env);
  }
  // Every work-item of a group does the same here, or only one is there.
  if (!space && level_ == Level::Group) space = AddressSpace::Local;
  const bool is_made = leads_to_producer(start_term);
  View start = is_made && space ? in_space(start_term, env, *space) : eval(start_term, env);
  if (keeps_type) return iterate_in_kernel(iteration, start, is_made, space, env);
  return iterate_on_lengths(call, start, is_made, space, env);
}

void ToLoops::for_each_step(const Iteration& iteration, const EnvironmentPtr& env,
                            const std::function<View()>& state,
                            const std::function<void(const std::vector<View>&)>& step) {
  const arith::Expr known = ir::known_steps(iteration.most);
  const bool is_by_group = ir::contains_array(iteration.function.as<ir::Lambda>()->parameters.back()) ||
                           ir::needs_group(iteration.function) ||
                           (iteration.condition && ir::needs_group(iteration.condition));
  if (level_ == Level::Group && is_by_group && (iteration.condition || !known)) {
    throw_unsupported(
        "iterate by a whole work-group with a number of steps that is known only when the kernel runs",
        ir::to_string(iteration.condition ? iteration.condition : iteration.most),
        "put iterate inside mapLcl or mapGlb, or outside mapWrg");
  }
  const arith::Expr most = known ? known : index_of_value(eval(iteration.most, env)->value());
  loop::VariablePtr goes_on;
  const auto test = [&] { return apply(iteration.condition, {state()}, env)->value(); };
  if (iteration.condition) goes_on = declare("running", {Scalar::Bool, 1}, test(), true);
  for_each(Parallelism::Sequential, 0, most, "it", [&](arith::Expr number) {
    std::vector<View> arguments{state()};
    const bool takes_number = iteration.function.as<ir::Lambda>()->parameters.size() > 1;
    if (takes_number) {
      arguments.insert(arguments.begin(),
                       value_view(ir::scalar_type(Scalar::I32), loop::index_value(number)));
    }
    step(arguments);
    if (goes_on) emit({loop::Assign{goes_on, test()}});
  });
  if (goes_on) std::get<loop::For>(block_->back().node).condition = loop::reference(goes_on);
}

View ToLoops::iterate_scalars(const Iteration& iteration, const View& start, const EnvironmentPtr& env) {
  auto variables = declare_state(start->type, start, "state");
  const auto state = [&] { return state_view(start->type, variables); };
  for_each_step(iteration, env, state, [&](const std::vector<View>& arguments) {
    assign_state(variables, apply(iteration.function, arguments, env));
  });
  return state();
}

View ToLoops::iterate_on_host_by_length(const ir::Call& call, const View& start, const EnvironmentPtr& env) {
  const arith::Expr count = call.sizes[0], k = call.sizes[1], n = start->type->size;
  const arith::Expr growth = body_of(call.arguments[0]).type()->size - k;
  constexpr std::int64_t most_unrolled = 8;
  const bool is_steady = !arith::contains(growth, k) && !needs_known_lengths(call.arguments[0]);
  if (is_steady && count.constant().value_or(most_unrolled + 1) > most_unrolled) {
    // The kernels of all steps are the same, but for numbers that follow from the step's.
    const ir::Type element = ir::element_of(start->type);
    const ir::Type capacity = ir::array_type(arith::maximum(n, n + growth * count), element);
    MemoryRegion now = allocate({}, capacity, AddressSpace::Global, "now");
    MemoryRegion next = allocate({}, capacity, AddressSpace::Global, "next");
    copy_on_host(start, {start->type, now.leaves});
    loop::RepeatStep repeat;
    repeat.count = count;
    repeat.number =
        std::make_shared<loop::Variable>(loop::Variable{names_.fresh("step"), {Scalar::I32, 1}, false});
    const arith::Expr step = arith::data(repeat.number->name, 0, count), length = n + growth * step;
    index_of_.emplace(repeat.number, step);
    ir::Term function = for_length(call, length);
    auto* outer = steps_;
    steps_ = &repeat.body;
    varying_lengths_.push_back({step, count});
    write(body_of(function),
          bind(function, {memory_view({ir::array_type(length, element), now.leaves})}, env),
          memory_destination({body_of(function).type(), next.leaves}));
    varying_lengths_.pop_back();
    steps_ = outer;
    for (std::size_t leaf = 0; leaf < now.leaves.size(); ++leaf) {
      repeat.exchanged.emplace_back(now.leaves[leaf].buffer, next.leaves[leaf].buffer);
    }
    steps_->push_back({std::move(repeat)});
    return memory_view({ir::array_type(n + growth * count, element), now.leaves});
  }
  // Every step has a length of its own, so every step has kernels of its own.
  std::int64_t steps = constant_size(call.sizes[0], "the number of iterations that change an array's length");
  View current = start;
  for (std::int64_t step = 0; step < steps; ++step) {
    ir::Term function = for_length(call, current->type->size);
    MemoryRegion next = allocate({}, body_of(function).type(), AddressSpace::Global, "tmp");
    write(body_of(function), bind(function, {current}, env), memory_destination(next));
    current = memory_view(next);
  }
  return current;
}

View ToLoops::iterate_on_host(const Iteration& iteration, const View& start, const EnvironmentPtr& env) {
  ir::Term function = iteration.function;
  State state = allocate_state(start->type, body_of(function), std::nullopt, "now");
  const std::vector<Change> changes = changes_by(function);
  loop::RepeatStep repeat;
  const auto give_second = [&](StatePart& part) {
    part.next = allocate(part.producer, part.type, AddressSpace::Global, "next");
    for (std::size_t leaf = 0; leaf < part.now.leaves.size(); ++leaf) {
      repeat.exchanged.emplace_back(part.now.leaves[leaf].buffer, part.next.leaves[leaf].buffer);
    }
  };
  for (std::size_t part = 0; part < state.parts.size(); ++part) {
    if (changes[part] == Change::All) give_second(state.parts[part]);
  }
  copy_on_host(start, state.region());
  const auto computed = [&](ir::Term term, const EnvironmentPtr& inside, const char* name) {
    MemoryRegion region = allocate({}, term.type(), AddressSpace::Global, name);
    write(term, inside, memory_destination(region));
    return region.leaves[0].buffer;
  };
  const arith::Expr most = ir::known_steps(iteration.most);
  if (most) {
    repeat.count = most;
  } else {
    repeat.count_from = computed(iteration.most, env, "rounds");
  }
  std::vector<View> arguments{memory_view(state.region())};
  auto* outer = steps_;
  if (iteration.condition) {
    steps_ = &repeat.test;
    repeat.condition =
        computed(body_of(iteration.condition), bind(iteration.condition, arguments, env), "goes_on");
  }
  const bool takes_number = function.as<ir::Lambda>()->parameters.size() > 1;
  loop::ValuePtr number = loop::literal(ScalarValue::of_integer(Scalar::I32, 0));
  if (takes_number && uses(body_of(function), 1) > 0) {
    repeat.number =
        std::make_shared<loop::Variable>(loop::Variable{names_.fresh("step"), {Scalar::I32, 1}, false});
    constexpr std::int64_t most_i32 = 2147483647;
    index_of_.emplace(repeat.number, arith::data(repeat.number->name, 0, most ? most : most_i32));
    number = loop::reference(repeat.number);
  }
  if (takes_number) arguments.insert(arguments.begin(), value_view(ir::scalar_type(Scalar::I32), number));
  steps_ = &repeat.body;
  const std::size_t kernels = plan_.kernels.size();
  for (bool is_done = false; !is_done;) {
    const std::size_t temporaries = plan_.temporaries.size();
    write(body_of(function), bind(function, arguments, env), memory_destination(state.region(true)));
    BufferSet in_place;
    for (const StatePart& part : state.parts) {
      for (const MemoryLeaf& leaf : part.now.leaves) {
        if (!part.has_second()) in_place.insert(leaf.buffer.get());
      }
    }
    const BufferSet late = read_late(plan_, repeat.body, in_place);
    is_done = late.empty();
    if (is_done) break;
    // What only the attempt uses goes with it.
    repeat.body.clear();
    plan_.kernels.resize(kernels);
    plan_.temporaries.resize(temporaries);
    for (StatePart& part : state.parts) {
      if (part.is_any_of(late)) give_second(part);
    }
  }
  steps_ = outer;
  steps_->push_back({std::move(repeat)});
  return memory_view(state.region());
}

arith::Expr ToLoops::largest_in_any_step(arith::Expr e) const {
  for (const auto& [step, count] : varying_lengths_) {
    if (!arith::contains(e, step)) continue;
    // Lengths grow or shrink steadily: one end is the largest.
    e = arith::maximum(arith::substitute(e, {{step.get(), 0}}),
                       arith::substitute(e, {{step.get(), count - 1}}));
  }
  return e;
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
  if (ir::is_tuple(view->type) && ir::contains_array(view->type)) {
    for (std::uint32_t i = 0; i < view->type->elements.size(); ++i) copy_on_host(view->get(i), region.get(i));
    return;
  }
  in_kernel(ir::size_value(1), [&] { copy(view, memory_destination(region)); });
}

View ToLoops::iterate_in_kernel(const Iteration& iteration, const View& start, bool may_overwrite,
                                std::optional<AddressSpace> space, const EnvironmentPtr& env) {
  const ir::Type type = start->type;
  ir::Term body = body_of(iteration.function);
  const MemoryLeaf* own = start->memory && ir::is_array(type) ? &start->memory->leaves[0] : nullptr;
  State state;
  if (may_overwrite && own && !inputs_.contains(own->buffer.get()) && own->offset.is_constant(0) &&
      own->buffer->space == space.value_or(own->buffer->space) && !own->buffer->is_pointer) {
    state = {type, {{type, body, *start->memory, {}}}};
  } else {
    state = allocate_state(type, body, space, "state");
    initialise(state.region(), start);
  }
  loop::Block* home = block_;
  const auto current = [&] { return memory_view(state.region()); };
  for_each_step(iteration, env, current, [&](std::vector<View> arguments) {
    advance(state, home, [&](const View& now, const Destination& next) {
      arguments.back() = now;
      write(body, bind(iteration.function, arguments, env), next);
    });
  });
  return current();
}

View ToLoops::iterate_on_lengths(const ir::Call& call, const View& start, bool may_overwrite,
                                 std::optional<AddressSpace> space, const EnvironmentPtr& env) {
  const arith::Expr count = call.sizes[0], k = call.sizes[1], n = start->type->size;
  const arith::Expr next = body_of(call.arguments[0]).type()->size;
  const ir::Type element = ir::element_of(start->type);
  const auto step_on = [&](const View& now, const MemoryRegion& to) {
    ir::Term function = for_length(call, now->type->size);
    write(body_of(function), bind(function, {now}, env), memory_destination(to));
  };
  const auto memory_for = [&](arith::Expr length, const char* name) {
    const ir::Type type = ir::array_type(length, element);
    const ir::Term producer = body_of(call.arguments[0]);
    return allocate(producer, type, placed(producer, type, space.value_or(space_by_size(type))), name);
  };
  if (count.is_constant(0)) return start;
  if (!arith::contains(next, k)) {
    // From the second step on the length stays.
    MemoryRegion first = memory_for(next, "state");
    step_on(start, first);
    return iterate_in_kernel({for_length(call, next), ir::size_value(count - 1), {}}, memory_view(first),
                             true, space, env);
  }
  constexpr std::int64_t most_unrolled = 16;
  if (space.value_or(AddressSpace::Private) == AddressSpace::Private &&
      count.constant().value_or(most_unrolled + 1) <= most_unrolled) {
    // Registers have lengths that are known: each step has its own.
    View now = start;
    for (std::int64_t step = 0; step < *count.constant(); ++step) {
      MemoryRegion to = memory_for(arith::substitute(next, {{k.get(), now->type->size}}), "state");
      step_on(now, to);
      now = memory_view(to);
    }
    return now;
  }
  const arith::Expr last = ir::length_after(next, k, n, count);
  const auto length_at = [&](arith::Expr step) { return ir::length_after(next, k, n, step); };
  if (!length_at(arith::index("step", 0, count))) {
    throw_unsupported("iterate whose function makes an array of length " + arith::to_string(next) + ", in " +
                          arith::to_string(count) + " steps inside a kernel",
                      {}, "multiply, divide or add a constant");
  }
  // Two memories that change places, each as long as the longest value that it will hold.
  const arith::Expr longest = arith::maximum(n, last);
  const ir::Type longest_type = ir::array_type(longest, element);
  const AddressSpace where =
      placed(body_of(call.arguments[0]), longest_type, space.value_or(space_by_size(longest_type)));
  const bool is_own = may_overwrite && start->memory && start->memory->leaves[0].buffer->space == where &&
                      start->memory->leaves[0].offset.is_constant(0) && arith::is_less_equal(last, n) &&
                      !start->memory->leaves[0].buffer->is_pointer;
  MemoryRegion first;
  if (is_own) {
    first = *start->memory;
  } else {
    first = allocate(body_of(call.arguments[0]), ir::array_type(longest, element), where, "even");
    copy_parts(start, memory_destination(MemoryRegion{start->type, first.leaves}));
  }
  // They are found at the same offsets, also where several work-items have theirs side by side.
  const bool is_alone = first.leaves[0].offset.is_constant(0);
  const arith::Expr second_length =
      is_alone ? arith::maximum(arith::substitute(next, {{k.get(), n}}), last) : longest;
  MemoryRegion in = behind_pointers(first, "from");
  MemoryRegion out = behind_pointers(
      allocate(body_of(call.arguments[0]), ir::array_type(second_length, element), where, "odd"), "to");
  for_each(Parallelism::Sequential, 0, count, "it", [&](arith::Expr iteration) {
    arith::Expr now = length_at(iteration);
    if (arith::contains(next - k, k)) {
      // A power of the step: computed once in each.
      auto variable =
          std::make_shared<loop::Variable>(loop::Variable{names_.fresh("size"), {Scalar::I32, 1}, false});
      const arith::Expr before_last = length_at(count - 1);
      const arith::Expr least = arith::is_less_equal(before_last, n) ? before_last : n;
      const arith::Expr range_end = arith::is_less_equal(before_last, n) ? n + 1 : before_last + 1;
      const arith::Expr length =
          arith::data(variable->name, least.constant() ? least : arith::constant(1), range_end);
      emit({loop::Let{variable, loop::index_value(now), length}});
      index_of_.emplace(variable, length);
      now = length;
    }
    in.type = ir::array_type(now, element);
    out.type = body_of(for_length(call, now)).type();
    step_on(memory_view(in), out);
    for (std::size_t leaf = 0; leaf < in.leaves.size(); ++leaf) {
      emit({loop::Swap{in.leaves[leaf].buffer, out.leaves[leaf].buffer}});
    }
  });
  in.type = ir::array_type(last, element);
  return memory_view(in);
}

}  // namespace hoist::lower
