// reduceLcl: the work-items of a group combine an array. First each combines elements of its own; then they
// exchange what they have, inside a warp through registers and between warps through local memory, or through
// local memory alone.
#include "ir/reduction.hpp"
#include "lower/to_loops.hpp"

namespace hoist::lower {

using loop::AddressSpace;
using loop::Parallelism;

struct GroupReduction {
  ir::Type type;
  int dimension;
  arith::Expr items, length;  ///< work-items that combine, elements to combine
  View x, init;
  std::function<View(const View&, const View&)> combined;
};

namespace {

void check_operator(ir::Term reduction, const ir::Call& call) {
  ir::OperatorProperties properties = ir::operator_properties(call.arguments[0]);
  if (!properties.associative || !properties.commutative) {
    throw_user(std::string("the operator of reduceLcl is not known to be ") +
                   (properties.associative ? "commutative" : "associative"),
               ir::to_string(reduction),
               "reduceLcl combines in any order: say associative(f) and commutative(f) of a function that is "
               "both, or use "
               "reduceSeq");
  }
  for (const ir::Leaf& leaf : ir::leaves(reduction.type())) {
    if (leaf.shape.size() > (leaf.is_vector ? 1U : 0U)) {
      throw_unsupported("reduceLcl of arrays", ir::to_string(reduction), "use reduceSeq over mapLcl");
    }
  }
}

}  // namespace

View ToLoops::reduce_local(ir::Term term, const ir::Call& call, const View& x, const View& init,
                           const EnvironmentPtr& env) {
  check_operator(term, call);
  auto dimension = static_cast<int>(constant_size(call.sizes[0], "a dimension"));
  for (const Enclosing& outer : loops_) {
    if (outer.parallelism == Parallelism::Local && outer.dimension == dimension) {
      std::string number = "(" + std::to_string(dimension) + ", ...)";
      throw_user("reduceLcl" + number + " inside mapLcl" + number,
                 "the outer pattern has already distributed the work-items of this dimension",
                 "use another dimension, or reduceSeq inside");
    }
  }
  GroupReduction reduction{term.type(),
                           dimension,
                           group_length(dimension),
                           x->type->size,
                           x,
                           once(init),
                           [&](const View& a, const View& b) {
                             return apply(call.arguments[0], {a, b}, env);
                           }};
  constant_size(reduction.items, "the length of a work-group that reduces");
  // Where some work-items have no element they take part in shuffles with the neutral one.
  bool have_all_a_part = arith::is_less_equal(reduction.items, reduction.length) ||
                         ir::is_neutral(call.arguments[0], call.arguments[1]);
  bool are_rows_warps = dimension == 0 && arith::is_divisor(target::warp_size, reduction.items);
  if (options_.target.has_warps() && options_.use_warp_shuffles && are_rows_warps && have_all_a_part) {
    return reduce_by_warps(reduction);
  }
  return reduce_by_halves(reduction);
}

void ToLoops::for_each_part(
    const GroupReduction& reduction, arith::Expr parts,
    const std::function<void(arith::Expr, const std::vector<loop::VariablePtr>&)>& use) {
  for_each(Parallelism::Local, reduction.dimension, parts, "l", [&](arith::Expr l) {
    arith::Expr items = reduction.items, length = reduction.length;
    bool has_own = arith::is_less(l, length);
    auto part = declare_state(reduction.type, has_own ? reduction.x->at(l) : reduction.init, "part");
    if (!has_own) when({arith::Relation::Less, l, length}, [&] { assign_state(part, reduction.x->at(l)); });
    auto more = [&](arith::Expr round) {
      arith::Expr index = (round + 1) * items + l;
      auto& ids = local_ids_[static_cast<std::size_t>(reduction.dimension)];
      ids.push_back({l, index, round + 1});
      when({arith::Relation::Less, index, length}, [&] {
        assign_state(part, reduction.combined(state_view(reduction.type, part), reduction.x->at(index)));
      });
      ids.pop_back();
    };
    // Elements in registers are numbered by constants.
    for_each(Parallelism::Sequential, 0, arith::ceiling_quotient(length, items) - 1, "r", more,
             {.unroll = shape_.spreads_private});
    use(l, part);
  });
}

View ToLoops::reduce_by_warps(const GroupReduction& reduction) {
  auto exchange = [&](const std::vector<loop::VariablePtr>& part) {
    for (int mask = target::warp_size / 2; mask > 0; mask /= 2) {
      std::vector<loop::VariablePtr> other;
      for (const loop::VariablePtr& each : part) {
        other.push_back(declare("other", each->type, loop::shuffle(loop::reference(each), mask), false));
      }
      assign_state(part,
                   reduction.combined(state_view(reduction.type, part), state_view(reduction.type, other)));
    }
  };
  // Every work-item of the group passes once, whatever other passes find out.
  auto pass_once = [&](const auto& use) {
    for_each_part(reduction, reduction.items, use);
    std::get<loop::For>(block_->back().node).form = loop::LoopForm::ExactlyOnce;
  };
  const std::int64_t warps = *reduction.items.constant() / target::warp_size;
  if (warps == 1) {
    auto total = declare_state(reduction.type, reduction.init, "total");
    pass_once([&](arith::Expr, const auto& part) {
      exchange(part);
      assign_state(total,
                   reduction.combined(state_view(reduction.type, total), state_view(reduction.type, part)));
    });
    return state_view(reduction.type, total);
  }
  MemoryRegion sums =
      allocate({}, ir::array_type(arith::constant(warps), reduction.type), AddressSpace::Local, "sums");
  by_first_of_others(reduction.dimension, [&] {
    pass_once([&](arith::Expr l, const auto& part) {
      exchange(part);
      when({arith::Relation::Equal, l % target::warp_size, 0}, [&] {
        copy(state_view(reduction.type, part), memory_destination(sums)->at(l / target::warp_size));
      });
    });
  });
  return total_of(reduction, memory_view(sums));
}

View ToLoops::reduce_by_halves(const GroupReduction& reduction) {
  arith::Expr present = arith::minimum(reduction.length, reduction.items);
  std::int64_t count = present.constant().value_or(*reduction.items.constant());
  MemoryRegion parts =
      allocate({}, ir::array_type(arith::constant(count), reduction.type), AddressSpace::Local, "parts");
  View view = memory_view(parts);
  Destination destination = memory_destination(parts);
  by_first_of_others(reduction.dimension, [&] {
    for_each_part(reduction, present, [&](arith::Expr l, const auto& part) {
      copy(state_view(reduction.type, part), destination->at(l));
    });
  });
  while (count > 1) {
    arith::Expr half = arith::constant((count + 1) / 2);
    by_first_of_others(reduction.dimension, [&] {
      for_each(Parallelism::Local, reduction.dimension, arith::minimum(count, present) - half, "l",
               [&](arith::Expr l) {
                 copy(reduction.combined(view->at(l), view->at(l + half)), destination->at(l));
               });
    });
    count = (count + 1) / 2;
  }
  parts.type = ir::array_type(1, reduction.type);
  return total_of(reduction, memory_view(parts));
}

View ToLoops::total_of(const GroupReduction& reduction, const View& parts) {
  auto total = declare_state(reduction.type, reduction.init, "total");
  for_each(Parallelism::Sequential, 0, parts->type->size, "w",
           [&](arith::Expr w) {
             assign_state(total, reduction.combined(state_view(reduction.type, total), parts->at(w)));
           },
           {.unroll = true});
  return state_view(reduction.type, total);
}

void ToLoops::by_first_of_others(int dimension, const std::function<void()>& body) {
  std::function<void(int)> at = [&](int d) {
    if (d == 3) return body();
    bool is_shared_out = d == dimension || group_length(d).is_constant(1);
    for (const Enclosing& outer : loops_)
      is_shared_out |= outer.parallelism == Parallelism::Local && outer.dimension == d;
    if (is_shared_out) return at(d + 1);
    for_each(Parallelism::Local, d, arith::constant(1), "first", [&](arith::Expr) { at(d + 1); });
  };
  at(0);
}

void ToLoops::when(const arith::Predicate& condition, const std::function<void()>& body) {
  if (arith::holds(condition) == arith::Truth::Yes) return body();
  loop::If guard;
  guard.condition = loop::test(condition);
  loop::Block* outer = block_;
  block_ = &guard.then_body;
  body();
  block_ = outer;
  emit({std::move(guard)});
}

}  // namespace hoist::lower
