// Tests that keep a loop's last iterations from doing anything become a bound of the loop.
//
//   for i in [0, 512)                            for i in [0, min(512, 4093 - 512 * g))
//     if (512 * g + i < 4093 && r < 4093)   to     if (r < 4093)
//       out[..] = ..                                 out[..] = ..
//
// and the test that does not depend on i goes around the loop, where it may bound the next one. So tiles that
// stick out of an array are tested once, and inside of the loop the bound is known: indices that were clamped
// for the same reason become plain ones.
//
// Only sequential loops change, without loops of several work-items inside. Those that are to be unrolled
// stay, and those whose variable indexes an array of the work-item's own, which is to live in registers: they
// need a number of iterations that is known.
#include <algorithm>

#include "lower/passes.hpp"

namespace hoist::lower {

namespace {

using arith::Expr;
using arith::Relation;
using loop::Block;

/// The operands of a condition made by `and`.
void collect_conjuncts(const loop::ValuePtr& condition, std::vector<loop::ValuePtr>& conjuncts) {
  const auto* operation = std::get_if<loop::Operation>(&condition->node);
  if (operation == nullptr || operation->op != ScalarOp::And) {
    conjuncts.push_back(condition);
    return;
  }
  for (const loop::ValuePtr& operand : operation->operands) collect_conjuncts(operand, conjuncts);
}

loop::ValuePtr conjunction(const std::vector<loop::ValuePtr>& conjuncts) {
  loop::ValuePtr result;
  for (const loop::ValuePtr& each : conjuncts)
    result = result ? loop::operation(ScalarOp::And, {result, each}) : each;
  return result;
}

/// The number that the variable must stay below, where a test says just that.
std::optional<Expr> bound_of(const loop::ValuePtr& condition, Expr variable) {
  const auto* test = std::get_if<loop::Test>(&condition->node);
  if (test == nullptr) return std::nullopt;
  const arith::Predicate& predicate = test->predicate;
  if (predicate.relation != Relation::Less && predicate.relation != Relation::LessEqual) return std::nullopt;
  const Expr bound = predicate.right - predicate.left + variable;
  if (arith::contains(bound, variable)) return std::nullopt;
  return predicate.relation == Relation::Less ? bound : bound + 1;
}

/// Whether the condition may differ from one iteration to the next.
bool may_vary(const loop::ValuePtr& condition, Expr variable) {
  bool found = false;
  loop::for_each_value(condition, [&](const loop::ValuePtr& value) {
    // The loop may write what these read.
    found = found || std::holds_alternative<loop::Load>(value->node) ||
            std::holds_alternative<loop::Reference>(value->node);
    loop::for_each_own_index(*value, [&](Expr index) { found = found || arith::contains(index, variable); });
  });
  return found;
}

bool indexes_private_array(const Block& body, Expr variable) {
  bool found = false;
  const auto note = [&](const loop::Buffer& buffer, Expr index) {
    found = found || (buffer.space == loop::AddressSpace::Private && arith::contains(index, variable));
  };
  loop::for_each_statement(body, [&](const loop::Statement& statement) {
    if (const auto* store = std::get_if<loop::Store>(&statement.node)) note(*store->buffer, store->index);
  });
  loop::for_each_value(body, [&](const loop::ValuePtr& value) {
    if (const auto* load = std::get_if<loop::Load>(&value->node)) note(*load->buffer, load->index);
  });
  return found;
}

/// The test that is all of a loop's body, without a second branch.
loop::If* only_test(loop::For& statement) {
  if (statement.body.size() != 1) return nullptr;
  auto* branch = std::get_if<loop::If>(&statement.body[0].node);
  return branch != nullptr && branch->else_body.empty() ? branch : nullptr;
}

Block bounded(Block block);

/// The loop with tests of its body in its bound; around it those that are the same in all iterations.
void add_bounded(loop::For statement, Block& result) {
  loop::If* branch = is_free_to_change(statement) ? only_test(statement) : nullptr;
  std::vector<loop::ValuePtr> conjuncts, inside, around;
  if (branch != nullptr) collect_conjuncts(branch->condition, conjuncts);
  Expr stop = statement.stop;
  for (const loop::ValuePtr& each : conjuncts) {
    if (!may_vary(each, statement.variable)) {
      around.push_back(each);
    } else if (const auto bound = bound_of(each, statement.variable)) {
      stop = arith::minimum(stop, *bound);
    } else {
      inside.push_back(each);
    }
  }
  if (inside.size() == conjuncts.size()) {
    result.push_back({std::move(statement)});
    return;
  }
  Block body = std::move(branch->then_body);
  if (!inside.empty()) {
    loop::If left;
    left.condition = conjunction(inside);
    left.then_body = std::move(body);
    body.clear();
    body.push_back({std::move(left)});
  }
  if (stop != statement.stop) {
    const Expr variable = arith::index(statement.variable->name, statement.start, stop, statement.step);
    body = loop::substitute(std::move(body), {{statement.variable.get(), variable}});
    statement.variable = variable;
    statement.stop = stop;
  }
  statement.body = std::move(body);
  if (around.empty()) {
    result.push_back({std::move(statement)});
    return;
  }
  loop::If outer;
  outer.condition = conjunction(around);
  outer.then_body.push_back({std::move(statement)});
  result.push_back({std::move(outer)});
}

Block bounded(Block block) {
  Block result;
  result.reserve(block.size());
  for (loop::Statement& statement : block) {
    if (auto* inner = std::get_if<loop::For>(&statement.node)) {
      inner->body = bounded(std::move(inner->body));
      add_bounded(std::move(*inner), result);
      continue;
    }
    if (auto* branch = std::get_if<loop::If>(&statement.node)) {
      branch->then_body = bounded(std::move(branch->then_body));
      branch->else_body = bounded(std::move(branch->else_body));
    }
    result.push_back(std::move(statement));
  }
  return result;
}

}  // namespace

bool is_free_to_change(const loop::For& loop) {
  return loop.parallelism == loop::Parallelism::Sequential && !loop.condition && !loop.unroll &&
         loop.step.is_constant(1) && !loop::has_parallel_loop(loop.body) &&
         !indexes_private_array(loop.body, loop.variable);
}

void bound_loops(loop::Kernel& kernel) { kernel.body = bounded(std::move(kernel.body)); }

}  // namespace hoist::lower
