#include "loop/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace hoist::loop {
namespace {

ValuePtr make(ValueType type, decltype(Value::node) node) {
  return std::make_shared<const Value>(Value{type, std::move(node)});
}

[[noreturn]] void mismatch(ScalarOp op, const std::vector<ValuePtr>& operands) {
  std::string types;
  for (const ValuePtr& operand : operands) {
    if (!types.empty()) types += ", ";
    types += type_text(operand->type);
  }
  throw Bug(fmt::format("operation {} does not take ({})", info(op).name, types));
}

bool is_in_domain(ScalarOpInfo::Domain domain, Scalar type) {
  using Domain = ScalarOpInfo::Domain;
  switch (domain) {
    case Domain::Numeric:
      return type != Scalar::Bool;
    case Domain::Float:
      return is_float(type);
    case Domain::Integer:
      return is_integer(type);
    case Domain::Boolean:
      return type == Scalar::Bool;
    case Domain::Any:
      return true;
  }
  return false;
}

}  // namespace

std::string type_text(ValueType type) {
  return type.width == 1 ? std::string(name_of(type.scalar))
                         : fmt::format("{}x{}", name_of(type.scalar), type.width);
}

ValuePtr literal(const ScalarValue& value, int width) { return make({value.type, width}, Literal{value}); }

ValuePtr reference(VariablePtr variable) {
  const ValueType type = variable->type;
  return make(type, Reference{std::move(variable)});
}

ValuePtr index_value(arith::Expr expr, Scalar type) {
  if (!is_integer(type)) throw Bug(fmt::format("an index as a value of type {}", name_of(type)));
  return make({type, 1}, IndexValue{expr});
}

ValuePtr test(const arith::Predicate& predicate) { return make({Scalar::Bool, 1}, Test{predicate}); }

ValuePtr load(BufferPtr buffer, arith::Expr index, int width) {
  const ValueType type{buffer->type.scalar, width};
  return make(type, Load{std::move(buffer), index});
}

ValuePtr operation(ScalarOp op, std::vector<ValuePtr> operands) {
  const ScalarOpInfo& row = info(op);
  if (operands.size() != static_cast<std::size_t>(row.arity)) mismatch(op, operands);
  int width = 1;
  for (const ValuePtr& operand : operands) width = std::max(width, operand->type.width);
  for (const ValuePtr& operand : operands) {
    if (operand->type.width != 1 && operand->type.width != width) mismatch(op, operands);
  }
  const std::size_t first = op == ScalarOp::Select ? 1 : 0;  // the condition of a selection is a bool
  if (first == 1 && operands[0]->type.scalar != Scalar::Bool) mismatch(op, operands);
  const Scalar scalar = operands[first]->type.scalar;
  for (std::size_t at = first; at < operands.size(); ++at) {
    if (operands[at]->type.scalar != scalar) mismatch(op, operands);
  }
  if (!is_in_domain(row.domain, scalar)) mismatch(op, operands);
  return make({row.gives_bool ? Scalar::Bool : scalar, width}, Operation{op, std::move(operands)});
}

ValuePtr cast(ValuePtr operand, Scalar type) {
  if (operand->type.scalar == type) return operand;
  const ValueType result{type, operand->type.width};
  return make(result, Cast{std::move(operand)});
}

ValuePtr component(ValuePtr vector, int index) {
  if (index < 0 || index >= vector->type.width) {
    throw Bug(fmt::format("component {} of a value of type {}", index, type_text(vector->type)));
  }
  if (vector->type.width == 1) return vector;
  const ValueType type{vector->type.scalar, 1};
  return make(type, Component{std::move(vector), index});
}

ValuePtr make_vector(std::vector<ValuePtr> components, int width) {
  if (components.size() != 1 && components.size() != static_cast<std::size_t>(width)) {
    throw Bug(fmt::format("a vector of width {} from {} components", width, components.size()));
  }
  for (const ValuePtr& each : components) {
    if (each->type.width != 1 || each->type.scalar != components[0]->type.scalar) {
      throw Bug(fmt::format("a vector of {} with a component of type {}", name_of(components[0]->type.scalar),
                            type_text(each->type)));
    }
  }
  if (width == 1) return components[0];
  const ValueType type{components[0]->type.scalar, width};
  return make(type, MakeVector{std::move(components)});
}

ValuePtr shuffle(ValuePtr operand, int mask) {
  if (mask < 1 || mask >= target::warp_size) throw Bug(fmt::format("a shuffle by {}", mask));
  const ValueType type = operand->type;
  return make(type, Shuffle{std::move(operand), mask});
}

}  // namespace hoist::loop
