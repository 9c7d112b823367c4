// Reductions by key: an array of accumulators, each combined with the elements whose key names it.
//
//   reduceByKeySeq  one work-item goes through the elements; the accumulators lie where the result goes
//   reduceByKeyLcl  the work-items of a group share the elements out and update accumulators in local memory
//   reduceByKeyGlb  all work-items do, in global memory; a kernel before sets the accumulators
//
// Work-items that share elements update accumulators indivisibly, scalar by scalar: the operator must be one
// of the operations that can (is_atomic_update), for each component of its state.
#include <algorithm>

#include "base/atomic_update.hpp"
#include "ir/reduction.hpp"
#include "lower/to_loops.hpp"

namespace hoist::lower {

using ir::Op;
using loop::AddressSpace;
using loop::Parallelism;
using loop::ValuePtr;

namespace {

/// The operation on each scalar of the state, and what it combines the state with.
struct AtomicOperator {
  std::vector<ScalarOp> operations;
  ir::Term prepare;  ///< empty for the identity
};

AtomicOperator atomic_operator(ir::Term term, const ir::Call& call) {
  const auto fail = [&](const std::string& why) {
    throw_user(std::string(ir::primitive(call.op).name) + " needs atomic updates, but " + why,
               ir::to_string(term), "use reduceByKeySeq, and give each work-item a copy of the accumulators");
  };
  const auto operation = ir::decomposed(call.arguments[0]);
  const auto operations = operation ? ir::componentwise_operations(operation->combine) : std::nullopt;
  if (!operations) fail("its operator does not combine accumulator and element by +, min, max, &, | or ^");
  const std::vector<ir::Leaf> leaves = ir::leaves(ir::element_of(term.type()));
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    if (!leaves[leaf].shape.empty() || !is_atomic_update((*operations)[leaf], leaves[leaf].scalar)) {
      fail("devices have no atomic " + std::string(info((*operations)[leaf]).name) + " of " +
           std::string(name_of(leaves[leaf].scalar)));
    }
  }
  return {*operations, operation->prepare};
}

/// Whether work-items have elements of their own, which others cannot reach.
bool is_spread(const MemoryRegion& region) {
  return std::any_of(region.leaves.begin(), region.leaves.end(), [](const MemoryLeaf& leaf) {
    return std::any_of(leaf.dimensions.begin(), leaf.dimensions.end(),
                       [](const Dimension& dimension) { return dimension.spread_over >= 0; });
  });
}

}  // namespace

void ToLoops::for_key(const View& keys, arith::Expr i, arith::Expr count,
                      const std::function<void(arith::Expr)>& body) {
  ValuePtr key = keys->at(i)->value();
  // Only what is an index already is reasoned about: other integers may wrap.
  if (auto* known = std::get_if<loop::IndexValue>(&key->node)) {
    const arith::Expr index = known->expr;
    if (arith::is_less_equal(0, index) && arith::is_less(index, count)) return body(index);
  }
  if (!is_trivial(key)) key = loop::reference(declare("key", key->type, key, false));
  loop::If is_inside;
  is_inside.condition =
      loop::operation(ScalarOp::And, {loop::operation(ScalarOp::LessEqual, {loop::index_value(0), key}),
                                      loop::operation(ScalarOp::Less, {key, loop::index_value(count)})});
  loop::Block* outer = block_;
  block_ = &is_inside.then_body;
  auto variable = std::make_shared<loop::Variable>(loop::Variable{names_.fresh("k"), key->type, false});
  const arith::Expr index = arith::data(variable->name, 0, count);
  emit({loop::Let{variable, key, index}});
  body(index);
  block_ = outer;
  emit({std::move(is_inside)});
}

void ToLoops::reduce_by_key(const ir::Call& call, const View& init, const View& keys, const View& x,
                            const EnvironmentPtr& env, const MemoryRegion& accumulators) {
  const View view = memory_view(accumulators);
  const Destination destination = memory_destination(accumulators);
  const arith::Expr count = accumulators.type->size;
  for_each(Parallelism::Sequential, 0, count, "i",
           [&](arith::Expr i) { copy(init->at(i), destination->at(i)); });
  const ir::Term body = call.arguments[0].as<ir::Lambda>()->body;
  const std::vector<ir::Leaf> leaves = ir::leaves(body.type());
  const bool has_arrays = std::any_of(leaves.begin(), leaves.end(), [](const ir::Leaf& leaf) {
    return leaf.shape.size() > (leaf.is_vector ? 1U : 0U);
  });
  for_each(Parallelism::Sequential, 0, x->type->size, "j", [&](arith::Expr j) {
    for_key(keys, j, count, [&](arith::Expr k) {
      const EnvironmentPtr inside = bind(call.arguments[0], {view->at(k), x->at(j)}, env);
      if (!has_arrays) return write(body, inside, destination->at(k));
      // The new value may need all of the old one.
      const MemoryRegion next = allocate({}, body.type(), AddressSpace::Private, "next");
      write(body, inside, memory_destination(next));
      copy(memory_view(next), destination->at(k));
    });
  });
}

