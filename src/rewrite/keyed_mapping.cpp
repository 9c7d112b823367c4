#include "rewrite/keyed_mapping.hpp"

#include <algorithm>
#include <bit>

#include "base/atomic_update.hpp"

namespace hoist::rewrite {
namespace {

using arith::Expr;
using ir::Op;
using ir::Term;
using ir::Type;

constexpr std::int64_t least_elements = 512;  ///< fewer are not worth a second kernel
constexpr std::int64_t elements_per_accumulator =
    8;  ///< of a stretch, at the least: combining copies costs time, too
constexpr std::int64_t cpu_copies = 64;
constexpr std::int64_t gpu_copies = 4096;
constexpr std::int64_t most_groups = 1024;
constexpr std::int64_t least_group_elements = 4096;
constexpr std::int64_t local_bytes =
    16 * 1024;  ///< that a group's accumulators may take: three groups share 48 KiB

Term lambda_of(Type type, const char* name, const std::function<Term(Term)>& body) {
  return ir::lambda({type}, [&](const std::vector<Term>& x) { return body(x[0]); }, {name});
}

Term filled(Expr count, Term value) {
  return ir::call(Op::Generate, {count},
                  {lambda_of(ir::scalar_type(Scalar::I32), "i", [&](Term) { return value; })});
}

bool has_atomic_updates(const ir::DecomposedOperator& operation, Type state) {
  const auto operations = ir::componentwise_operations(operation.combine);
  if (!operations) return false;
  const std::vector<ir::Leaf> leaves = ir::leaves(state);
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    if (!leaves[leaf].shape.empty() || !is_atomic_update((*operations)[leaf], leaves[leaf].scalar))
      return false;
  }
  return true;
}

class Mapper {
 public:
  Mapper(const KeyedReduction& reduction, const ir::DecomposedOperator& operation, Term neutral)
      : reduction_(reduction),
        combine_(operation.combine),
        neutral_(neutral),
        accumulators_(reduction.init.type()->size),
        elements_(reduction.x.type()->size) {}

  /// A work-item for each stretch of elements; `copies` of them.
  Term by_copies(std::int64_t copies) const {
    const Expr length = arith::ceiling_quotient(elements_, arith::constant(copies));
    const Term partials =
        over_stretches(Op::MapGlobal, length, arith::constant(copies), [&](Term keys, Term x) {
          return ir::call(Op::ReduceByKeySeq, {},
                          {reduction_.function, filled(accumulators_, neutral_), keys, x});
        });
    const Term shared = ir::fresh(partials.type(), "partials");
    const Term columns = ir::call(Op::Zip, {}, {reduction_.init, ir::call(Op::Transpose, {}, {shared})});
    const Term total = lambda_of(ir::element_of(columns.type()), "column", [&](Term column) {
      return ir::call(Op::ReduceSeq, {}, {combine_, ir::get(0, column), ir::get(1, column)});
    });
    return ir::let(partials,
                   ir::lambda(std::vector<Term>{shared}, ir::call(Op::MapGlobal, {0}, {total, columns})));
  }

  /// A group for each stretch of elements, with accumulators in local memory.
  Term by_groups(Expr length) const {
    const Expr groups = arith::ceiling_quotient(elements_, length);
    const Term partials = over_stretches(Op::MapGroup, length, groups, [&](Term keys, Term x) {
      return ir::call(Op::ReduceByKeyLocal, {0},
                      {reduction_.function, filled(accumulators_, neutral_), keys, x});
    });
    const Term shared = ir::fresh(partials.type(), "partials");
    const Term all = ir::call(Op::Join, {}, {shared});
    const Term which = lambda_of(ir::scalar_type(Scalar::I32), "i", [&](Term i) {
      return ir::scalar_call(ScalarOp::Remainder, {i, ir::size_value(accumulators_)});
    });
    const Term keys = ir::call(Op::Generate, {all.type()->size}, {which});
    return ir::let(partials,
                   ir::lambda(std::vector<Term>{shared},
                              ir::call(Op::ReduceByKeyGlobal, {0}, {combine_, reduction_.init, keys, all})));
  }

