// Arrays whose elements a sequential reduction computes ahead: while it works on one, the next are on their
// way from global memory. (Software pipelining; asynchronous copies and double buffering on GPUs.)
#include <cmath>
#include <utility>

#include "lower/to_loops.hpp"

namespace hoist::lower {

using ir::Op;
using loop::AddressSpace;
using loop::Parallelism;

MemoryRegion ToLoops::behind_pointers(MemoryRegion region, const char* name) {
  for (MemoryLeaf& leaf : region.leaves) {
    auto pointer = std::make_shared<loop::Buffer>(*leaf.buffer);
    pointer->name = names_.fresh(name);
    pointer->is_pointer = true;
    emit({loop::Alias{pointer, leaf.buffer}});
    leaf.buffer = pointer;
  }
  return region;
}

void ToLoops::for_each_element(const View& array, const std::optional<IndexRange>& range, const char* name,
                               LoopHints hints, const std::function<void(const View&)>& body) {
  // What is fetched ahead is handed on from one iteration to the next: their order stays, whatever the hints
  // say.
  if (array->prefetch && !range) return for_each_prefetched(*array->prefetch, name, hints.unroll, body);
  const IndexRange elements = range.value_or(array->type->size);
  if (arith::is_less_equal(elements.stop, elements.start)) return;
  for_each(
      Parallelism::Sequential, 0, elements, name, [&](arith::Expr i) { body(array->at(i)); }, hints);
}

namespace {

/// One part of what the function of prefetch computes, and where it is kept: a copy for each stage, the first
/// for the element that is in use.
struct Staged {
  ir::Term producer;
  AddressSpace space;
  std::vector<MemoryRegion> copies;
};

Staged staged(ir::Term part) {
  auto* call = part.as<ir::Call>();
  bool is_kept = call && ((call->op == Op::ToLocal && is_stored_by_group(call->arguments[0])) ||
                          (call->op == Op::ToPrivate && is_producer(call->arguments[0])));
  if (!is_kept) {
    throw_user("prefetch does not know where to keep what its function computes", ir::to_string(part),
               "end it with a map and toLocal or toPrivate, each part of a tuple for itself: "
               "`prefetch(2, tile => tile |> mapLcl(0, id) |> toLocal)`");
  }
  return {call->arguments[0], call->op == Op::ToLocal ? AddressSpace::Local : AddressSpace::Private, {}};
}

}  // namespace

void ToLoops::for_each_prefetched(const Prefetch& prefetch, const char* name, bool unroll,
                                  const std::function<void(const View&)>& body) {
  arith::Expr count = prefetch.array->type->size;
  ir::Term result = prefetch.function.as<ir::Lambda>()->body;
  std::vector<Staged> parts;
  if (auto* tuple = result.as<ir::Tuple>()) {
    for (ir::Term component : tuple->components) parts.push_back(staged(component));
  } else {
    parts.push_back(staged(result));
  }
  bool has_local = false;
  for (Staged& part : parts) {
    bool is_local = part.space == AddressSpace::Local;
    has_local |= is_local;
    if (is_local && level_ != Level::Group) {
      throw_user("prefetch to local memory by one work-item of a group", ir::to_string(part.producer),
                 "use it inside mapWrg and outside mapLcl: the whole group waits for the copy");
    }
    for (std::int64_t stage = 0; stage < prefetch.stages; ++stage) {
      MemoryRegion region =
          allocate(part.producer, part.producer.type(), part.space, is_local ? "tile" : "reg");
      part.copies.push_back(is_local ? behind_pointers(std::move(region), "stage") : std::move(region));
    }
  }
  /// Computes an element, if there is one, into a stage's memory.
  auto fetch = [&](arith::Expr element, std::int64_t stage) {
    arith::Predicate exists{arith::Relation::Less, element, count};
    arith::Truth truth = arith::holds(exists);
    if (truth == arith::Truth::No) return;
    loop::Block* outer = block_;
    loop::If guarded;
    guarded.condition = loop::test(exists);
    if (truth != arith::Truth::Yes) {
      block_ = &guarded.then_body;
      // A variable that says what the condition does: indices are simplified by its range, which holds
      // wherever barriers move its declaration.
      auto variable =
          std::make_shared<loop::Variable>(loop::Variable{names_.fresh("next"), {Scalar::I32, 1}, false});
      arith::Expr next = arith::data(variable->name, arith::constant(stage), count);
      emit({loop::Let{variable, loop::index_value(arith::minimum(element, count - 1)), next}});
      index_of_.emplace(variable, next);
      element = next;
    }
    auto outside = std::exchange(prefetched_, {});
    for (const Staged& part : parts) {
      for (const MemoryLeaf& leaf : part.copies[static_cast<std::size_t>(stage)].leaves)
        prefetched_.insert(leaf.buffer.get());
    }
    EnvironmentPtr inside = bind(prefetch.function, {prefetch.array->at(element)}, prefetch.env);
    for (Staged& part : parts) {
      write(part.producer, inside, memory_destination(part.copies[static_cast<std::size_t>(stage)]));
    }
    prefetched_ = std::move(outside);
    block_ = outer;
    if (truth != arith::Truth::Yes) emit({std::move(guarded)});
  };

  std::int64_t ahead = prefetch.stages - 1;
  for (std::int64_t stage = 0; stage < ahead; ++stage) {
    fetch(arith::constant(stage), stage);
    if (has_local) emit({loop::Commit{}});
  }
  for_each(Parallelism::Sequential, 0, count, name,
           [&](arith::Expr i) {
             if (has_local) {
               // One barrier for both: what was copied is there, and the memory that is copied to next is no
               // longer read.
               emit({loop::Await{ahead - 1}});
               emit({loop::Barrier{true, false}});
             }
             // Into registers the last element is read again rather than none: a loop without a branch is
             // unrolled well.
             arith::Expr next = i + arith::constant(ahead);
             fetch(has_local || unroll ? next : arith::minimum(next, count - 1), ahead);
             if (has_local) emit({loop::Commit{}});
             std::vector<View> components;
             for (const Staged& part : parts) components.push_back(memory_view(part.copies[0]));
             body(result.as<ir::Tuple>() ? tuple_view(result.type(), std::move(components)) : components[0]);
             for (Staged& part : parts) {
               for (std::size_t stage = 0; stage + 1 < part.copies.size(); ++stage) {
                 if (part.space == AddressSpace::Private) {
                   initialise(part.copies[stage], memory_view(part.copies[stage + 1]));
                   continue;
                 }
                 for (std::size_t leaf = 0; leaf < part.copies[stage].leaves.size(); ++leaf) {
                   emit({loop::Swap{part.copies[stage].leaves[leaf].buffer,
                                    part.copies[stage + 1].leaves[leaf].buffer}});
                 }
               }
             }
           },
           {.unroll = unroll});
}

/// A store of prefetch that a copy engine can do: what is read is global memory as it is, or 0 where there is
/// none.
bool ToLoops::is_asynchronous(const Target& target, const loop::ValuePtr& value) const {
  if (target.buffer->space != AddressSpace::Local || !prefetched_.contains(target.buffer.get())) return false;
  auto is_global = [](const loop::ValuePtr& v) {
    auto* load = std::get_if<loop::Load>(&v->node);
    return load && load->buffer->space == AddressSpace::Global && v->type.scalar != Scalar::Bool;
  };
  loop::ValuePtr chosen = value;
  while (auto* select = std::get_if<loop::Operation>(&chosen->node)) {
    if (select->op != ScalarOp::Select || select->operands[0]->type.width != 1) return false;
    auto* otherwise = std::get_if<loop::Literal>(&select->operands[2]->node);
    bool is_zero = otherwise && otherwise->value.real == 0 && otherwise->value.integer == 0 &&
                   !std::signbit(otherwise->value.real);
    if (!is_zero) return false;
    chosen = select->operands[1];
  }
  return is_global(chosen);
}

}  // namespace hoist::lower
