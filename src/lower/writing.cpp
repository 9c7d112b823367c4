// A term computed straight into its destination.
//
// A destination answers "element i" as a view does, and a scalar of it is a place in memory. Writing goes
// from the result inwards: in
//
//   x |> mapGlb(0, row => ..) |> join                 into out
//
// `join` is turned around (`inverse`): element j of row i of what is computed goes to out[i * n + j]. With
// that as its destination mapGlb opens a kernel and a loop, and its function writes each row where it
// belongs. No memory is made in between. A layout that repeats elements or makes new ones has no inverse:
// then the array is computed into memory of its own, and copied through the view that reading.cpp makes of
// it.
//
// Read `write` first: it has a case for each kind of term and of pattern that computes. `write_layout` and
// `inverse` turn layouts around. `write_map` and `for_each` make the loops, `in_kernel` the kernel around
// them, `store_at` the store at the end with its guards.
#include "lower/to_loops.hpp"

namespace hoist::lower {

using ir::Op;
using loop::AddressSpace;
using loop::Parallelism;
using loop::ValuePtr;

void ToLoops::check_nesting(Parallelism parallelism, int dimension) const {
  const char* names[] = {"mapSeq", "mapGlb", "mapWrg", "mapLcl"};
  auto name = [&](Parallelism p, int d) {
    return std::string(names[static_cast<int>(p)]) + "(" + std::to_string(d) + ", ...)";
  };
  for (const Enclosing& outer : loops_) {
    if (outer.parallelism == Parallelism::Sequential) continue;
    if (outer.parallelism == parallelism && outer.dimension == dimension) {
      throw_user(name(parallelism, dimension) + " inside " + name(outer.parallelism, outer.dimension),
                 "the outer map has already distributed the work-items or groups of this dimension",
                 "use another dimension, or mapSeq inside");
    }
    if (parallelism == Parallelism::Group && outer.parallelism == Parallelism::Local) {
      throw_user("mapWrg inside mapLcl", "a work-item cannot start groups", "put mapWrg outside");
    }
  }
}

void ToLoops::for_each(Parallelism parallelism, int dimension, const IndexRange& range, const char* name,
                       const std::function<void(arith::Expr)>& body, LoopHints hints) {
  check_nesting(parallelism, dimension);
  const arith::Expr extent = range.stop;
  auto run = [&](const LocalId& id, Parallelism kind, const IndexRange& bounds, LoopHints known,
                 const std::function<void()>& inside) {
    loop::For loop_statement;
    loop_statement.variable = id.variable;
    loop_statement.start = bounds.start;
    loop_statement.stop = bounds.stop;
    loop_statement.step = 1;
    loop_statement.parallelism = kind;
    loop_statement.dimension = dimension;
    loop_statement.unroll = known.unroll;
    loop_statement.reorderable = known.reorderable;
    loop::Block* outer = block_;
    Level outer_level = level_;
    block_ = &loop_statement.body;
    loops_.push_back({id.index, extent, kind, dimension});
    if (kind == Parallelism::Local) local_ids_[static_cast<std::size_t>(dimension)].push_back(id);
    if (kind == Parallelism::Local || kind == Parallelism::Global) level_ = Level::Thread;
    inside();
    level_ = outer_level;
    if (kind == Parallelism::Local) local_ids_[static_cast<std::size_t>(dimension)].pop_back();
    loops_.pop_back();
    block_ = outer;
    emit({std::move(loop_statement)});
  };

  if (parallelism == Parallelism::Local && shape_.spreads_private) {
    // Private elements are numbered by round: make the rounds a loop of their own, which unrolls.
    auto count = extent.constant(), length = group_length(dimension).constant();
    if (count && length && *count > *length) {
      arith::Expr rounds = arith::constant((*count + *length - 1) / *length);
      arith::Expr round = arith::index(names_.fresh("r"), 0, rounds);
      run({round, round, 0}, Parallelism::Sequential, rounds, {.unroll = true}, [&] {
        arith::Expr id = arith::index(names_.fresh(name), 0, arith::constant(*length));
        arith::Expr index = round * arith::constant(*length) + id;
        run({id, index, round}, Parallelism::Local, arith::constant(*length), {}, [&] {
          if (*count % *length == 0) return body(index);
          loop::If guard;
          guard.condition = loop::test({arith::Relation::Less, index, extent});
          loop::Block* outer = block_;
          block_ = &guard.then_body;
          body(index);
          block_ = outer;
          emit({std::move(guard)});
        });
      });
      return;
    }
  }
  arith::Expr variable = arith::index(names_.fresh(name), range.start, range.stop);
  run({variable, variable, 0}, parallelism, range, hints, [&] { body(variable); });
}

void ToLoops::in_kernel(ir::Term term, const std::function<void()>& body) {
  if (level_ != Level::Host) return body();
  if (options_.kernel_begun) options_.kernel_begun(plan_.kernels.size(), term);
  shape_ = kernel_shape(term, options_);
  loop::Kernel kernel;
  // Devices' compilers call files as kernels are called.
  constexpr std::size_t longest_name = 64;
  kernel.name = names_.fresh(plan_.name.substr(0, longest_name));
  for (arith::Expr& extent : shape_.launch.global) extent = largest_in_any_step(extent);
  kernel.launch = shape_.launch;
  loop::Block top;
  kernel_top_ = &top;
  block_ = &kernel.body;
  level_ = shape_.uses_groups || shape_.uses_local ? Level::Group : Level::Thread;
  body();
  level_ = Level::Host;
  block_ = nullptr;
  kernel_top_ = nullptr;
  kernel.body.insert(kernel.body.begin(), std::make_move_iterator(top.begin()),
                     std::make_move_iterator(top.end()));
  steps_->push_back({loop::LaunchStep{plan_.kernels.size()}});
  plan_.kernels.push_back(std::move(kernel));
}

void ToLoops::store_at(const Target& target, const ValuePtr& value, std::optional<ScalarOp> update) {
  ValuePtr condition;
  for (const arith::Predicate& guard : target.guards) {
    arith::Truth truth = arith::holds(guard);
    if (truth == arith::Truth::Yes) continue;
    if (truth == arith::Truth::No) return;
    ValuePtr test = loop::test(guard);
    condition = condition ? loop::operation(ScalarOp::And, {condition, test}) : test;
  }
  loop::Statement statement{
      loop::Store{target.buffer, target.index, value, !update && is_asynchronous(target, value), update}};
  if (condition) {
    loop::If guarded_store;
    guarded_store.condition = condition;
    guarded_store.then_body.push_back(std::move(statement));
    statement = {std::move(guarded_store)};
  }
  if (target.buffer->space != AddressSpace::Private) {
    // Work-items of a dimension that no enclosing loop shares out all come here: only the first may write.
    for (int d = 0; d < 3; ++d) {
      // Where mapGlb shares out, groups may be of one work-item and yet be many.
      const arith::Expr count =
          shape_.uses_global ? shape_.launch.global[static_cast<std::size_t>(d)] : group_length(d);
      if (count.is_constant(1)) continue;
      bool is_shared_out = false;
      for (const Enclosing& outer : loops_) {
        is_shared_out |= outer.dimension == d && (outer.parallelism == Parallelism::Local ||
                                                  outer.parallelism == Parallelism::Global);
      }
      if (is_shared_out) continue;
      loop::For first_only;
      first_only.variable = arith::index(names_.fresh("first"), 0, 1);
      first_only.start = 0;
      first_only.stop = 1;
      first_only.step = 1;
      first_only.parallelism = shape_.uses_global ? Parallelism::Global : Parallelism::Local;
      first_only.dimension = d;
      first_only.body.push_back(std::move(statement));
      statement = {std::move(first_only)};
    }
  }
  emit(std::move(statement));
}

void ToLoops::store_value(const ValuePtr& value, ir::Type type, const Destination& destination) {
  if (ir::is_scalar(type)) return store_at(destination->target(), value);
  int width = value_type(type).width;
  std::vector<Target> lanes;
  for (int k = 0; k < width; ++k) lanes.push_back(destination->lane(k)->target());
  auto* parts = std::get_if<loop::MakeVector>(&value->node);
  if (parts && static_cast<int>(parts->components.size()) == width) {
    bool are_asynchronous = true;
    for (std::size_t k = 0; k < lanes.size(); ++k)
      are_asynchronous &= is_asynchronous(lanes[k], parts->components[k]);
    if (are_asynchronous) {
      for (std::size_t k = 0; k < lanes.size(); ++k) store_at(lanes[k], parts->components[k]);
      return;
    }
  }
  bool contiguous = lanes[0].buffer->space != AddressSpace::Private || lanes[0].buffer->type.width == width;
  for (int k = 1; k < width; ++k) {
    const Target& lane = lanes[static_cast<std::size_t>(k)];
    contiguous &= lane.buffer == lanes[0].buffer && lane.index == lanes[0].index + arith::constant(k) &&
                  lane.guards == lanes[0].guards;
  }
  if (contiguous) return store_at(lanes[0], value);
  ValuePtr whole = value;
  if (!std::holds_alternative<loop::Reference>(value->node)) {
    whole = loop::reference(declare("v", value->type, value, false));
  }
  for (int k = 0; k < width; ++k) store_at(lanes[static_cast<std::size_t>(k)], loop::component(whole, k));
}

namespace {

/// The scalar and vector components of a view and where each goes; false when an array is among them.
bool flatten(const View& view, const Destination& destination,
             std::vector<std::pair<View, Destination>>& out) {
  if (ir::is_array(view->type)) return false;
  if (!ir::is_tuple(view->type)) {
    out.emplace_back(view, destination);
    return true;
  }
  for (std::uint32_t i = 0; i < view->type->elements.size(); ++i) {
    if (!flatten(view->get(i), destination->get(i), out)) return false;
  }
  return true;
}

}  // namespace

void ToLoops::store(const std::vector<std::pair<View, Destination>>& scalars) {
  // All values before the first store: the values may read what is overwritten.
  std::vector<ValuePtr> values;
  for (const auto& [view, destination] : scalars) {
    ValuePtr value = view->value();
    if (scalars.size() > 1 && !is_trivial(value)) {
      value = loop::reference(declare("v", value->type, value, false));
    }
    values.push_back(std::move(value));
  }
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    store_value(values[i], scalars[i].first->type, scalars[i].second);
  }
}

