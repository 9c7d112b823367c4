#include "driver/work.hpp"

#include <unordered_map>

#include "driver/compile.hpp"
#include "ir/iterate.hpp"

namespace hoist::driver {

namespace {

/// Floating-point operations that evaluating a term specifies, sizes being constants. An `if` counts its
/// costlier branch.
class Counter {
 public:
  double count(ir::Term term) {
    auto known = counts_.find(term);
    if (known != counts_.end()) return known->second;
    double total = of(term);
    counts_.emplace(term, total);
    return total;
  }

 private:
  static double extent(ir::Term array) {
    return static_cast<double>(arith::known_value(array.type()->size).value_or(0));
  }

  double of(ir::Term term) {
    if (auto* call = term.as<ir::ScalarCall>()) {
      double total = 0;
      for (ir::Term argument : call->arguments) total += count(argument);
      ir::Type operand = call->arguments.back().type();
      if (!is_float(operand->scalar)) return total;
      double lanes =
          ir::is_vector(operand) ? static_cast<double>(arith::known_value(operand->size).value_or(1)) : 1;
      return total + lanes * info(call->op).flops;
    }
    if (auto* branch = term.as<ir::If>()) {
      return count(branch->condition) + std::max(count(branch->then_term), count(branch->else_term));
    }
    auto* call = term.as<ir::Call>();
    if (!call) {
      double total = 0;
      for (ir::Term child : ir::children(term)) total += count(child);
      return total;
    }
    double data = 0, function = 0;
    for (ir::Term argument : call->arguments)
      (argument.as<ir::Lambda>() ? function : data) += count(argument);
    if (call->op == ir::Op::Dot) {
      return data + 2 * static_cast<double>(arith::known_value(call->arguments[0].type()->size).value_or(1)) -
             1;
    }
    if (call->op == ir::Op::IterateWhile) {
      // All steps that there may be, where that is known before the program runs.
      const arith::Expr most = ir::known_steps(call->arguments[1]);
      return data + function * static_cast<double>(most ? most.constant().value_or(1) : 1);
    }
    if (call->op == ir::Op::Iterate) return data + iterations(*call, function);
    if (call->op == ir::Op::MapSeqSlide || call->op == ir::Op::Generate)
      return data + extent(term) * function;
    return data +
           (call->arguments.back().as<ir::Lambda>() ? 0 : extent_or_one(call->arguments.back())) * function;
  }
  static double extent_or_one(ir::Term term) { return ir::is_array(term.type()) ? extent(term) : 1; }

  double iterations(const ir::Call& call, double each) {
    auto steps = call.sizes[0].constant().value_or(0);
    ir::Term start = call.arguments[1];
    if (!ir::is_array(start.type())) return static_cast<double>(steps) * each;
    double total = 0;
    arith::Expr length = start.type()->size;
    for (std::int64_t step = 0; step < steps; ++step) {
      ir::Term body = ir::substitute_sizes(call.arguments[0], {{call.sizes[1].get(), length}});
      double now = count(body);
      arith::Expr next = body.as<ir::Lambda>()->body.type()->size;
      // A length that stays makes every further step cost the same.
      if (next == length) return total + static_cast<double>(steps - step) * now;
      total += now;
      length = next;
    }
    return total;
  }

  std::unordered_map<ir::Term, double> counts_;
};

}  // namespace

Result<Work> work_of(const ir::Program& program) {
  Work work;
  auto add_bytes = [&](ir::Type type) -> Result<void> {
    auto leaves = empty_leaves(type);
    if (!leaves) return tl::unexpected(leaves.error());
    for (const Tensor& leaf : *leaves) {
      work.bytes += static_cast<double>(leaf.elements()) * static_cast<double>(size_of(leaf.scalar));
    }
    return {};
  };
  for (const ir::ParameterDeclaration& parameter : program.parameters) {
    if (auto added = add_bytes(parameter.type); !added) return tl::unexpected(added.error());
  }
  if (auto added = add_bytes(program.result()); !added) return tl::unexpected(added.error());
  work.flops = Counter().count(program.function);
  return work;
}

}  // namespace hoist::driver
