// Asks the device's compiler to unroll innermost loops, so that several loads are on their way at a time. How
// far: until the body is about as large as experts unroll to by hand.
#include <algorithm>

#include "lower/passes.hpp"

namespace hoist::lower {

namespace {

constexpr std::int64_t wanted_operations = 512;
/// Loops that may have less than this are left to the compiler.
constexpr std::int64_t least_operations = 128;
constexpr std::int64_t largest_factor = 32;
/// A function such as sin takes tens of instructions, and more where its argument is large.
constexpr std::int64_t operations_of_function = 16;

bool is_function(ScalarOp op) {
  switch (op) {
    case ScalarOp::Sin:
    case ScalarOp::Cos:
    case ScalarOp::Tan:
    case ScalarOp::Exp:
    case ScalarOp::Log:
    case ScalarOp::Power:
      return true;
    default:
      return false;
  }
}

/// A product that is added to something: one instruction with the addition.
bool is_fused(const loop::Operation& addition) {
  return addition.op == ScalarOp::Add &&
         std::any_of(addition.operands.begin(), addition.operands.end(), [](const loop::ValuePtr& operand) {
           auto* product = std::get_if<loop::Operation>(&operand->node);
           return product && product->op == ScalarOp::Multiply;
         });
}

/// What one iteration computes, loads and stores; nothing where a body should stay as it is.
std::optional<std::int64_t> operations_in(const loop::Block& body) {
  std::int64_t count = 0;
  bool is_innermost = true;
  loop::for_each_statement(body, [&](const loop::Statement& statement) {
    is_innermost &= !std::holds_alternative<loop::For>(statement.node) &&
                    !std::holds_alternative<loop::Barrier>(statement.node) &&
                    !std::holds_alternative<loop::Await>(statement.node) &&
                    !std::holds_alternative<loop::Swap>(statement.node);
    count += std::holds_alternative<loop::Store>(statement.node) ? 1 : 0;
  });
  if (!is_innermost) return std::nullopt;
  loop::for_each_value(body, [&](const loop::ValuePtr& value) {
    if (std::holds_alternative<loop::Load>(value->node)) ++count;
    if (auto* operation = std::get_if<loop::Operation>(&value->node)) {
      if (!is_fused(*operation))
        count += is_function(operation->op) ? operations_of_function : value->type.width;
    }
  });
  return std::max<std::int64_t>(count, 1);
}

/// A factor nearly as large that divides the number of iterations, if there is one: what is left over runs
/// one by one.
std::int64_t without_rest(std::int64_t factor, std::int64_t trips) {
  for (std::int64_t smaller = factor; 2 * smaller > factor; --smaller) {
    if (trips % smaller == 0) return smaller;
  }
  return factor;
}

bool is_candidate(const loop::For& loop) {
  return loop.parallelism == loop::Parallelism::Sequential && !loop.condition && operations_in(loop.body);
}

std::int64_t candidates_in(const loop::Block& block) {
  std::int64_t count = 0;
  loop::for_each_statement(block, [&](const loop::Statement& statement) {
    auto* loop = std::get_if<loop::For>(&statement.node);
    count += loop && is_candidate(*loop) ? 1 : 0;
  });
  return count;
}

/// Loops that are no larger in all than `wanted` operations disappear.
void suggest(loop::Block& block, std::int64_t wanted) {
  for (loop::Statement& statement : block) {
    if (auto* branch = std::get_if<loop::If>(&statement.node)) {
      suggest(branch->then_body, wanted);
      suggest(branch->else_body, wanted);
    }
    auto* loop = std::get_if<loop::For>(&statement.node);
    if (!loop) continue;
    suggest(loop->body, wanted);
    if (!is_candidate(*loop)) continue;
    const auto operations = operations_in(loop->body);
    std::int64_t factor = 1;
    while (factor < largest_factor && 2 * factor * *operations <= wanted) factor *= 2;
    auto start = loop->start.constant(), stop = loop->stop.constant(), step = loop->step.constant();
    if (start && stop && step) {
      std::int64_t trips = (*stop - *start + *step - 1) / *step;
      bool disappears = trips <= 2 * largest_factor && trips * *operations <= wanted;
      factor = disappears ? trips : without_rest(std::min(factor, trips), trips);
    }
    if (factor > 1) loop->unroll_factor = factor;
  }
}

}  // namespace

void suggest_unrolling(loop::Kernel& kernel, std::int64_t most_operations) {
  const std::int64_t share = most_operations / std::max<std::int64_t>(1, candidates_in(kernel.body));
  if (share >= least_operations) suggest(kernel.body, std::min(wanted_operations, share));
}

}  // namespace hoist::lower