void ToLoops::copy(const View& view, const Destination& destination) {
  std::vector<std::pair<View, Destination>> scalars;
  if (flatten(view, destination, scalars)) return store(scalars);
  if (ir::is_tuple(view->type)) {
    for (std::uint32_t i = 0; i < view->type->elements.size(); ++i) copy(view->get(i), destination->get(i));
    return;
  }
  for_each(Parallelism::Sequential, 0, view->type->size, "i",
           [&](arith::Expr i) { copy(view->at(i), destination->at(i)); });
}

void ToLoops::write_map(ir::Term term, const ir::Call& call, const EnvironmentPtr& env,
                        const Destination& destination) {
  if (const auto states = states_in_order(call.arguments[1]); states && call.op == Op::MapSeq)
    return write_map_over_states(term, call, *states, env, destination);
  View x = eval(call.arguments[1], env);
  Parallelism parallelism = Parallelism::Sequential;
  const char* name = "i";
  int dimension = 0;
  if (ir::is_parallel_map(call.op)) {
    const ir::Sharing sharing = ir::sharing(call.op);
    parallelism = sharing == ir::Sharing::WorkItems ? Parallelism::Global
                  : sharing == ir::Sharing::Groups  ? Parallelism::Group
                                                    : Parallelism::Local;
    name = sharing == ir::Sharing::WorkItems ? "g" : sharing == ir::Sharing::Groups ? "wg" : "l";
    dimension = static_cast<int>(constant_size(call.sizes[0], "a dimension"));
    if (level_ == Level::Thread && sharing != ir::Sharing::WorkItems && shape_.uses_global) {
      throw_user("mapWrg or mapLcl inside mapGlb", "mapGlb has already distributed all work-items");
    }
  }
  in_kernel(term, [&] {
    for_each(parallelism, dimension, x->type->size, name,
             [&](arith::Expr i) {
               ir::Term body = call.arguments[0].as<ir::Lambda>()->body;
               write(body, bind(call.arguments[0], {x->at(i)}, env), destination->at(i));
             },
             {.unroll = call.op == Op::MapSeqUnroll});
  });
}