void ToLoops::reduce_by_key_atomically(ir::Term term, const ir::Call& call, Parallelism parallelism,
                                       const View& keys, const View& x, const EnvironmentPtr& env,
                                       const MemoryRegion& accumulators) {
  const AtomicOperator combine = atomic_operator(term, call);
  const Destination destination = memory_destination(accumulators);
  const int dimension = static_cast<int>(constant_size(call.sizes[0], "a dimension"));
  for_each(parallelism, dimension, x->type->size, "j", [&](arith::Expr j) {
    for_key(keys, j, accumulators.type->size, [&](arith::Expr k) {
      const View element = combine.prepare ? apply(combine.prepare, {x->at(j)}, env) : x->at(j);
      std::size_t next = 0;
      const std::function<void(const View&, const Destination&)> update = [&](const View& value,
                                                                              const Destination& to) {
        if (ir::is_tuple(value->type)) {
          for (std::uint32_t c = 0; c < value->type->elements.size(); ++c) update(value->get(c), to->get(c));
          return;
        }
        store_at(to->target(), value->value(), combine.operations[next++]);
      };
      update(element, destination->at(k));
    });
  });
}

void ToLoops::write_keyed(ir::Term term, const ir::Call& call, const EnvironmentPtr& env,
                          const Destination& destination) {
  const View init = eval(call.arguments[1], env), keys = eval(call.arguments[2], env);
  const View x = eval(call.arguments[3], env);
  const arith::Expr count = term.type()->size;
  const bool is_memory = destination->memory && !is_spread(*destination->memory);
  if (call.op == Op::ReduceByKeyGlobal) {
    if (level_ != Level::Host) {
      throw_user("reduceByKeyGlb inside a kernel", ir::to_string(term),
                 "compute it before the kernel: bind it with `let` outside the parallel map");
    }
    const int dimension = static_cast<int>(constant_size(call.sizes[0], "a dimension"));
    const MemoryRegion accumulators =
        is_memory ? *destination->memory : allocate(term, term.type(), AddressSpace::Global, "tmp");
    in_kernel(term, [&] {
      const Destination first = memory_destination(accumulators);
      for_each(Parallelism::Global, dimension, count, "g",
               [&](arith::Expr g) { copy(init->at(g), first->at(g)); });
    });
    in_kernel(term,
              [&] { reduce_by_key_atomically(term, call, Parallelism::Global, keys, x, env, accumulators); });
    if (is_memory) return;
    in_kernel(term, [&] {
      for_each(Parallelism::Global, dimension, count, "g",
               [&](arith::Expr g) { copy(memory_view(accumulators)->at(g), destination->at(g)); });
    });
    return;
  }
  in_kernel(term, [&] {
    if (call.op != Op::ReduceByKeyLocal) {
      const MemoryRegion accumulators =
          is_memory ? *destination->memory : allocate(term, term.type(), default_space(term), "keyed");
      const auto by_one = [&] { reduce_by_key(call, init, keys, x, env, accumulators); };
      if (level_ == Level::Group && accumulators.leaves[0].buffer->space != AddressSpace::Private) {
        by_first_of_others(-1, by_one);
      } else {
        by_one();
      }
      if (!is_memory) copy(memory_view(accumulators), destination);
      return;
    }
    const int dimension = static_cast<int>(constant_size(call.sizes[0], "a dimension"));
    const bool is_local = is_memory && destination->space == AddressSpace::Local;
    const MemoryRegion accumulators =
        is_local ? *destination->memory : allocate(term, term.type(), AddressSpace::Local, "keyed");
    by_first_of_others(dimension, [&] {
      const auto for_each_accumulator = [&](const View& from, const Destination& to) {
        for_each(Parallelism::Local, dimension, count, "l",
                 [&](arith::Expr l) { copy(from->at(l), to->at(l)); });
      };
      for_each_accumulator(init, memory_destination(accumulators));
      reduce_by_key_atomically(term, call, Parallelism::Local, keys, x, env, accumulators);
      if (!is_local) for_each_accumulator(memory_view(accumulators), destination);
    });
  });
}

}  // namespace hoist::lower
