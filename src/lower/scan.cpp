// Scans: a loop that makes a state after the other, and maps over the states, which use each when it is made.
//
//   rounds |> scanSeq((tile, round) => toLocal(concat(tile |> drop(4) |> mapLcl(0, id), f(round))), first)
//     |> drop(2) |> mapSeq(g)
//
// stores no state but the one at hand: `states_in_order` finds the scan, `write_map_over_states` makes the
// loop. The arrays of a state that a group's work-items make and keep are in local memory. The next are made
// in their place where the function only moves some of their rows to where nothing is read any more, as
// above, and computes the others (`makes_states_in_place`); elsewhere by `advance`, which finds out what may
// be overwritten.
#include <algorithm>

#include "ir/inspect.hpp"
#include "lower/ownership.hpp"
#include "lower/to_loops.hpp"

namespace hoist::lower {

using ir::Op;
using loop::AddressSpace;
using loop::Parallelism;

namespace {

/// Whether every array of a value is what a group's work-items compute and keep.
bool is_kept_by_group(ir::Term value) {
  if (auto* tuple = value.as<ir::Tuple>())
    return std::all_of(tuple->components.begin(), tuple->components.end(), is_kept_by_group);
  auto* call = value.as<ir::Call>();
  return !ir::is_array(value.type()) || (call && call->op == Op::ToLocal);
}

/// What maps copy, element by element.
ir::Term copied(ir::Term term) {
  for (auto* map = term.as<ir::Call>(); map && ir::is_map(map->op); map = term.as<ir::Call>()) {
    for (ir::Term body = map->arguments[0].as<ir::Lambda>()->body;;) {
      if (auto* variable = body.as<ir::Bound>(); variable && variable->index == 0) break;
      auto* inner = body.as<ir::Call>();
      if (!inner || !ir::is_map(inner->op) || !inner->arguments[1].as<ir::Bound>() ||
          inner->arguments[1].as<ir::Bound>()->index != 0)
        return term;
      body = inner->arguments[0].as<ir::Lambda>()->body;
    }
    term = map->arguments[1];
  }
  return term;
}

/// Whether the next array of a group, toLocal(concat(drop(k, array), ..)) or one that does not read the one
/// before, may be made in its place: nothing is read where something is written before, and nothing else
/// reads the array. `state` is the variable of the state around it, which is the array or, `is_part`, has it
/// as this component.
bool is_made_in_place(ir::Term next, std::uint32_t state, bool is_part, std::uint32_t component) {
  auto* stored = next.as<ir::Call>();
  if (!stored || stored->op != Op::ToLocal) return false;
  const int reads = uses(next, state);
  if (reads == 0) return true;
  auto* joined = stored->arguments[0].as<ir::Call>();
  if (!joined || joined->op != Op::Concat || reads != 1) return false;
  const ir::Term kept = copied(joined->arguments[0]);
  auto* rest = kept.as<ir::Call>();
  if (!rest || rest->op != Op::Drop || !arith::is_less_equal(kept.type()->size, rest->sizes[0])) return false;
  ir::Term array = rest->arguments[0];
  if (is_part) {
    auto* part = array.as<ir::Get>();
    if (!part || part->index != component) return false;
    array = part->tuple;
  }
  auto* variable = array.as<ir::Bound>();
  return variable && variable->index == state;
}

/// Whether a scan's function makes all arrays of the next state in the places of those of this one: lets, one
/// for each, around all of them.
bool makes_states_in_place(const ir::Call& scan) {
  std::vector<ir::Term> values;
  ir::Term body = scan.arguments[0].as<ir::Lambda>()->body;
  for (auto* let = body.as<ir::Let>(); let; let = body.as<ir::Let>()) {
    values.push_back(let->value);
    body = let->body.as<ir::Lambda>()->body;
  }
  auto* tuple = body.as<ir::Tuple>();
  const std::vector<ir::Term> parts = tuple ? tuple->components : std::vector<ir::Term>{body};
  if (parts.size() != values.size()) return false;
  for (std::uint32_t i = 0; i < parts.size(); ++i) {
    auto* part = parts[i].as<ir::Bound>();
    const bool is_own = part && part->index == values.size() - 1 - i;
    const std::uint32_t state = 1 + i;  // behind the element and the lets before
    if (!is_own || !is_made_in_place(values[i], state, tuple != nullptr, i)) return false;
  }
  return true;
}

}  // namespace

std::optional<StatesInOrder> states_in_order(ir::Term array) {
  StatesInOrder states;
  auto* call = array.as<ir::Call>();
  for (; call && call->op == Op::Drop; call = call->arguments[0].as<ir::Call>())
    states.dropped = states.dropped + call->sizes[0];
  const auto is_of_arrays = [](ir::Term scan) {
    auto* found = scan.as<ir::Call>();
    return found && found->op == Op::ScanSeq && ir::contains_array(ir::element_of(scan.type()));
  };
  if (call && call->op == Op::Zip) {
    states.zipped = call->arguments;
    if (std::count_if(states.zipped.begin(), states.zipped.end(), is_of_arrays) != 1) return std::nullopt;
    const auto scan = std::find_if(states.zipped.begin(), states.zipped.end(), is_of_arrays);
    states.position = static_cast<std::size_t>(scan - states.zipped.begin());
    call = scan->as<ir::Call>();
  }
  if (!call || call->op != Op::ScanSeq || !ir::contains_array(call->arguments[1].type())) return std::nullopt;
  states.scan = call;
  return states;
}

View ToLoops::first_state(const ir::Call& scan, const EnvironmentPtr& env) {
  const ir::Term first = scan.arguments[1];
  const bool is_of_group =
      level_ == Level::Group && ir::contains_array(first.type()) && is_kept_by_group(first);
  return is_of_group ? View() : eval(first, env);
}

void ToLoops::for_each_state(const ir::Call& scan, const View& x, const View& start,
                             const EnvironmentPtr& env,
                             const std::function<void(arith::Expr, const View&)>& use) {
  const ir::Term first = scan.arguments[1], next = scan.arguments[0].as<ir::Lambda>()->body;
  const ir::Type type = first.type();
  if (!ir::contains_array(type)) {
    auto accumulator = declare_state(type, start, "acc");
    for_each(Parallelism::Sequential, 0, x->type->size, "i", [&](arith::Expr i) {
      assign_state(accumulator, apply(scan.arguments[0], {state_view(type, accumulator), x->at(i)}, env));
      use(i, state_view(type, accumulator));
    });
    return;
  }
  const bool is_of_group = !start;
  State state =
      allocate_state(type, next, is_of_group ? std::optional(AddressSpace::Local) : std::nullopt, "acc");
  if (is_of_group) {
    write(first, env, memory_destination(state.region()));
  } else {
    initialise(state.region(), start);
  }
  loop::Block* home = block_;
  const bool is_in_place = is_of_group && makes_states_in_place(scan);
  for_each(Parallelism::Sequential, 0, x->type->size, "i", [&](arith::Expr i) {
    const View element = x->at(i);
    const auto step = [&](const View& accumulators, const Destination& destination) {
      write(next, bind(scan.arguments[0], {accumulators, element}, env), destination);
    };
    if (is_in_place) {
      step(memory_view(state.region()), memory_destination(state.region()));
    } else {
      advance(state, home, step);
    }
    use(i, memory_view(state.region()));
  });
}

void ToLoops::write_scan(ir::Term term, const ir::Call& call, const EnvironmentPtr& env,
                         const Destination& destination) {
  const View x = eval(call.arguments[2], env), start = first_state(call, env);
  in_kernel(term, [&] {
    for_each_state(call, x, start, env,
                   [&](arith::Expr i, const View& state) { copy_parts(state, destination->at(i)); });
  });
}

void ToLoops::write_map_over_states(ir::Term term, const ir::Call& map, const StatesInOrder& states,
                                    const EnvironmentPtr& env, const Destination& destination) {
  std::vector<View> zipped;
  for (std::size_t k = 0; k < states.zipped.size(); ++k)
    zipped.push_back(k == states.position ? View() : eval(states.zipped[k], env));
  const View x = eval(states.scan->arguments[2], env), start = first_state(*states.scan, env);
  const auto use = [&](arith::Expr i, const View& state) {
    View element = state;
    if (!zipped.empty()) {
      std::vector<View> parts;
      for (std::size_t k = 0; k < zipped.size(); ++k)
        parts.push_back(k == states.position ? state : zipped[k]->at(i));
      element = tuple_view(ir::element_of(map.arguments[1].type()), std::move(parts));
    }
    write(map.arguments[0].as<ir::Lambda>()->body, bind(map.arguments[0], {element}, env),
          destination->at(i - states.dropped));
  };
  in_kernel(term, [&] {
    for_each_state(*states.scan, x, start, env, [&](arith::Expr i, const View& state) {
      when({arith::Relation::LessEqual, states.dropped, i}, [&] { use(i, state); });
    });
  });
}

}  // namespace hoist::lower