namespace {

/// What a layout pattern is of: its last argument, or what the parts of a zip come from.
ir::Term source_of(const ir::Call& call) {
  return call.op == Op::Zip ? unzipped_source(call) : call.arguments.back();
}

Destination inverse(const ir::Call& call, const Destination& destination);

/// Where the elements of x go, when zip(f(unzip(x).0), g(unzip(x).1), ..) goes to `destination`.
Destination inverse_of_zip(const ir::Call& zip, const Destination& destination) {
  const ir::Term source = unzipped_source(zip);
  if (!source) return nullptr;
  AddressSpace space = destination->space;
  std::vector<Destination> parts;
  for (std::uint32_t c = 0; c < zip.arguments.size(); ++c) {
    ir::Term part = zip.arguments[c];
    Destination own =
        array_destination(part.type(), space, [=](arith::Expr i) { return destination->at(i)->get(c); });
    for (auto* call = part.as<ir::Call>(); call && own; call = part.as<ir::Call>()) {
      own = inverse(*call, own);
      part = call->arguments.back();
    }
    if (!own) return nullptr;
    parts.push_back(own);
  }
  ir::Type element = ir::element_of(source.type());
  return array_destination(source.type(), space, [=](arith::Expr i) {
    return tuple_destination(element, space, [=](std::uint32_t c) { return parts[c]->at(i); });
  });
}

/// Where the elements of a layout pattern's source go, when its result goes to `destination`; null where a
/// pattern cannot be turned around (it repeats elements, or makes new ones).
Destination inverse(const ir::Call& call, const Destination& destination) {
  ir::Type type = call.arguments.back().type();
  AddressSpace space = destination->space;
  auto source = [&](std::function<Destination(arith::Expr)> at) {
    return array_destination(type, space, std::move(at));
  };
  switch (call.op) {
    case Op::Join: {
      arith::Expr inner = ir::element_of(type)->size;
      return source([=](arith::Expr i) {
        return array_destination(ir::element_of(type), space,
                                 [=](arith::Expr j) { return destination->at(i * inner + j); });
      });
    }
    case Op::Split:
      return source([=, s = call.sizes[0]](arith::Expr i) { return destination->at(i / s)->at(i % s); });
    case Op::Transpose:
      return source([=](arith::Expr i) {
        return array_destination(ir::element_of(type), space,
                                 [=](arith::Expr j) { return destination->at(j)->at(i); });
      });
    case Op::Take:
      return source(
          [=, k = call.sizes[0]](arith::Expr i) { return guarded(destination->at(i), is_below(i, k)); });
    case Op::Drop:
      return source([=, k = call.sizes[0]](arith::Expr i) {
        return guarded(destination->at(i - k), {arith::Relation::LessEqual, k, i});
      });
    case Op::Rotate:
      return source([=, k = call.sizes[0], length = type->size](arith::Expr i) {
        return destination->at(rotated(i, -k, length));
      });
    case Op::Unzip:
      return source([=](arith::Expr i) {
        return tuple_destination(ir::element_of(type), space,
                                 [=](std::uint32_t c) { return destination->get(c)->at(i); });
      });
    case Op::Zip:
      return inverse_of_zip(call, destination);
    case Op::At:
      // The only element of a computed array of one goes straight to where it is wanted.
      if (!type->size.is_constant(1)) return nullptr;
      return source([=](arith::Expr) { return destination; });
    case Op::AsScalar: {
      arith::Expr width = ir::element_of(type)->size;
      return source([=](arith::Expr i) {
        auto node = std::make_shared<DestinationNode>();
        node->type = ir::element_of(type);
        node->space = space;
        node->lane = [=](arith::Expr lane) { return destination->at(i * width + lane); };
        return Destination(node);
      });
    }
    case Op::AsVector: {
      arith::Expr width = call.sizes[0];
      return source([=](arith::Expr i) { return destination->at(i / width)->lane(i % width); });
    }
    case Op::Map: {
      // A function of layout patterns alone is turned around for every element.
      ir::Term body = call.arguments[0].as<ir::Lambda>()->body;
      std::vector<const ir::Call*> chain;
      while (auto* step = body.as<ir::Call>()) {
        bool is_plain = step->op != Op::At && step->op != Op::Concat && source_of(*step);
        if (!is_plain) return nullptr;
        chain.push_back(step);
        body = source_of(*step);
      }
      auto* variable = body.as<ir::Bound>();
      if (!variable || variable->index != 0 || chain.empty()) return nullptr;
      for (const ir::Call* step : chain) {
        // Asked once here, so that what cannot be turned around is known before anything is written.
        auto probe = std::make_shared<DestinationNode>();
        if (!inverse(*step, probe)) return nullptr;
      }
      return source([=](arith::Expr i) {
        Destination element = destination->at(i);
        for (const ir::Call* step : chain) element = inverse(*step, element);
        return element;
      });
    }
    // These repeat elements, make new ones, or say with an index or a function where each goes.
    case Op::Slide:
    case Op::Pad:
    case Op::PadValue:
    case Op::Gather:
    case Op::Scatter:
    case Op::Concat:
    case Op::Update:
    // These compute, or annotate what computes.
    case Op::Reduce:
    case Op::ReduceRange:
    case Op::ReduceSeq:
    case Op::ReduceSeqUnroll:
    case Op::ReduceLocal:
    case Op::Scan:
    case Op::ScanSeq:
    case Op::ReduceByKey:
    case Op::ReduceByKeySeq:
    case Op::ReduceByKeyLocal:
    case Op::ReduceByKeyGlobal:
    case Op::Iterate:
    case Op::IterateWhile:
    case Op::Generate:
    case Op::MapGlobal:
    case Op::MapGroup:
    case Op::MapLocal:
    case Op::MapSeq:
    case Op::MapSeqUnroll:
    case Op::MapSeqSlide:
    case Op::Prefetch:
    case Op::ToGlobal:
    case Op::ToLocal:
    case Op::ToPrivate:
    case Op::ToImage:
    case Op::Pitch:
    case Op::LoopAt:
    case Op::LoopJam:
    case Op::LoopLanes:
    case Op::LoopLimit:
    case Op::LoopTile:
    case Op::LoopPack:
    case Op::Broadcast:
    case Op::Dot:
      return nullptr;
  }
  throw Bug("not a primitive");
}

}  // namespace