 private:
  /// f(keys, elements) for every stretch; what is missing in the last one has no key.
  Term over_stretches(Op map, Expr length, Expr count, const std::function<Term(Term, Term)>& f) const {
    const Expr missing = count * length - elements_;
    const Term nowhere = ir::literal(ScalarValue::of_integer(Scalar::I32, -1));
    Term keys = reduction_.keys, x = reduction_.x;
    if (!missing.is_constant(0)) {
      keys = ir::call(Op::PadValue, {0, missing}, {nowhere, keys});
      x = ir::call(Op::Pad, {0, missing, static_cast<std::int64_t>(ir::Boundary::Clamp)}, {x});
    }
    const Term stretches =
        ir::call(Op::Zip, {}, {ir::call(Op::Split, {length}, {keys}), ir::call(Op::Split, {length}, {x})});
    const Term function = lambda_of(ir::element_of(stretches.type()), "stretch", [&](Term stretch) {
      return f(ir::get(0, stretch), ir::get(1, stretch));
    });
    return ir::call(map, {0}, {function, stretches});
  }

  const KeyedReduction& reduction_;
  Term combine_, neutral_;
  Expr accumulators_, elements_;
};

}  // namespace

KeyedMapping map_keyed_reduction(const KeyedReduction& reduction,
                                 const std::optional<ir::DecomposedOperator>& operation, Term neutral,
                                 target::Processor processor) {
  const std::vector<Term> arguments{reduction.function, reduction.init, reduction.keys, reduction.x};
  const Term alone = ir::call(Op::ReduceByKeySeq, {}, arguments);
  const Expr count = reduction.init.type()->size, length = reduction.x.type()->size;
  const std::string what =
      "a reduction by key of " + arith::to_string(length) + " elements runs in one work-item: ";
  const auto accumulators = count.constant(), elements = length.constant();
  if (elements && *elements < least_elements) return {alone, ""};
  if (!operation) {
    return {alone,
            what + "its operator is not known to be associative (say associative(commutative(f)) if it is)"};
  }
  const bool is_atomic =
      operation->is_commutative && has_atomic_updates(*operation, ir::element_of(reduction.init.type()));
  const Mapper mapper(reduction, *operation, neutral);
  const std::vector<ir::Leaf> leaves = ir::leaves(ir::element_of(reduction.init.type()));
  const bool has_arrays = std::any_of(leaves.begin(), leaves.end(), [](const ir::Leaf& leaf) {
    return leaf.shape.size() > (leaf.is_vector ? 1U : 0U);
  });

  if (processor == target::Processor::Gpu && is_atomic && neutral && accumulators) {
    std::int64_t bytes = 0;
    for (const ir::Leaf& leaf : leaves) bytes += static_cast<std::int64_t>(size_of(leaf.scalar));
    const std::int64_t per_group = std::max(
        {least_group_elements, elements_per_accumulator * *accumulators, elements.value_or(0) / most_groups});
    const bool is_worth_it = !elements || *elements >= per_group;
    if (bytes * *accumulators <= local_bytes && is_worth_it) {
      const auto stretch = std::bit_ceil(static_cast<std::uint64_t>(per_group));
      return {mapper.by_groups(arith::constant(static_cast<std::int64_t>(stretch))), ""};
    }
  }
  std::int64_t copies = processor == target::Processor::Cpu ? cpu_copies : gpu_copies;
  if (elements && accumulators) {
    copies =
        std::min(copies, *elements / (elements_per_accumulator * std::max<std::int64_t>(*accumulators, 1)));
  }
  const bool may_copy = neutral && !has_arrays && copies >= 2;
  if (may_copy && (processor == target::Processor::Cpu || !is_atomic)) return {mapper.by_copies(copies), ""};
  if (is_atomic) return {ir::call(Op::ReduceByKeyGlobal, {0}, arguments), ""};
  return {
      alone,
      what + (!neutral     ? "no neutral element of its operator is known"
              : has_arrays ? "its accumulators are arrays"
                           : "its operator has no atomic updates, and it has too many accumulators to copy")};
}

}  // namespace hoist::rewrite
