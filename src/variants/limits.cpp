#include "variants/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "ir/inspect.hpp"
#include "lower/launch.hpp"

namespace hoist::variants {

using arith::Expr;
using ir::Op;
using ir::Term;

namespace {

Expr elements_of(const ir::Leaf& leaf) { return arith::product(leaf.shape); }

Expr bytes_of(ir::Type type) {
  Expr bytes = 0;
  for (const ir::Leaf& leaf : ir::leaves(type))
    bytes = bytes + elements_of(leaf) * static_cast<std::int64_t>(size_of(leaf.scalar));
  return bytes;
}

Expr scalars_of(ir::Type type) {
  Expr scalars = 0;
  for (const ir::Leaf& leaf : ir::leaves(type)) scalars = scalars + elements_of(leaf);
  return scalars;
}

/// What toLocal of the value takes: rows that `pitch` puts apart take what is between them, too.
Expr bytes_in_memory(Term value) {
  const auto* pitch = value.as<ir::Call>();
  if (pitch == nullptr || pitch->op != Op::Pitch) return bytes_of(value.type());
  const ir::Type row = ir::element_of(value.type());
  return value.type()->size * pitch->sizes[0] * bytes_of(ir::element_of(row));
}

/// The parts of a term; iterate's function with the most elements that it is given in any step.
std::vector<Term> parts_at_their_largest(Term term) {
  std::vector<Term> parts = ir::children(term);
  const auto* call = term.as<ir::Call>();
  if (call == nullptr || call->op != Op::Iterate || !ir::is_array(term.type())) return parts;
  const Expr length = call->sizes[1], first = call->arguments[1].type()->size;
  if (length.kind() == arith::Kind::Variable && length != first) {
    // Lengths grow or shrink steadily: one end is the largest.
    parts[0] = ir::substitute_sizes(parts[0], {{length.get(), arith::maximum(first, term.type()->size)}});
  }
  return parts;
}

/// Whether a value is what groups leave in global memory for another kernel.
bool is_left_by_groups(Term value) {
  const auto* stored = value.as<ir::Call>();
  if (stored == nullptr || stored->op != Op::ToGlobal) return false;
  const auto* map = stored->arguments[0].as<ir::Call>();
  return map != nullptr && map->op == Op::MapGroup;
}

class Meter {
 public:
  Demand run(Term term) {
    measure_groups(term, false);
    std::array<Expr, 3> lengths{1, 1, 1};
    for (std::size_t d = 0; d < 3; ++d) {
      const Expr length = computing_[d] ? computing_[d] : copying_[d];
      if (length) lengths[d] = length;
      group_size_ = group_size_ * lengths[d];
    }
    measure_memory(term, 1);
    return {group_size_, lengths, local_, private_, between_};
  }

 private:
  /// How long the maps over a group's work-items are: those that compute, and those that only copy, whose
  /// loops go on.
  void measure_groups(Term term, bool copies) {
    if (const auto* call = term.as<ir::Call>()) {
      copies = copies || call->op == Op::ToLocal;
      if (ir::sharing(call->op) == ir::Sharing::ItemsOfGroup) {
        auto& lengths = copies ? copying_ : computing_;
        Expr& length = lengths[static_cast<std::size_t>(*call->sizes[0].constant())];
        Expr own = call->arguments.back().type()->size;
        if (call->op == Op::ReduceByKeyLocal) own = arith::minimum(own, lower::most_keyed_items);
        if (!length) length = own;
      }
    }
    for (Term part : parts_at_their_largest(term)) measure_groups(part, copies);
  }

