// State: what the loops of reduce, scan and iterate carry from one step to the next.
//
// A state of scalars is kept in variables (declare_state). A state that holds arrays is kept in memory, part
// by part: each array where its size and its maps want it, each scalar beside them in memory of one element,
// which becomes a variable. A step writes a part in place where nothing reads afterwards what it overwrites.
// Otherwise it writes to a second memory, which is copied back (registers) or changes places with the first
// (local and global memory).
#include <algorithm>

#include "lower/to_loops.hpp"

namespace hoist::lower {

using loop::AddressSpace;
using loop::ValuePtr;

// ---- States of scalars.

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

// ---- States that hold arrays.

namespace {

/// The term that makes a component of a tuple, empty where the tuple is made by something else.
ir::Term component_producer(ir::Term term, std::uint32_t component) {
  while (auto* let = term ? term.as<ir::Let>() : nullptr) term = let->body.as<ir::Lambda>()->body;
  auto* tuple = term ? term.as<ir::Tuple>() : nullptr;
  return tuple ? tuple->components[component] : ir::Term();
}

BufferSet touched_by(const loop::Block& block) {
  BufferSet touched;
  loop::for_each_statement(block, [&](const loop::Statement& statement) {
    if (auto* store = std::get_if<loop::Store>(&statement.node)) touched.insert(store->buffer.get());
    if (auto* alias = std::get_if<loop::Alias>(&statement.node)) touched.insert(alias->target.get());
  });
  loop::for_each_value(block, [&](const ValuePtr& value) {
    if (auto* load = std::get_if<loop::Load>(&value->node)) touched.insert(load->buffer.get());
  });
  return touched;
}

}  // namespace

void ToLoops::allocate_parts(State& state, ir::Type type, ir::Term producer,
                             std::optional<AddressSpace> arrays, const char* name) {
  if (ir::is_tuple(type)) {
    for (std::uint32_t i = 0; i < type->elements.size(); ++i) {
      allocate_parts(state, type->elements[i], component_producer(producer, i), arrays, name);
    }
    return;
  }
  const AddressSpace space =
      level_ == Level::Host ? AddressSpace::Global
      : !ir::is_array(type) ? AddressSpace::Private
                            : placed(producer, type, arrays.value_or(space_of_accumulators(producer, type)));
  state.parts.push_back({type, producer, allocate(producer, type, space, name), {}});
}

State ToLoops::allocate_state(ir::Type type, ir::Term producer, std::optional<AddressSpace> arrays,
                              const char* name) {
  State state{type, {}};
  allocate_parts(state, type, producer, arrays, name);
  return state;
}

AddressSpace ToLoops::space_of_accumulators(ir::Term producer, ir::Type type) const {
  // What work-items share among them costs each of them its part.
  const std::vector<int> spread = producer ? spread_dimensions(producer) : std::vector<int>();
  const bool is_spread =
      std::any_of(spread.begin(), spread.end(), [](int dimension) { return dimension >= 0; });
  return is_spread ? AddressSpace::Private : space_by_size(type);
}

bool StatePart::is_any_of(const BufferSet& buffers) const {
  return std::any_of(now.leaves.begin(), now.leaves.end(),
                     [&](const MemoryLeaf& leaf) { return buffers.contains(leaf.buffer.get()); });
}

MemoryRegion State::region(bool is_next) const {
  MemoryRegion whole{type, {}};
  for (const StatePart& part : parts) {
    const MemoryRegion& memory = is_next && part.has_second() ? part.next : part.now;
    whole.leaves.insert(whole.leaves.end(), memory.leaves.begin(), memory.leaves.end());
  }
  return whole;
}

void ToLoops::give_second_memory(State& state, const BufferSet& late) {
  for (StatePart& part : state.parts) {
    if (!part.is_any_of(late)) continue;
    part.next = allocate(part.producer, part.type, part.now.leaves[0].buffer->space, "next");
    if (part.is_private()) continue;
    part.now = behind_pointers(part.now, "from");
    part.next = behind_pointers(part.next, "to");
  }
}

void ToLoops::advance(State& state, loop::Block* home,
                      const std::function<void(const View&, const Destination&)>& step) {
  loop::Block* here = block_;
  for (bool is_done = false; !is_done;) {
    const std::size_t local_arrays = kernel_top_->size(), temporaries = plan_.temporaries.size();
    loop::Block attempt;
    block_ = &attempt;
    step(memory_view(state.region(false)), memory_destination(state.region(true)));
    block_ = here;
    BufferSet in_place;
    for (const StatePart& part : state.parts) {
      if (part.has_second()) continue;
      for (const MemoryLeaf& leaf : part.now.leaves) in_place.insert(leaf.buffer.get());
    }
    const BufferSet late = read_late(attempt, in_place, false);
    is_done = late.empty();
    if (is_done) {
      for (loop::Statement& statement : attempt) emit(std::move(statement));
      continue;
    }
    // What only the attempt uses goes with it.
    const BufferSet touched = touched_by(attempt);
    std::erase_if(*kernel_top_, [&, at = std::size_t{0}](const loop::Statement& statement) mutable {
      auto* made = std::get_if<loop::Allocate>(&statement.node);
      return at++ >= local_arrays && made && touched.contains(made->buffer.get());
    });
    std::erase_if(plan_.temporaries, [&, at = std::size_t{0}](const loop::BufferPtr& made) mutable {
      return at++ >= temporaries && touched.contains(made.get());
    });
    block_ = home;
    give_second_memory(state, late);
    block_ = here;
  }
  for (const StatePart& part : state.parts) {
    if (!part.has_second()) continue;
    if (part.is_private()) {
      initialise(part.now, memory_view(part.next));
      continue;
    }
    for (std::size_t leaf = 0; leaf < part.now.leaves.size(); ++leaf) {
      emit({loop::Swap{part.now.leaves[leaf].buffer, part.next.leaves[leaf].buffer}});
    }
  }
}

void ToLoops::copy_parts(const View& view, const Destination& destination) {
  if (view->memory && destination->memory && is_same_place(*view->memory, *destination->memory)) return;
  if (ir::is_tuple(view->type) && ir::contains_array(view->type)) {
    for (std::uint32_t i = 0; i < view->type->elements.size(); ++i)
      copy_parts(view->get(i), destination->get(i));
    return;
  }
  // An array that is spread over work-items is copied by its owners.
  if (view->memory && ir::is_array(view->type)) {
    return copy_spread(view, view->memory->leaves[0].dimensions, 0, destination);
  }
  copy(view, destination);
}

}  // namespace hoist::lower