bool is_stored_by_group(ir::Term term) {
  auto* call = term.as<ir::Call>();
  if (call && call->op == Op::Pitch) call = call->arguments[0].as<ir::Call>();
  while (call && call->op != Op::MapLocal) {
    const bool in_rounds = call->op == Op::MapSeq;
    if (!in_rounds &&
        (call->op == Op::At || call->op == Op::Unzip || !inverse(*call, std::make_shared<DestinationNode>())))
      return false;
    call = (in_rounds ? call->arguments[0].as<ir::Lambda>()->body : call->arguments.back()).as<ir::Call>();
  }
  return call != nullptr;
}

bool ToLoops::write_layout(ir::Term term, const ir::Call& call, const EnvironmentPtr& env,
                           const Destination& destination) {
  if (!leads_to_producer(term)) return false;
  if (call.op == Op::Concat) {
    arith::Expr length = call.arguments[0].type()->size;
    write(call.arguments[0], env,
          array_destination(call.arguments[0].type(), destination->space,
                            [=](arith::Expr i) { return destination->at(i); }));
    write(call.arguments[1], env,
          array_destination(call.arguments[1].type(), destination->space,
                            [=](arith::Expr i) { return destination->at(i + length); }));
    return true;
  }
  if (call.op == Op::Zip && !unzipped_source(call)) {
    for (std::uint32_t c = 0; c < call.arguments.size(); ++c) {
      ir::Term component = call.arguments[c];
      write(component, env, array_destination(component.type(), destination->space, [=](arith::Expr i) {
              return destination->at(i)->get(c);
            }));
    }
    return true;
  }
  Destination source = inverse(call, destination);
  if (!source) return false;
  write(source_of(call), env, source);
  return true;
}

