// Values in CUDA C++: scalars with its library, vectors with the printed helpers.
#include <fmt/format.h>

#include "codegen/cuda/cuda_printer.hpp"
#include "codegen/cuda/helpers.hpp"
#include "loop/traverse.hpp"

namespace hoist::codegen {

using loop::ValueType;

namespace {

/// What masks have in place of an operation on bools.
ScalarOp of_masks(ScalarOp op) {
  switch (op) {
    case ScalarOp::And:
      return ScalarOp::BitAnd;
    case ScalarOp::Or:
      return ScalarOp::BitOr;
    case ScalarOp::Not:
      return ScalarOp::BitNot;
    default:
      return op;
  }
}

}  // namespace

void Cuda::need_helper(std::string_view name) {
  if (name == "absolute" || name == "power" || name == "quotient") need_helper("wrapping");
  need(std::string(name), std::string(cuda_cpp::helper(name)));
}

Code Cuda::help(std::string_view helper, const std::vector<Code>& operands) {
  need_helper(helper);
  return call(helper, operands);
}

void Cuda::need_operators(const loop::Kernel& kernel) {
  std::set<ScalarOp> operators;
  const auto note = [&](const loop::ValuePtr& value) {
    const auto* operation = std::get_if<loop::Operation>(&value->node);
    if (value->type.width == 1) return;
    // Whatever makes or takes a bool vector goes by masks.
    const auto* cast = std::get_if<loop::Cast>(&value->node);
    if (value->type.scalar == Scalar::Bool || (cast && cast->operand->type.scalar == Scalar::Bool)) {
      operators.insert({ScalarOp::NotEqual, ScalarOp::Negate});
    }
    if (!operation) return;
    if (operation->op == ScalarOp::FusedMultiplyAdd && is_integer(value->type.scalar)) {
      operators.insert({ScalarOp::Multiply, ScalarOp::Add});
    }
    if (!info(operation->op).symbol.empty()) operators.insert(of_masks(operation->op));
  };
  loop::for_each_value(kernel.body, note);
  for (const ScalarOp op : operators) {
    need_helper("same");
    need_helper("mask");
    need_helper("wrapping");
    need_helper("splat");
    need(fmt::format("operator {}", info(op).name), cuda_cpp::vector_operator(op));
  }
}

// ---- Vectors

Code Cuda::splat(const std::string& type, const Code& scalar) {
  need_helper("splat");
  return call(fmt::format("splat<{}>", type), {scalar});
}

Code Cuda::vector_of(const std::string& type, const std::vector<Code>& components) {
  std::string text = call("", components).text;
  text.front() = '{';
  text.back() = '}';
  return {type + text};
}

Code Cuda::component(const Code& vector, int index) {
  return {fmt::format("{}.s[{}]", enclosed(vector, Precedence::Postfix), index)};
}

Code Cuda::vector_select(const Code& mask, const Code& yes, const Code& no) {
  return help("chosen", {mask, yes, no});
}

Code Cuda::converted_vector(const std::string& type, const Code& vector) {
  need_helper("converted");
  return call(fmt::format("converted<{}>", type), {vector});
}

Code Cuda::by_component(ValueType result, ValueType operand_type, const std::vector<Code>& operands,
                        const std::function<Code(const std::vector<Code>&)>& body) {
  need_helper("by_component");
  constexpr const char* names[] = {"a", "b", "c"};
  std::vector<Code> parameters, arguments;
  std::string declared;
  for (std::size_t at = 0; at < operands.size(); ++at) {
    declared += fmt::format("{}{} {}", at == 0 ? "" : ", ", scalar_name(operand_type.scalar), names[at]);
    parameters.push_back({names[at]});
  }
  arguments.push_back({fmt::format("[]({}) {{ return {}; }}", declared, body(parameters).text)});
  arguments.insert(arguments.end(), operands.begin(), operands.end());
  return call(fmt::format("by_component<{}>", type_name(result)), arguments);
}

Code Cuda::vector_element(const loop::Buffer& buffer, arith::Expr index, ValueType type) {
  const Code vectors{fmt::format("(({}){})", pointer_to(buffer, type), name(buffer))};
  return subscript(vectors, this->index(arith::exact_quotient(index, type.width)));
}

Code Cuda::load_vector(const loop::Buffer& buffer, arith::Expr index, ValueType type) {
  if (has_vector_form(buffer, index, type)) return vector_element(buffer, index, type);
  need_helper("load_vector");
  return call(fmt::format("load_vector<{}>", memory_name(type)), {offset(name(buffer), this->index(index))});
}

void Cuda::store_vector(const loop::Buffer& buffer, arith::Expr index, ValueType type, const Code& vector) {
  if (has_vector_form(buffer, index, type)) {
    return line("{} = {};", vector_element(buffer, index, type).text, vector.text);
  }
  line("{};", help("store_vector", {offset(name(buffer), this->index(index)), vector}).text);
}

Code Cuda::pixel(const loop::Buffer& image, arith::Expr number) {
  const std::string scalar = scalar_name(image.type.scalar);
  const Code place = index_type_ == Scalar::I64 ? cast("int", index(number)) : index(number);
  if (image.image->channels == 1) return call(fmt::format("tex1Dfetch<{}>", scalar), {{name(image)}, place});
  need_helper("texel");
  return call(fmt::format("texel<{0}4, ::{0}4>", scalar), {{name(image)}, place});
}

Code Cuda::dynamic_component(const loop::Buffer& buffer, arith::Expr index) {
  const int width = buffer.type.width;
  return {fmt::format("{}[{}].s[{}]", name(buffer), this->index(index / width).text,
                      this->index(index % width).text)};
}

Code Cuda::shuffle(ValueType type, const Code& operand, int mask) {
  const auto exchanged = [&](const Code& scalar) {
    const Code code = call("__shfl_xor_sync", {{"0xffffffffu"}, scalar, {fmt::format("{}", mask)}});
    const bool is_narrow = size_of(type.scalar) < 4;
    return is_narrow ? cast(scalar_name(type.scalar), code) : code;
  };
  if (type.width == 1) return exchanged(operand);
  return by_component(type, type, {operand},
                      [&](const std::vector<Code>& scalars) { return exchanged(scalars[0]); });
}

// ---- Operations

Code Cuda::saturated(ValueType to, ValueType from, const Code& operand) {
  need_helper("saturate");
  const std::string function = fmt::format("saturate<{}>", scalar_name(to.scalar));
  if (to.width == 1) return call(function, {operand});
  return by_component(to, from, {operand},
                      [&](const std::vector<Code>& scalars) { return call(function, scalars); });
}

Code Cuda::function(ScalarOp op, ValueType type, const std::vector<Code>& operands) {
  if (type.width == 1) return scalar_function(op, type.scalar, operands);
  return by_component(type, type, operands, [&](const std::vector<Code>& scalars) {
    return scalar_function(op, type.scalar, scalars);
  });
}

Code Cuda::scalar_function(ScalarOp op, Scalar type, const std::vector<Code>& operands) {
  if (!is_float(type)) {
    switch (op) {
      case ScalarOp::Minimum:
      case ScalarOp::Maximum: {
        // A literal operand may be printed as an int.
        std::string function = op == ScalarOp::Minimum ? "smaller" : "larger";
        need_helper(function);
        return call(fmt::format("{}<{}>", function, scalar_name(type)), operands);
      }
      case ScalarOp::Absolute:
        return help("absolute", operands);
      case ScalarOp::Sign:
        return help("integer_sign", operands);
      case ScalarOp::Power:
        need_helper("power");
        return call(fmt::format("power<{}>", scalar_name(type)), operands);
      default:
        throw Bug(fmt::format("{} is no function of integers", info(op).name));
    }
  }
  if (op == ScalarOp::Sign) return help("sign", operands);
  const std::string function = op == ScalarOp::ReciprocalSqrt ? "rsqrt" : c_function(op);
  return call(function + (type == Scalar::F32 ? "f" : ""), operands);
}

Code Cuda::guarded_division(ScalarOp op, ValueType type, const Code& dividend, const Code& divisor) {
  const std::string_view helper = op == ScalarOp::Divide ? "quotient" : "remainder_of";
  need_helper(helper);
  const std::string function = fmt::format("{}<{}>", helper, scalar_name(type.scalar));
  if (type.width == 1) return call(function, {dividend, divisor});
  return by_component(type, type, {dividend, divisor},
                      [&](const std::vector<Code>& scalars) { return call(function, scalars); });
}

Code Cuda::positive_part(ValueType type, const Code& operand) {
  need_helper("positive_part");
  const std::string function = fmt::format("positive_part<{}>", scalar_name(type.scalar));
  if (type.width == 1) return call(function, {operand});
  return by_component(type, type, {operand},
                      [&](const std::vector<Code>& scalars) { return call(function, scalars); });
}

Code Cuda::index_extremum(bool is_minimum, const Code& left, const Code& right) {
  const std::string_view helper = is_minimum ? "smaller" : "larger";
  need_helper(helper);
  return call(fmt::format("{}<{}>", helper, index_name()), {left, right});
}

Code Cuda::index_power(const Code& base, const Code& exponent) { return help("power", {base, exponent}); }

}  // namespace hoist::codegen
