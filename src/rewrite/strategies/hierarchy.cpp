// What is left open by the steps before, mapped to the hierarchy of groups and work-items.
//
// `HierarchyMapper` walks from the result inwards and knows at which level it is: outside of everything, in a
// group, in a work-item. The first open nest at a level is shared out to the work-items of that level
// (`with_kinds`), and what is inside of a work-item becomes loops. Reductions become loops too; where their
// accumulators are an array, the array is put in registers, dealt out to the work-items as the nest that
// updates it is (`run_reduce`, `run_as`), since a work-item can only update what it keeps itself.
#include "rewrite/strategies/hierarchy.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "ir/inspect.hpp"
#include "rewrite/invariants.hpp"
#include "rewrite/nest.hpp"
#include "rewrite/strategies/nests.hpp"

namespace hoist::rewrite {

using ir::Op;
using ir::Term;

namespace {

enum class Level : std::uint8_t { Grid, Group, Item };

/// The maps directly in each other that a term is, or that its accumulators are updated by.
std::vector<MapKind> distribution_of(Term term) {
  if (const auto* let = term.as<ir::Let>()) return distribution_of(let->body.as<ir::Lambda>()->body);
  if (const auto* reduce = term.as<ir::Call>(); reduce != nullptr && ir::is_reduce(reduce->op))
    return distribution_of(reduce->arguments[0].as<ir::Lambda>()->body);
  std::vector<MapKind> kinds;
  for (const auto* call = term.as<ir::Call>(); call != nullptr && ir::is_map(call->op);) {
    const bool is_parallel = ir::is_parallel_map(call->op);
    kinds.push_back({call->op, is_parallel ? call->sizes[0].constant().value_or(0) : 0});
    call = call->arguments[0].as<ir::Lambda>()->body.as<ir::Call>();
  }
  return kinds;
}

/// Every element copied by the work-item that the kinds give it.
Term copied(Term array, const std::vector<MapKind>& kinds, std::size_t from = 0) {
  const Term element = ir::fresh(ir::element_of(array.type()), "e");
  const Term inside = ir::is_array(element.type()) ? copied(element, kinds, from + 1) : element;
  const MapKind kind = from < kinds.size() ? kinds[from] : MapKind{Op::MapSeq};
  return map_call(kind, ir::lambda(std::vector<Term>{element}, inside), array);
}

bool contains_local_map(Term term) {
  return ir::any_op(term, [](Op op) { return ir::sharing(op) == ir::Sharing::ItemsOfGroup; });
}

/// One more than the highest dimension of a mapGlb in a term.
std::size_t global_dimensions(Term term) {
  std::size_t count = 0;
  if (const auto* call = term.as<ir::Call>(); call != nullptr && call->op == Op::MapGlobal)
    count = static_cast<std::size_t>(call->sizes[0].constant().value_or(0)) + 1;
  for (Term child : ir::children(term)) count = std::max(count, global_dimensions(child));
  return count;
}

class HierarchyMapper {
 public:
  /// `accumulates`: the result goes to accumulators, which are where they are.
  Term run(Term term, Level level, bool accumulates = false) {
    if (!contains_loop(term)) return term;
    if (const auto* let = term.as<ir::Let>()) {
      const Term value = run(let->value, level);
      return ir::let(value, on_body(let->body, [&](Term body) { return run(body, level, accumulates); }));
    }
    if (const auto* call = term.as<ir::Call>()) {
      if (call->op == Op::Map && !is_layout_only(call->arguments[0]))
        return run_map(*call, level, accumulates);
      if ((ir::is_map(call->op) && call->op != Op::Map) || call->op == Op::MapSeqSlide)
        return run_mapped(*call, level, accumulates);
      // What the work-items of a group add up together is done already.
      if (call->op == Op::ReduceLocal) return term;
      if (ir::is_reduce(call->op)) return run_reduce(*call, level, accumulates);
      if (call->op == Op::Scan) return ir::call(Op::ScanSeq, {}, call->arguments);
      if (call->op == Op::ReduceByKey) return ir::call(Op::ReduceByKeySeq, {}, call->arguments);
      if (ir::is_iterate(call->op) || call->op == Op::ScanSeq || ir::is_keyed_reduce(call->op)) return term;
    }
    std::vector<Term> children = ir::children(term);
    for (Term& child : children) {
      if (child.as<ir::Lambda>() == nullptr) child = run(child, level, accumulates);
    }
    return ir::with_children(term, children);
  }

 private:
  template <class Fn>
  static Term on_body(Term lambda, Fn&& fn) {
    const auto* function = lambda.as<ir::Lambda>();
    const std::vector<Term> parameters = ir::fresh_parameters(*function);
    return ir::lambda(parameters, fn(ir::apply(lambda, parameters)), function->claims);
  }

  static bool computes_arrays(Term term) {
    const auto* call = term.as<ir::Call>();
    return call != nullptr && call->op == Op::Map && !is_layout_only(call->arguments[0]);
  }

  /// What somebody has decided already stays; what is inside may be open.
  Term run_mapped(const ir::Call& map, Level level, bool accumulates) {
    const ir::Sharing sharing = ir::sharing(map.op);
    const Level inside = sharing == ir::Sharing::Groups   ? Level::Group
                         : sharing != ir::Sharing::Nobody ? Level::Item
                                                          : level;
    // What is only mapped is computed where it is read.
    const Term data = map.arguments.back();
    const Term domain = is_view(data) ? data : run(data, level, true);
    const Term function =
        on_body(map.arguments[0], [&](Term body) { return run(body, inside, accumulates); });
    return ir::call(map.op, map.sizes, {function, domain});
  }