namespace {

/// What replaces elements of a variable, or of a component of one: that array; nothing for other terms.
ir::Term updated_variable(ir::Term term) {
  for (auto* call = term.as<ir::Call>(); call; call = term.as<ir::Call>()) {
    if (call->op != Op::Update) return {};
    term = call->arguments[2];
  }
  ir::Term variable = term;
  while (auto* get = variable.as<ir::Get>()) variable = get->tuple;
  return variable.as<ir::Bound>() ? term : ir::Term();
}

/// What `make` gives where something is written: in the kernel that writes it.
Destination later(ir::Type type, AddressSpace space, std::function<Destination()> make) {
  auto node = std::make_shared<DestinationNode>();
  node->type = type;
  node->space = space;
  node->at = [=](arith::Expr i) { return make()->at(i); };
  node->get = [=](std::uint32_t c) {
    return later(type->elements[c], space, [=] { return make()->get(c); });
  };
  node->lane = [=](arith::Expr lane) { return make()->lane(lane); };
  node->target = [=] { return make()->target(); };
  return node;
}

/// Whether a function gives what it is given, element by element.
bool is_copying(ir::Term function) {
  auto* lambda = function.as<ir::Lambda>();
  if (!lambda || lambda->parameters.size() != 1) return false;
  auto* call = lambda->body.as<ir::Call>();
  const bool is_mapping = call && ir::is_map(call->op) && is_copying(call->arguments[0]);
  auto* result = (is_mapping ? call->arguments[1] : lambda->body).as<ir::Bound>();
  return result && result->index == 0;
}

/// The variable that a kernel copies; nothing for other terms.
ir::Term copied_variable(ir::Term term) {
  auto* call = term.as<ir::Call>();
  const bool copies = call && ir::is_map(call->op) && is_copying(call->arguments[0]);
  return copies && call->arguments[1].as<ir::Bound>() ? call->arguments[1] : ir::Term();
}

/// The part of a result that is a copy of the variable of the `let` around `body`, and of `depth` more, or
/// that variable itself where `is_itself`; null where none is.
Destination place_of_copy(ir::Term body, std::uint32_t depth, bool is_itself,
                          const Destination& destination) {
  if (auto* let = body.as<ir::Let>()) {
    return place_of_copy(let->body.as<ir::Lambda>()->body, depth + 1, is_itself, destination);
  }
  if (auto* tuple = body.as<ir::Tuple>()) {
    for (std::uint32_t i = 0; i < tuple->components.size(); ++i) {
      if (auto place = place_of_copy(tuple->components[i], depth, is_itself, destination->get(i)))
        return place;
    }
    return nullptr;
  }
  const ir::Term variable = is_itself ? body : copied_variable(body);
  return variable && variable.as<ir::Bound>() && variable.as<ir::Bound>()->index == depth &&
                 destination->memory
             ? destination
             : nullptr;
}

}  // namespace

