// Values in C++: scalars with its library, vectors with the compilers' vector types.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "codegen/host/helpers.hpp"
#include "codegen/host/host_printer.hpp"

namespace hoist::codegen {

using loop::ValueType;

Code Host::help(std::string_view helper, const std::vector<Code>& operands) {
  need(std::string(helper), std::string(host_cpp::helper(helper)));
  return call(helper, operands);
}

Code Host::loaded(const loop::Load& load, const Code& place) {
  return branching_loads_.contains(&load) ? help("by_branch", {place}) : place;
}

// ---- Vectors

Code Host::splat(const std::string& type, const Code& scalar) {
  need("splat", std::string(host_cpp::helper("splat")));
  return call(fmt::format("splat<{}>", type), {scalar});
}

Code Host::vector_of(const std::string& type, const std::vector<Code>& components) {
  std::string text = call("", components).text;
  text.front() = '{';
  text.back() = '}';
  return {type + text};
}

std::optional<Code> Host::shuffled(loop::ValueType type, const loop::MakeVector& vector) {
  // The compilers' operation takes two vectors of one type, and gives as many of their components as one
  // likes.
  std::vector<loop::ValuePtr> from;
  std::string lanes;
  for (const loop::ValuePtr& each : vector.components) {
    const auto* component = std::get_if<loop::Component>(&each->node);
    if (!component || vector.components.size() == 1) return std::nullopt;
    auto found = std::find(from.begin(), from.end(), component->vector);
    if (found == from.end()) found = from.insert(from.end(), component->vector);
    if (from.size() > 2 || from.back()->type != from.front()->type) return std::nullopt;
    lanes += fmt::format(", {}", (found - from.begin()) * from.front()->type.width + component->index);
  }
  need("shuffled", std::string(host_cpp::helper("shuffled")));
  return call(fmt::format("shuffled<{}{}>", type_name(type), lanes),
              {value(from.front()), value(from.back())});
}

Code Host::component(const Code& vector, int index) { return subscript(vector, {fmt::format("{}", index)}); }

Code Host::vector_select(const Code& mask, const Code& yes, const Code& no) {
  return conditional(mask, yes, no);
}

Code Host::converted_vector(const std::string& type, const Code& vector) {
  return call("__builtin_convertvector", {vector, {type}});
}

Code Host::by_component(ValueType result, ValueType operand_type, const std::vector<Code>& operands,
                        const std::function<Code(const std::vector<Code>&)>& body) {
  need("by_component", std::string(host_cpp::helper("by_component")));
  constexpr const char* names[] = {"a", "b", "c"};
  std::vector<Code> parameters, arguments;
  std::string declared;
  for (std::size_t at = 0; at < operands.size(); ++at) {
    declared += fmt::format("{}{} {}", at == 0 ? "" : ", ", scalar_name(operand_type.scalar), names[at]);
    parameters.push_back({names[at]});
  }
  arguments.push_back({fmt::format("[]({}) {{ return {}; }}", declared, body(parameters).text)});
  arguments.insert(arguments.end(), operands.begin(), operands.end());
  return call(fmt::format("by_component<{}, {}>", type_name(result), result.width), arguments);
}

Code Host::address(const loop::Buffer& buffer, arith::Expr index) {
  return offset(name(buffer), this->index(index));
}

Code Host::load_vector(const loop::Buffer& buffer, arith::Expr index, ValueType type) {
  need("load_vector", std::string(host_cpp::helper("load_vector")));
  return call(fmt::format("load_vector<{}, {}>", memory_name(type), type.width), {address(buffer, index)});
}

void Host::store_vector(const loop::Buffer& buffer, arith::Expr index, ValueType type, const Code& vector) {
  need("store_vector", std::string(host_cpp::helper("store_vector")));
  line("{};", call(fmt::format("store_vector<{}>", type.width), {address(buffer, index), vector}).text);
}

Code Host::dynamic_component(const loop::Buffer& buffer, arith::Expr index) {
  const int width = buffer.type.width;
  const Code vector = subscript({name(buffer)}, this->index(element_position(buffer, index / width)));
  return subscript(vector, this->index(index % width));
}

/// A group is one thread's, and its local memory with it.
void Host::atomic_update(const MemoryOperand& place, ScalarOp op, Scalar type, const Code& operand) {
  const std::string target = element(place.buffer, place.index).text;
  if (place.buffer.space == loop::AddressSpace::Local) {
    return line("{} = {};", target, updated(op, type, {target}, operand).text);
  }
  need("update_atomically", std::string(host_cpp::helper("update_atomically")));
  const std::string scalar = scalar_name(type);
  line("update_atomically<{0}>(&{1}, {2}, []({0} a, {0} b) {{ return {3}; }});", scalar, target, operand.text,
       updated(op, type, {"a"}, {"b"}).text);
}

// ---- Operations

Code Host::saturated(ValueType to, ValueType from, const Code& operand) {
  need("saturate", std::string(host_cpp::helper("saturate")));
  const std::string function = fmt::format("saturate<{}>", scalar_name(to.scalar));
  if (to.width == 1) return call(function, {operand});
  return by_component(to, from, {operand},
                      [&](const std::vector<Code>& scalars) { return call(function, scalars); });
}

Code Host::function(ScalarOp op, ValueType type, const std::vector<Code>& operands) {
  // These are written for vectors too.
  if (op == ScalarOp::Minimum) return help("smaller", operands);
  if (op == ScalarOp::Maximum) return help("larger", operands);
  if (op == ScalarOp::Absolute && !is_float(type.scalar)) {
    need("absolute", std::string(host_cpp::helper("absolute")));
    return call(fmt::format("absolute<u{}>", type_name(type)), operands);
  }
  if (op == ScalarOp::Exp && type.scalar == Scalar::F32) {
    need_multiply_add(type);
    need("exponential", std::string(host_cpp::helper("exponential")));
    const std::string bits = type_name({Scalar::U32, type.width});
    return call(fmt::format("exponential<{}, {}>", type_name(type), bits), operands);
  }
  const auto is_literal = [&](const Code& code, double number) {
    const Code scalar = literal(ScalarValue::of_real(type.scalar, number));
    return code.text == (type.width == 1 ? scalar : splat(type_name(type), scalar)).text;
  };
  // Compilers would know it of their own function only.
  if (op == ScalarOp::Power && is_float(type.scalar) && is_literal(operands[1], 2))
    return help("square_of", {operands[0]});
  // A rounded product (products.hpp).
  if (op == ScalarOp::FusedMultiplyAdd && is_literal(operands[2], -0.0))
    return infix(operands[0], "*", operands[1], Precedence::Product);
  if (type.width == 1) return scalar_function(op, type.scalar, operands);
  return by_component(type, type, operands, [&](const std::vector<Code>& scalars) {
    return scalar_function(op, type.scalar, scalars);
  });
}

void Host::need_multiply_add(ValueType type) {
  need("multiply_add", std::string(host_cpp::helper("multiply_add")));
  if (type.width > 1) need("multiply_add_vectors", std::string(host_cpp::helper("multiply_add_vectors")));
}

std::optional<Code> Host::fused_sum(const loop::Operation& sum, ValueType type) {
  const bool is_difference = sum.op == ScalarOp::Subtract;
  if (!is_float(type.scalar) || (sum.op != ScalarOp::Add && !is_difference)) return std::nullopt;
  const auto is_one = [](const loop::ValuePtr& factor) {
    const auto* literal = std::get_if<loop::Literal>(&factor->node);
    return literal && std::fabs(literal->value.real) == 1;
  };
  for (const std::size_t at : {0, 1}) {
    const auto* product = std::get_if<loop::Operation>(&sum.operands[at]->node);
    // What is multiplied by 1 is not rounded, and compilers leave the product out.
    if (!product || product->op != ScalarOp::Multiply || std::ranges::any_of(product->operands, is_one))
      continue;
    const auto negated = [](bool is_subtracted, const Code& code) {
      return is_subtracted ? prefix("-", code) : code;
    };
    need_multiply_add(type);
    return call("multiply_add", {negated(is_difference && at == 1, argument(product->operands[0], type)),
                                 argument(product->operands[1], type),
                                 negated(is_difference && at == 0, argument(sum.operands[1 - at], type))});
  }
  return std::nullopt;
}

Code Host::scalar_function(ScalarOp op, Scalar type, const std::vector<Code>& operands) {
  if (op == ScalarOp::Sign) return help(is_float(type) ? "sign" : "integer_sign", operands);
  if (op == ScalarOp::Power && !is_float(type)) return help("power", operands);
  if (op == ScalarOp::ReciprocalSqrt) {
    return infix(literal(ScalarValue::of_real(type, 1)), "/", call("math::sqrt", operands),
                 Precedence::Product);
  }
  return call("math::" + c_function(op), operands);
}

Code Host::guarded_division(ScalarOp op, ValueType type, const Code& dividend, const Code& divisor) {
  const std::string_view helper = op == ScalarOp::Divide ? "quotient" : "remainder_of";
  need(std::string(helper), std::string(host_cpp::helper(helper)));
  // A literal operand may be printed as an int.
  const std::string function = fmt::format("{}<{}>", helper, scalar_name(type.scalar));
  if (type.width == 1) return call(function, {dividend, divisor});
  return by_component(type, type, {dividend, divisor},
                      [&](const std::vector<Code>& scalars) { return call(function, scalars); });
}

Code Host::index_extremum(bool is_minimum, const Code& left, const Code& right) {
  // std::min and std::max take references, which keep g++ from vectorising loops with many of them.
  const std::string name = is_minimum ? "smaller" : "larger";
  need(name, std::string(host_cpp::helper(name)));
  return call(name + "<long>", {left, right});
}

Code Host::index_power(const Code& base, const Code& exponent) { return help("power", {base, exponent}); }

}  // namespace hoist::codegen