  /// Whether the term is made of plain maps and layouts alone.
  static bool is_view(Term term) {
    const auto* call = term.as<ir::Call>();
    if (call != nullptr && call->op != Op::Map &&
        (ir::is_loop(call->op) || call->op == Op::MapSeqSlide || ir::is_address_space(call->op)))
      return false;
    const std::vector<Term> children = ir::children(term);
    return std::all_of(children.begin(), children.end(), is_view);
  }

  Term run_map(const ir::Call& map, Level level, bool accumulates) {
    if (contains_loop(map.arguments[1])) {
      accumulated_as_.clear();
      const Term domain = run(map.arguments[1], level, true);
      if (auto kinds = accumulated_as_; !kinds.empty()) {
        accumulated_as_.clear();
        return run_as(map.arguments[0], domain, kinds, 0);
      }
      return with_kinds(map.arguments[0], domain, level, accumulates);
    }
    return with_kinds(map.arguments[0], map.arguments[1], level, accumulates);
  }

  /// The nest that this map is the outermost of.
  Term with_kinds(Term function, Term domain, Level level, bool accumulates) {
    std::size_t rank = 1;
    for (Term body = function.as<ir::Lambda>()->body; computes_arrays(body);
         body = body.as<ir::Call>()->arguments[0].as<ir::Lambda>()->body) {
      ++rank;
    }
    std::vector<MapKind> kinds;
    const Op parallel = level == Level::Group ? Op::MapLocal : Op::MapGlobal;
    const bool is_sequential =
        level == Level::Item || (level == Level::Group && contains_local_map(function));
    // What is inside may be work-items of some dimensions already.
    const std::size_t taken = level == Level::Grid ? global_dimensions(function) : 0;
    const std::size_t dimensions = is_sequential ? 0 : std::min<std::size_t>(rank, 3 - taken);
    for (std::size_t d = 0; d < rank; ++d) {
      if (d < dimensions) {
        kinds.push_back({parallel, static_cast<std::int64_t>(taken + dimensions - 1 - d)});
      } else {
        kinds.push_back({Op::MapSeq});
      }
    }
    return nested(function, domain, kinds, 0, is_sequential ? level : Level::Item, accumulates);
  }

  Term nested(Term function, Term domain, const std::vector<MapKind>& kinds, std::size_t depth, Level inside,
              bool accumulates) {
    const Term own = on_body(function, [&](Term body) {
      if (depth + 1 == kinds.size()) return run(body, inside, accumulates);
      const auto* next = body.as<ir::Call>();
      return nested(next->arguments[0], next->arguments[1], kinds, depth + 1, inside, accumulates);
    });
    return map_call(kinds[depth], own, domain);
  }

  /// A nest over accumulators: as they are dealt out.
  Term run_as(Term function, Term domain, const std::vector<MapKind>& kinds, std::size_t depth) {
    const Term own = on_body(function, [&](Term body) {
      const auto* next = body.as<ir::Call>();
      if (depth + 1 < kinds.size() && next != nullptr && next->op == Op::Map)
        return run_as(next->arguments[0], next->arguments[1], kinds, depth + 1);
      return run(body, Level::Item);
    });
    return map_call(kinds[depth], own, domain);
  }

  Term run_reduce(const ir::Call& reduce, Level level, bool accumulates) {
    const bool is_array = ir::is_array(reduce.arguments[1].type());
    // No group outlives a kernel: accumulators outside of all groups belong to one work-item.
    const Level inside = level == Level::Grid ? Level::Item : level;
    const Term function =
        on_body(reduce.arguments[0], [&](Term body) { return run(body, inside, is_array); });
    // A range stays as it is: one work-item goes through it.
    const Op op = reduce.op == Op::ReduceRange ? Op::ReduceRange : Op::ReduceSeq;
    std::vector<Term> arguments = reduce.arguments;
    arguments[0] = function;
    if (!is_array) return ir::call(op, {}, std::move(arguments));
    std::vector<MapKind> kinds = distribution_of(function.as<ir::Lambda>()->body);
    const bool is_shared_out =
        std::any_of(kinds.begin(), kinds.end(), [](const MapKind& kind) { return kind.op == Op::MapLocal; });
    if (!is_shared_out && contains_local_map(function))
      throw_user("the work-items of a group share the accumulators in another shape");
    for (MapKind& kind : kinds) {
      if (kind.op == Op::Map) kind.op = Op::MapSeq;
    }
    kinds.resize(ir::rank_of(reduce.arguments[1].type()), MapKind{Op::MapSeq});
    Term start = reduce.arguments[1];
    if (start.as<ir::Free>() == nullptr && start.as<ir::Bound>() == nullptr && start.as<ir::Get>() == nullptr)
      start = ir::call(Op::ToPrivate, {}, {copied(start, kinds)});
    arguments[1] = start;
    const Term sums = ir::call(op, {}, std::move(arguments));
    accumulated_as_.clear();
    if (!accumulates) return copied(sums, kinds);
    accumulated_as_ = kinds;
    return sums;
  }

  /// How the accumulators that were met last are dealt out, for the nest over them.
  std::vector<MapKind> accumulated_as_;
};

}  // namespace

Strategy map_hierarchy() {
  return step("map", [](Term term, Context&) -> Outcome { return HierarchyMapper().run(term, Level::Grid); });
}

}  // namespace hoist::rewrite