/// Whether an array lies where it is to be written.
bool ToLoops::is_in_place(ir::Term array, const EnvironmentPtr& env, const Destination& destination) {
  const View view = eval(array, env);
  return view->memory && is_same_place(*view->memory, *destination->memory) &&
         view->memory->leaves[0].dimensions[0].spread_over < 0;
}

/// An array with some of its elements replaced, where it lies. The host copies it first where it lies
/// elsewhere.
bool ToLoops::write_update(ir::Term term, const ir::Call& update, const EnvironmentPtr& env,
                           const Destination& destination) {
  const ir::Term array = updated_variable(term);
  if (!array || !destination->memory) return false;
  const bool has_place = is_in_place(array, env, destination);
  if (level_ == Level::Host && !has_place) copy_on_host(eval(array, env), *destination->memory);
  if (level_ != Level::Host && !has_place) return false;
  write_updates(update, env, destination);
  return true;
}

/// The replaced elements alone.
void ToLoops::write_updates(const ir::Call& update, const EnvironmentPtr& env,
                            const Destination& destination) {
  if (auto* before = update.arguments[2].as<ir::Call>()) write_updates(*before, env, destination);
  const auto element = [=, this, index = update.arguments[0], length = update.arguments[2].type()->size] {
    return destination->at(to_index(eval(index, env)->value(), length));
  };
  const bool is_later = level_ == Level::Host;
  write(update.arguments[1], env,
        is_later ? later(update.arguments[1].type(), destination->space, element) : element());
}

