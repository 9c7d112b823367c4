#include "codegen/host/decisions.hpp"

namespace hoist::codegen {

using loop::Block;
using loop::ValuePtr;

std::optional<bool> known(const ValuePtr& value) {
  const auto* literal = std::get_if<loop::Literal>(&value->node);
  if (!literal || value->type.scalar != Scalar::Bool || value->type.width != 1) return std::nullopt;
  return literal->value.integer != 0;
}

ValuePtr decided(const ValuePtr& value) {
  if (const auto* test = std::get_if<loop::Test>(&value->node)) {
    const arith::Truth truth = arith::holds(test->predicate);
    if (truth == arith::Truth::Unknown) return value;
    return loop::literal(ScalarValue::of_bool(truth == arith::Truth::Yes));
  }
  const auto* operation = std::get_if<loop::Operation>(&value->node);
  if (!operation) return value;
  const auto& operands = operation->operands;
  const bool is_and = operation->op == ScalarOp::And, is_or = operation->op == ScalarOp::Or;
  if (operation->op == ScalarOp::Select) {
    const auto condition = known(operands[0]);
    if (condition && value->type == operands[*condition ? 1 : 2]->type) return operands[*condition ? 1 : 2];
  } else if ((is_and || is_or) && value->type.width == 1) {
    for (const std::size_t at : {0U, 1U}) {
      if (const auto side = known(operands[at])) return *side == is_or ? operands[at] : operands[1 - at];
    }
  }
  return value;
}

Block without_decided_branches(Block block) {
  Block result;
  for (loop::Statement& statement : block) {
    if (auto* branch = std::get_if<loop::If>(&statement.node)) {
      if (const auto condition = known(branch->condition)) {
        Block taken = without_decided_branches(std::move(*condition ? branch->then_body : branch->else_body));
        std::move(taken.begin(), taken.end(), std::back_inserter(result));
        continue;
      }
      branch->then_body = without_decided_branches(std::move(branch->then_body));
      branch->else_body = without_decided_branches(std::move(branch->else_body));
    } else if (auto* loop = std::get_if<loop::For>(&statement.node)) {
      loop->body = without_decided_branches(std::move(loop->body));
    }
    result.push_back(std::move(statement));
  }
  return result;
}

}  // namespace hoist::codegen