  void measure_memory(Term term, std::int64_t stages) {
    if (!seen_.insert(term).second) return;
    if (const auto* let = term.as<ir::Let>(); let != nullptr && is_left_by_groups(let->value))
      between_ = between_ + scalars_of(let->value.type());
    const auto* call = term.as<ir::Call>();
    if (call != nullptr) {
      if (call->op == Op::Prefetch) {
        stages = call->sizes[0].constant().value_or(2);
        measure_memory(call->arguments[0], stages);
        measure_memory(call->arguments[1], 1);
        return;
      }
      if (call->op == Op::ReduceByKeyLocal) local_ = local_ + bytes_in_memory(term);
      if (call->op == Op::ToLocal) local_ = local_ + bytes_in_memory(call->arguments[0]) * stages;
      if (call->op == Op::ToPrivate) {
        const Expr all = scalars_of(term.type());
        const bool is_shared = ir::has_call(call->arguments[0], Op::MapLocal);
        private_ = private_ + (is_shared ? arith::exact_quotient(all, group_size_) : all) * stages;
      }
    }
    for (Term part : parts_at_their_largest(term)) measure_memory(part, stages);
  }

  std::array<Expr, 3> computing_, copying_;
  Expr group_size_ = 1, local_ = 0, private_ = 0, between_ = 0;
  std::unordered_set<Term> seen_;
};

/// Whether a group computes what it keeps in local memory.
bool keeps_stages(Term term) {
  return ir::any_call(term, [](const ir::Call& call) {
    return call.op == Op::ToLocal && ir::has_call(call.arguments[0], Op::Generate);
  });
}

space::Constraint at_most(Expr value, std::int64_t most, std::string message) {
  return {{arith::Relation::LessEqual, value, most}, std::move(message)};
}

}  // namespace

Demand demand_of(Term low_level) { return Meter().run(low_level); }

std::vector<space::Constraint> constraints_of(Term low_level, const target::Target& target) {
  // Scalars that a work-item keeps in arrays of its own.
  constexpr std::int64_t most_private_values = 160;
  const Demand demand = demand_of(low_level);
  std::vector<space::Constraint> constraints;
  const auto add = [&](space::Constraint constraint) {
    if (arith::holds(constraint.predicate) != arith::Truth::Yes) constraints.push_back(std::move(constraint));
  };
  const auto group_size = static_cast<std::int64_t>(target.max_group_size);
  // Work-items of a processor are steps of loops: a row of a stage may have any length.
  const bool goes_on = target.type == target::Type::Cpu && keeps_stages(low_level);
  if (!goes_on)
    add(at_most(demand.group_size, group_size,
                fmt::format("a work-group must have at most {} work-items", group_size)));
  for (std::size_t d = 0; d < 3; ++d) {
    // What the whole group must keep says it already.
    if (goes_on || target.max_group_sizes[d] >= target.max_group_size) continue;
    const auto length = static_cast<std::int64_t>(target.max_group_sizes[d]);
    add(at_most(demand.group_lengths[d], length,
                fmt::format("a work-group must have at most {} work-items along dimension {}", length, d)));
  }
  const auto least = static_cast<std::int64_t>(target.least_group_size);
  if (!demand.group_size.is_constant(1))
    add({{arith::Relation::LessEqual, least, demand.group_size},
         fmt::format("a work-group must have at least {} work-items", least)});
  const auto local_memory = static_cast<std::int64_t>(target.local_memory);
  add(at_most(demand.local_memory, local_memory,
              fmt::format("a work-group must use at most {} bytes of local memory", local_memory)));
  add(at_most(demand.private_values, most_private_values,
              fmt::format("a work-item must keep at most {} values in registers", most_private_values)));
  // What is chosen as fine as this brings no more parallelism, and takes memory and time to put together.
  constexpr std::int64_t most_values_between_kernels = 16;
  if (!demand.between_kernels.constant()) {
    const std::int64_t most =
        most_values_between_kernels * target.machine.compute_units * target.machine.items_per_unit;
    add(at_most(demand.between_kernels, most,
                fmt::format("groups must leave at most {} values for the next kernel", most)));
  }
  return constraints;
}

}  // namespace hoist::variants