/// The value of a `let`. An array that the result has a copy of is written there, and read from there; inside
/// kernels that is an array in local memory that is a part of the result.
View ToLoops::write_stage(const ir::Let& let, const EnvironmentPtr& env, const Destination& destination) {
  if (level_ != Level::Host) {
    auto* stored = let.value.as<ir::Call>();
    const bool is_local = stored && stored->op == Op::ToLocal && leads_to_producer(stored->arguments[0]);
    const Destination place =
        is_local ? place_of_copy(let.body.as<ir::Lambda>()->body, 0, true, destination) : nullptr;
    if (!place || place->space != AddressSpace::Local) return eval(let.value, env);
    write(let.value, env, place);
    return memory_view(*place->memory);
  }
  if (!ir::is_array(let.value.type())) {
    const bool needs_kernel = !leads_to_producer(let.value) && contains_loop(let.value);
    return needs_kernel ? materialise(let.value, env, AddressSpace::Global) : eval(let.value, env);
  }
  auto* call = let.value.as<ir::Call>();
  const bool is_written = call && is_producer(let.value) && !ir::is_iterate(call->op);
  const Destination place =
      is_written ? place_of_copy(let.body.as<ir::Lambda>()->body, 0, false, destination) : nullptr;
  if (!place) return eval(let.value, env);
  write(let.value, env, place);
  return memory_view(*place->memory);
}

void ToLoops::write_scheduled(ir::Term term, const EnvironmentPtr& env, const Destination& destination) {
  const std::size_t kernel = plan_.kernels.size();
  Scheduled scheduled = taken_off(term);
  write(scheduled.nest, env, destination);
  if (level_ != Level::Host || plan_.kernels.size() != kernel + 1)
    throw_user("loopAt, loopJam and loopLanes are of what is no kernel by itself", ir::to_string(term),
               "write them around the outermost map of a kernel");
  schedules_.emplace(kernel, std::move(scheduled.schedule));
}

