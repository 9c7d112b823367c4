#include "loop/at_launch.hpp"

#include "loop/traverse.hpp"

namespace hoist::loop {

bool is_launched(arith::Expr extent) {
  return extent.kind() == arith::Kind::Variable && extent->variable_kind == arith::VariableKind::Launched;
}

namespace {

void add(arith::Expr e, arith::Substitution& numbers) {
  for (const arith::Expr variable : arith::variables(e)) {
    if (is_launched(variable)) numbers.emplace(variable.get(), arith::constant(variable->value));
  }
}

}  // namespace

arith::Predicate at_launch(const arith::Predicate& predicate) {
  arith::Substitution numbers;
  add(predicate.left, numbers);
  add(predicate.right, numbers);
  return arith::substitute(predicate, numbers);
}

Plan at_launch(Plan plan) {
  for (Kernel& kernel : plan.kernels) {
    arith::Substitution numbers;
    for (const auto* range : {&kernel.launch.local, &kernel.launch.global}) {
      for (const arith::Expr extent : *range) add(extent, numbers);
    }
    if (numbers.empty()) continue;
    for (auto* range : {&kernel.launch.local, &kernel.launch.global}) {
      for (arith::Expr& extent : *range) extent = arith::substitute(extent, numbers);
    }
    kernel.body = substitute(std::move(kernel.body), numbers);
  }
  return plan;
}

}  // namespace hoist::loop
