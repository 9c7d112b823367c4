#include "rewrite/symbolic_graph.hpp"

#include <bit>

#include "base/overloaded.hpp"

namespace hoist::rewrite {

SymbolicNumber SymbolicGraph::made(Key key, SymbolicNode node) {
  const auto [place, is_new] =
      numbers_.try_emplace(std::move(key), static_cast<SymbolicNumber>(nodes_.size()));
  if (is_new) nodes_.push_back(std::move(node));
  return place->second;
}

SymbolicNumber SymbolicGraph::constant(const ScalarValue& value) {
  return made(
      {0, static_cast<std::int64_t>(value.type), std::bit_cast<std::int64_t>(value.real), value.integer},
      {value, value.type});
}

SymbolicNumber SymbolicGraph::element(SymbolicNode::Element element, Scalar type) {
  Key key{1, element.input, element.leaf};
  key.insert(key.end(), element.indices.begin(), element.indices.end());
  return made(std::move(key), {std::move(element), type});
}

SymbolicNumber SymbolicGraph::conversion(Scalar to, SymbolicNumber operand) {
  if (const auto value = known(operand)) return constant(convert(*value, to));
  if (nodes_[operand].type == to) return operand;
  return made({3, static_cast<std::int64_t>(to), operand}, {SymbolicNode::Conversion{operand}, to});
}

SymbolicNumber SymbolicGraph::outside(SymbolicNumber operand) {
  if (known(operand)) return operand;
  return made({4, operand}, {SymbolicNode::Outside{operand}, nodes_[operand].type});
}

std::optional<ScalarValue> SymbolicGraph::known(SymbolicNumber number) const {
  const auto* value = std::get_if<ScalarValue>(&nodes_[number].content);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

bool SymbolicGraph::is_known(SymbolicNumber number, double value) const {
  const auto own = known(number);
  if (!own) return false;
  return is_float(own->type) ? own->real == value : static_cast<double>(own->integer) == value;
}

SymbolicNumber SymbolicGraph::operation(ScalarOp op, const std::vector<SymbolicNumber>& operands) {
  if (op == ScalarOp::FusedMultiplyAdd) {
    const SymbolicNumber product = operation(ScalarOp::Multiply, {operands[0], operands[1]});
    return operation(ScalarOp::Add, {product, operands[2]});
  }
  std::vector<ScalarValue> values;
  for (const SymbolicNumber each : operands) {
    if (const auto value = known(each)) values.push_back(*value);
  }
  if (values.size() == operands.size()) {
    if (const auto value = hoist::apply(op, values)) return constant(*value);
  }
  if (op == ScalarOp::Add && is_known(operands[0], 0)) return operands[1];
  if ((op == ScalarOp::Add || op == ScalarOp::Subtract) && is_known(operands[1], 0)) return operands[0];
  if (op == ScalarOp::Multiply && is_known(operands[0], 1)) return operands[1];
  if ((op == ScalarOp::Multiply || op == ScalarOp::Divide) && is_known(operands[1], 1)) return operands[0];
  if (op == ScalarOp::Select) {
    if (const auto condition = known(operands[0])) return operands[condition->integer != 0 ? 1 : 2];
    if (operands[1] == operands[2]) return operands[1];
  }
  Key key{2, static_cast<std::int64_t>(op)};
  key.insert(key.end(), operands.begin(), operands.end());
  const Scalar of_operands = nodes_[op == ScalarOp::Select ? operands[1] : operands[0]].type;
  return made(std::move(key),
              {SymbolicNode::Operation{op, operands}, info(op).gives_bool ? Scalar::Bool : of_operands});
}

std::vector<SymbolicNumber> SymbolicGraph::reachable(const std::vector<SymbolicNumber>& from) const {
  std::vector<SymbolicNumber> found, left = from;
  std::vector<bool> seen(nodes_.size());
  while (!left.empty()) {
    const SymbolicNumber number = left.back();
    left.pop_back();
    if (seen[number]) continue;
    seen[number] = true;
    found.push_back(number);
    std::visit(Overloaded{[](const ScalarValue&) {}, [](const SymbolicNode::Element&) {},
                          [&](const SymbolicNode::Operation& node) {
                            left.insert(left.end(), node.operands.begin(), node.operands.end());
                          },
                          [&](const SymbolicNode::Conversion& node) { left.push_back(node.operand); },
                          [&](const SymbolicNode::Outside& node) { left.push_back(node.operand); }},
               nodes_[number].content);
  }
  return found;
}

}  // namespace hoist::rewrite