void ToLoops::write(ir::Term term, const EnvironmentPtr& env, const Destination& destination) {
  if (level_ == Level::Host && destination->memory) {
    const ir::Term copied = copied_variable(term);
    if (copied && is_in_place(copied, env, destination)) return;
  }
  if (auto* let = term.as<ir::Let>()) {
    const View value = write_stage(*let, env, destination);
    return write(let->body.as<ir::Lambda>()->body, bind(let->body, {value}, env), destination);
  }
  if (auto* tuple = term.as<ir::Tuple>()) {
    bool scalars_only = true;
    for (ir::Term component : tuple->components) {
      scalars_only &= !ir::is_array(component.type()) && !ir::is_tuple(component.type());
    }
    if (!scalars_only) {
      for (std::uint32_t i = 0; i < tuple->components.size(); ++i) {
        write(tuple->components[i], env, destination->get(i));
      }
      return;
    }
  }
  if (auto* branch = term.as<ir::If>(); branch && leads_to_producer(term) == false &&
                                        ir::contains_array(term.type()) && level_ != Level::Host) {
    View condition = once(eval(branch->condition, env));
    loop::If statement;
    statement.condition = as_test(condition->value());
    loop::Block* outer = block_;
    block_ = &statement.then_body;
    write(branch->then_term, env, destination);
    block_ = &statement.else_body;
    write(branch->else_term, env, destination);
    block_ = outer;
    return emit({std::move(statement)});
  }
  if (auto* call = term.as<ir::Call>()) {
    if (ir::is_address_space(call->op)) {
      AddressSpace wanted = call->op == Op::ToGlobal  ? AddressSpace::Global
                            : call->op == Op::ToLocal ? AddressSpace::Local
                                                      : AddressSpace::Private;
      // Written where it was to be kept anyway.
      if (wanted == destination->space && level_ != Level::Host)
        return write(call->arguments[0], env, destination);
      if (wanted == AddressSpace::Global && level_ == Level::Host)
        return write(call->arguments[0], env, destination);
    }
    if (call->op == Op::Pitch) return write(call->arguments[0], env, destination);
    if (ir::is_schedule(call->op)) return write_scheduled(term, env, destination);
    if (ir::is_map(call->op) && call->op != Op::Prefetch && (call->op != Op::Map || maps_producer(*call))) {
      if (call->op == Op::Map && level_ == Level::Host) {
        throw_unsupported("a plain map around patterns that compute, outside any kernel", ir::to_string(term),
                          "write mapWrg, mapGlb or mapSeq instead of map");
      }
      return write_map(term, *call, env, destination);
    }
    if (ir::is_scan(call->op)) return write_scan(term, *call, env, destination);
    if (is_array_reduction(term)) {
      View x = eval(call->arguments.back(), env), init = eval(call->arguments[1], env);
      return in_kernel(term, [&] { copy_parts(reduce_array(*call, x, init, env), destination); });
    }
    if (ir::is_keyed_reduce(call->op)) return write_keyed(term, *call, env, destination);
    if (ir::is_iterate(call->op) && level_ == Level::Host && ir::contains_array(term.type()) &&
        destination->memory) {
      return copy_on_host(eval(term, env), *destination->memory);
    }
    if (call->op == Op::MapSeqSlide) {
      View x = eval(call->arguments[1], env);
      return in_kernel(term, [&] { write_sliding(*call, x, env, destination); });
    }
    if (call->op == Op::Scatter) {
      ir::Term f = call->arguments[0];
      ir::Type type = call->arguments[1].type();
      auto scattered = [&, this](arith::Expr i) {
        // A guard leaves out what lies outside, in tiles that stick out or dropped: it has no place to check.
        const ValuePtr place = loop::index_value(nearest_index(i, type->size));
        View index = apply(f, {value_view(ir::scalar_type(Scalar::I32), place)}, env);
        return destination->at(to_index(index->value(), type->size));
      };
      if (leads_to_producer(call->arguments[1])) {
        return write(call->arguments[1], env, array_destination(type, destination->space, scattered));
      }
      View x = eval(call->arguments[1], env);
      return in_kernel(term, [&] { copy(x, array_destination(type, destination->space, scattered)); });
    }
    if (call->op == Op::Update && write_update(term, *call, env, destination)) return;
    if (write_layout(term, *call, env, destination)) return;
  }
  View value = eval(term, env);
  if (value->memory && destination->memory && is_same_place(*value->memory, *destination->memory)) return;
  in_kernel(term, [&] { copy_parts(value, destination); });
}

}  // namespace hoist::lower
