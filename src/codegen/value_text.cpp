// Values: scalars in C's operators, vectors in the operators that OpenCL C and the compilers' vectors share.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "codegen/c_family.hpp"

namespace hoist::codegen {
namespace {

using loop::ValuePtr;
using loop::ValueType;

Precedence precedence_of(ScalarOp op) {
  switch (op) {
    case ScalarOp::Multiply:
    case ScalarOp::Divide:
    case ScalarOp::Remainder:
      return Precedence::Product;
    case ScalarOp::Add:
    case ScalarOp::Subtract:
      return Precedence::Sum;
    case ScalarOp::ShiftLeft:
    case ScalarOp::ShiftRight:
      return Precedence::Shift;
    case ScalarOp::Less:
    case ScalarOp::LessEqual:
    case ScalarOp::Greater:
    case ScalarOp::GreaterEqual:
      return Precedence::Relational;
    case ScalarOp::Equal:
    case ScalarOp::NotEqual:
      return Precedence::Equality;
    case ScalarOp::BitAnd:
      return Precedence::BitAnd;
    case ScalarOp::BitXor:
      return Precedence::BitXor;
    case ScalarOp::BitOr:
      return Precedence::BitOr;
    case ScalarOp::And:
      return Precedence::And;
    case ScalarOp::Or:
      return Precedence::Or;
    default:
      throw Bug(fmt::format("{} is no infix operator", info(op).name));
  }
}

bool is_comparison(ScalarOp op) { return op >= ScalarOp::Less && op <= ScalarOp::NotEqual; }

int bytes(Scalar type) { return static_cast<int>(size_of(type)); }

/// The scalar that a vector value repeats, null where it does not.
ValuePtr repeated(const ValuePtr& value) {
  if (value->type.width == 1) return value;
  if (const auto* literal = std::get_if<loop::Literal>(&value->node)) return loop::literal(literal->value);
  const auto* vector = std::get_if<loop::MakeVector>(&value->node);
  return vector && vector->components.size() == 1 ? vector->components[0] : nullptr;
}

bool is_zero(const ValuePtr& value) {
  const ValuePtr scalar = repeated(value);
  const auto* literal = scalar ? std::get_if<loop::Literal>(&scalar->node) : nullptr;
  const auto* index = scalar ? std::get_if<loop::IndexValue>(&scalar->node) : nullptr;
  return (literal && literal->value.integer == 0) || (index && index->expr == 0);
}

/// Whether dividing by it may overflow (by -1) or has no value (by 0).
bool is_harmless_divisor(const ValuePtr& value) {
  const ValuePtr scalar = repeated(value);
  if (!scalar) return false;
  const auto* literal = std::get_if<loop::Literal>(&scalar->node);
  const auto* index = std::get_if<loop::IndexValue>(&scalar->node);
  return (literal && literal->value.integer != 0 && literal->value.integer != -1) ||
         (index && arith::is_less(0, index->expr));
}

struct Range {
  std::int64_t least, most;
};

bool is_in(const Range& range, Scalar type) {
  return smallest(type) <= range.least && range.most <= largest(type);
}

/// What an integer value lies between, where that is known without running the kernel and fits 64 bits.
std::optional<Range> range_of(const ValuePtr& value);

std::optional<Range> range_of(const loop::Operation& sum) {
  if (sum.operands.size() != 2) return std::nullopt;
  const auto a = range_of(sum.operands[0]), b = range_of(sum.operands[1]);
  if (!a || !b) return std::nullopt;
  Range result{INT64_MAX, INT64_MIN};
  for (const std::int64_t left : {a->least, a->most}) {
    for (const std::int64_t right : {b->least, b->most}) {
      std::int64_t at = 0;
      const bool overflows = sum.op == ScalarOp::Add        ? __builtin_add_overflow(left, right, &at)
                             : sum.op == ScalarOp::Subtract ? __builtin_sub_overflow(left, right, &at)
                             : sum.op == ScalarOp::Multiply ? __builtin_mul_overflow(left, right, &at)
                                                            : true;
      if (overflows) return std::nullopt;
      result = {std::min(result.least, at), std::max(result.most, at)};
    }
  }
  return result;
}

std::optional<Range> range_of(const ValuePtr& value) {
  const ValuePtr scalar = repeated(value);
  if (!scalar) return std::nullopt;
  if (const auto* literal = std::get_if<loop::Literal>(&scalar->node))
    return Range{literal->value.integer, literal->value.integer};
  if (const auto* index = std::get_if<loop::IndexValue>(&scalar->node)) {
    const arith::Expr lower = arith::lower_bound(index->expr), upper = arith::upper_bound(index->expr);
    const auto least = lower ? lower.constant() : std::nullopt,
               most = upper ? upper.constant() : std::nullopt;
    if (least && most) return Range{*least, *most};
  }
  if (const auto* cast = std::get_if<loop::Cast>(&scalar->node)) {
    const Scalar from = cast->operand->type.scalar;
    if (!is_float(from) && size_of(from) < size_of(scalar->type.scalar))
      return Range{smallest(from), largest(from)};
  }
  const auto* operation = std::get_if<loop::Operation>(&scalar->node);
  const auto range = operation ? range_of(*operation) : std::nullopt;
  return range && is_in(*range, scalar->type.scalar) ? range : std::nullopt;  // what wraps may be anything
}

/// The selection that `selection` gives where its condition holds, if both give the same literal where it
/// does not.
const loop::Operation* guarded_selection(const loop::Operation& selection) {
  const auto* inner = std::get_if<loop::Operation>(&selection.operands[1]->node);
  if (!inner || inner->op != ScalarOp::Select || inner->operands[0]->type.width > 1) return nullptr;
  const auto* own = std::get_if<loop::Literal>(&selection.operands[2]->node);
  const auto* other = std::get_if<loop::Literal>(&inner->operands[2]->node);
  const bool is_same =
      own && other && own->value == other->value && selection.operands[2]->type == inner->operands[2]->type;
  return is_same ? inner : nullptr;
}

loop::Operation is_nonzero(const ValuePtr& value) {
  return {ScalarOp::NotEqual, {value, loop::literal(convert(ScalarValue{}, value->type.scalar))}};
}

Code real_literal(const ScalarValue& value) {
  const bool is_single = value.type == Scalar::F32;
  if (std::isnan(value.real)) return {is_single ? "NAN" : "(double)NAN", Precedence::Unary};
  const bool is_negative = std::signbit(value.real);
  const double magnitude = std::fabs(value.real);
  std::string text;
  if (std::isinf(magnitude)) {
    text = is_single ? "INFINITY" : "(double)INFINITY";
  } else {
    // The shortest digits that read back.
    text = is_single ? fmt::format("{}", static_cast<float>(magnitude)) : fmt::format("{}", magnitude);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    if (is_single) text += 'f';
  }
  const bool is_cast = text.starts_with('(');
  return {(is_negative ? "-" : "") + text, is_negative || is_cast ? Precedence::Unary : Precedence::Postfix};
}

}  // namespace

Code CFamily::literal(const ScalarValue& value) {
  const Precedence sign = value.integer < 0 ? Precedence::Unary : Precedence::Postfix;
  switch (value.type) {
    case Scalar::F32:
    case Scalar::F64:
      return real_literal(value);
    case Scalar::I32:
      if (value.integer == std::numeric_limits<std::int32_t>::min()) return {"INT_MIN"};
      return {fmt::format("{}", value.integer), sign};
    case Scalar::U32:
      return {fmt::format("{}u", value.integer)};
    case Scalar::I64:
      if (value.integer == std::numeric_limits<std::int64_t>::min()) return {"LONG_MIN"};
      return {fmt::format("{}L", value.integer), sign};
    case Scalar::U64:
      return {digits_of(value) + "uL"};
    case Scalar::I8:
    case Scalar::I16:
    case Scalar::U8:
    case Scalar::U16:
      return {fmt::format("({}){}", scalar_name(value.type), value.integer), Precedence::Unary};
    case Scalar::Bool:
      return {value.integer != 0 ? "true" : "false"};
  }
  throw Bug("not a scalar type");
}

Code CFamily::value(const ValuePtr& value) {
  const ValueType type = value->type;
  check_width(type);
  return std::visit(
      Overloaded{
          [&](const loop::Reference& reference) { return Code{name(*reference.variable)}; },
          [&](const loop::Test& test) { return predicate(test.predicate); },
          [&](const loop::Component& part) { return component(this->value(part.vector), part.index); },
          [&](const loop::Shuffle& each) { return shuffle(type, this->value(each.operand), each.mask); },
          [&](const auto& node) { return print(node, type); }},
      value->node);
}

Code CFamily::shuffle(ValueType, const Code&, int) {
  throw_unsupported("an exchange of registers in a warp (a shuffle) for a device without warps");
}

Code CFamily::positive_part(ValueType, const Code&) {
  throw Bug("a language whose compilers know every maximum");
}

Code CFamily::print(const loop::Literal& node, ValueType type) {
  const Code scalar = literal(node.value);
  if (type.width == 1) return scalar;
  return splat(type_name(type),
               type.scalar == Scalar::Bool ? Code{node.value.integer != 0 ? "1" : "0"} : scalar);
}

Code CFamily::print(const loop::IndexValue& node, ValueType type) {
  if (const auto constant = node.expr.constant()) {
    return literal(ScalarValue::of_integer(type.scalar, *constant));
  }
  Scalar printed = index_type_;
  if (node.expr.kind() == arith::Kind::Variable) {
    const auto declared = integer_variables_.find(node.expr->name);
    if (declared != integer_variables_.end()) printed = declared->second;
  }
  const Code code = index(node.expr);
  return printed == type.scalar ? code : cast(scalar_name(type.scalar), code);
}

Code CFamily::print(const loop::Load& load, ValueType type) {
  const loop::Buffer& buffer = *load.buffer;
  if (is_image(buffer)) return image_load(load, type);
  if (buffer.type.width == 1 && type.width > 1) return load_vector(buffer, load.index, type);
  const bool is_component = buffer.type.width > 1 && type.width == 1;
  Code code =
      is_component ? register_component(buffer, load.index) : loaded(load, element(buffer, load.index));
  if (type == ValueType{Scalar::Bool, 1}) return infix(code, "!=", {"0"}, Precedence::Equality);
  return code;
}

Code CFamily::pixel(const loop::Buffer&, arith::Expr) { throw Bug("a language without images"); }

Code CFamily::image_load(const loop::Load& load, ValueType type) {
  const loop::Buffer& buffer = *load.buffer;
  const int channels = buffer.image->channels;
  if (type.width == channels && is_aligned(load.index, channels))
    return pixel(buffer, arith::exact_quotient(load.index, channels));
  std::vector<Code> components;
  for (int at = 0; at < type.width; ++at) {
    const arith::Expr index = load.index + arith::constant(at);
    const auto channel = (index % channels).constant();
    if (!channel) {
      throw_unsupported(
          fmt::format(
              "the image {} is read by a component of a pixel that is known only when the kernel runs",
              buffer.name),
          {}, "leave toImage out");
    }
    const Code whole = pixel(buffer, arith::exact_quotient(index - arith::constant(*channel), channels));
    components.push_back(channels == 1 ? whole : component(whole, static_cast<int>(*channel)));
  }
  return type.width == 1 ? components[0] : vector_of(type_name(type), components);
}

Code CFamily::element(const loop::Buffer& buffer, arith::Expr index) {
  const int width = buffer.type.width;
  const arith::Expr element = width == 1 ? index : arith::exact_quotient(index, width);
  return subscript({name(buffer)}, this->index(element_position(buffer, element)));
}

Code CFamily::register_component(const loop::Buffer& buffer, arith::Expr index) {
  const int width = buffer.type.width;
  auto part = (index % width).constant();
  const arith::Facts& facts = index->facts;
  if (!part && facts.modulus % width == 0) part = facts.remainder % width;
  // A negative index has a negative remainder, and is out of bounds.
  if (!part || *part < 0) return dynamic_component(buffer, index);
  return component(element(buffer, index - *part), static_cast<int>(*part));
}

Code CFamily::print(const loop::MakeVector& vector, ValueType type) {
  if (auto shuffle = shuffled(type, vector)) return *std::move(shuffle);
  std::vector<Code> components;
  for (const ValuePtr& each : vector.components) components.push_back(value(each));
  if (components.size() == 1) return splat(type_name(type), components[0]);
  return vector_of(type_name(type), components);
}

Code CFamily::print(const loop::Cast& cast, ValueType type) {
  const ValueType from = cast.operand->type;
  const bool is_scalar = type.width == 1;
  if (from == type) return value(cast.operand);
  if (type.scalar == Scalar::Bool) return logic(is_nonzero(cast.operand));
  if (from.scalar == Scalar::Bool && !is_scalar) {
    const Code ones = prefix("-", mask(cast.operand, type.width, bytes(type.scalar)));
    const bool is_mask = mask_name(bytes(type.scalar), type.width) == type_name(type);
    return is_mask ? ones : converted_vector(type_name(type), ones);
  }
  const Code operand = value(cast.operand);
  if (is_float(from.scalar) && is_integer(type.scalar)) return saturated(type, from, operand);
  return is_scalar ? codegen::cast(type_name(type), operand) : converted_vector(type_name(type), operand);
}

Code CFamily::print(const loop::Operation& operation, ValueType type) {
  switch (operation.op) {
    case ScalarOp::Less:
    case ScalarOp::LessEqual:
    case ScalarOp::Greater:
    case ScalarOp::GreaterEqual:
    case ScalarOp::Equal:
    case ScalarOp::NotEqual:
    case ScalarOp::And:
    case ScalarOp::Or:
    case ScalarOp::Not:
      return logic(operation);
    case ScalarOp::Select:
      return select(operation, type);
    default:
      break;
  }
  if (must_wrap(operation, type)) return wrapping_arithmetic(operation, type);
  const Code code = arithmetic(operation, type);
  // C's operators compute with ints.
  const bool is_widened = type.width == 1 && is_narrow(type.scalar) && code.precedence < Precedence::Postfix;
  return is_widened ? codegen::cast(scalar_name(type.scalar), code) : code;
}

Code CFamily::arithmetic(const loop::Operation& operation, ValueType type) {
  if (const auto known = sine_or_cosine(operation)) return *known;
  const ScalarOp op = operation.op;
  const auto arguments = [&] {
    std::vector<Code> codes;
    for (const ValuePtr& each : operation.operands) codes.push_back(argument(each, type));
    return codes;
  };
  const auto infix_of_operands = [&] {
    const auto codes = operands(operation);
    return infix(codes[0], info(op).symbol, codes[1], precedence_of(op));
  };
  switch (op) {
    case ScalarOp::Divide:
    case ScalarOp::Remainder:
      if (is_float(type.scalar))
        return op == ScalarOp::Divide ? infix_of_operands() : function(op, type, arguments());
      if (!is_harmless_divisor(operation.operands[1])) {
        const auto codes = arguments();
        return guarded_division(op, type, codes[0], codes[1]);
      }
      return infix_of_operands();
    case ScalarOp::Add:
    case ScalarOp::Subtract:
      if (const auto fused = fused_sum(operation, type)) return *fused;
      return infix_of_operands();
    case ScalarOp::Multiply:
    case ScalarOp::BitAnd:
    case ScalarOp::BitOr:
    case ScalarOp::BitXor:
      return infix_of_operands();
    case ScalarOp::ShiftLeft:
    case ScalarOp::ShiftRight:  // a scalar cannot be shifted by a vector
      return infix(argument(operation.operands[0], type), info(op).symbol, operands(operation)[1],
                   Precedence::Shift);
    case ScalarOp::Negate:
      return prefix("-", value(operation.operands[0]));
    case ScalarOp::BitNot:
      return prefix("~", value(operation.operands[0]));
    case ScalarOp::Absolute:
      if (!is_signed(type.scalar)) return value(operation.operands[0]);
      return function(op, type, arguments());
    case ScalarOp::Maximum:
      if (hides_positive_parts_ && !is_float(type.scalar) && is_signed(type.scalar)) {
        const auto zero = std::find_if(operation.operands.begin(), operation.operands.end(), is_zero);
        if (zero != operation.operands.end())
          return positive_part(type, argument(operation.operands[zero == operation.operands.begin()], type));
      }
      return function(op, type, arguments());
    case ScalarOp::FusedMultiplyAdd:
      if (!is_float(type.scalar)) {
        const auto codes = arguments();
        return infix(infix(codes[0], "*", codes[1], Precedence::Product), "+", codes[2], Precedence::Sum);
      }
      return function(op, type, arguments());
    default:
      return function(op, type, arguments());
  }
}

bool CFamily::must_wrap(const loop::Operation& operation, ValueType type) const {
  const Scalar scalar = type.scalar;
  if (!is_integer(scalar) || (!is_signed(scalar) && !is_narrow(scalar))) return false;
  if (type.width > 1 && (!is_signed(scalar) || vector_operators_wrap())) return false;
  // Narrow integers become ints, which hold most results.
  const bool is_int = type.width == 1 && is_narrow(scalar);
  switch (operation.op) {
    case ScalarOp::Add:
    case ScalarOp::Subtract:
    case ScalarOp::Multiply: {
      if (is_int) return operation.op == ScalarOp::Multiply && scalar == Scalar::U16;
      const auto range = range_of(operation);
      return !range || !is_in(*range, scalar);
    }
    case ScalarOp::Negate:
      return !is_int;
    case ScalarOp::FusedMultiplyAdd:
      return !is_int || scalar == Scalar::U16;
    case ScalarOp::ShiftLeft:
      return scalar != Scalar::U8;
    default:
      return false;
  }
}

Code CFamily::wrapping_arithmetic(const loop::Operation& operation, ValueType type) {
  const Code code = unsigned_arithmetic(operation, type);
  return type.width > 1 ? reinterpreted(type_name(type), code) : cast(scalar_name(type.scalar), code);
}

Code CFamily::unsigned_arithmetic(const loop::Operation& operation, ValueType type) {
  std::vector<Code> codes;
  for (const ValuePtr& each : operation.operands) {
    const auto* inner = std::get_if<loop::Operation>(&each->node);
    const bool is_first = codes.empty();
    if (inner && each->type == type && must_wrap(*inner, type)) {
      codes.push_back(unsigned_arithmetic(*inner, type));
    } else if (type.width > 1 && (is_first || !repeated(each))) {
      codes.push_back(reinterpreted("u" + type_name(type), argument(each, type)));
    } else if (type.width == 1 && !is_first && std::holds_alternative<loop::Literal>(each->node)) {
      codes.push_back(value(each));  // beside an unsigned operand it is unsigned, too
    } else {
      const bool is_int = type.width == 1 && is_narrow(type.scalar);
      codes.push_back(cast(is_int ? "uint" : "u" + scalar_name(type.scalar), value(repeated(each))));
    }
  }
  if (operation.op == ScalarOp::Negate) return prefix("-", codes[0]);
  if (operation.op == ScalarOp::FusedMultiplyAdd)
    return infix(infix(codes[0], "*", codes[1], Precedence::Product), "+", codes[2], Precedence::Sum);
  return infix(codes[0], info(operation.op).symbol, codes[1], precedence_of(operation.op));
}

std::vector<Code> CFamily::operands(const loop::Operation& operation) {
  const bool is_vector = std::any_of(operation.operands.begin(), operation.operands.end(),
                                     [](const ValuePtr& each) { return !repeated(each); });
  std::vector<Code> codes;
  for (const ValuePtr& each : operation.operands) {
    const ValuePtr scalar = repeated(each);
    const auto* narrow = scalar ? std::get_if<loop::Literal>(&scalar->node) : nullptr;
    if (narrow && !is_vector && is_narrow(narrow->value.type) && each->type.width == 1) {
      codes.push_back(
          literal(ScalarValue::of_integer(Scalar::I32, narrow->value.integer)));  // C promotes it anyway
    } else {
      codes.push_back(value(is_vector && scalar ? scalar : each));
    }
  }
  return codes;
}

Code CFamily::argument(const ValuePtr& value, ValueType type) {
  const Code code = this->value(value);
  return value->type.width == type.width ? code : splat(type_name(type), code);
}

// ---- Conditions

Code CFamily::logic(const loop::Operation& operation) {
  int width = 1;
  for (const ValuePtr& each : operation.operands) width = std::max(width, each->type.width);
  if (width > 1) return from_mask(natural_mask(operation, width), width);
  if (operation.op == ScalarOp::Not) return prefix("!", value(operation.operands[0]));
  const auto codes = operands(operation);
  return infix(codes[0], info(operation.op).symbol, codes[1], precedence_of(operation.op));
}

Code CFamily::select(const loop::Operation& operation, ValueType type) {
  const ValuePtr& condition = operation.operands[0];
  if (condition->type.width == 1) {
    // Guards inside each other that give the same value otherwise are one guard.
    Code all = value(condition);
    const loop::Operation* innermost = &operation;
    while (const loop::Operation* inner = guarded_selection(*innermost)) {
      all = infix(all, "&&", value(inner->operands[0]), Precedence::And);
      innermost = inner;
    }
    const Code code =
        conditional(all, argument(innermost->operands[1], type), argument(innermost->operands[2], type));
    return type.width == 1 && is_narrow(type.scalar) ? codegen::cast(scalar_name(type.scalar), code) : code;
  }
  if (type.scalar == Scalar::Bool) return from_mask(natural_mask(operation, type.width), type.width);
  return vector_select(mask(condition, type.width, bytes(type.scalar)), argument(operation.operands[1], type),
                       argument(operation.operands[2], type));
}

Code CFamily::from_mask(const Code& mask, int width) {
  return converted_vector(type_name({Scalar::Bool, width}), prefix("-", mask));
}

int CFamily::natural_lane(const loop::Value& value) {
  if (const auto* cast = std::get_if<loop::Cast>(&value.node)) return bytes(cast->operand->type.scalar);
  const auto* operation = std::get_if<loop::Operation>(&value.node);
  if (!operation || value.type.width == 1) return 1;
  if (is_comparison(operation->op)) return bytes(operation->operands[0]->type.scalar);
  for (auto operand = operation->operands.rbegin(); operand != operation->operands.rend(); ++operand) {
    if (!repeated(*operand)) return natural_lane(**operand);
  }
  return 1;
}

Code CFamily::natural_mask(const loop::Operation& operation, int width) {
  const auto& operands = operation.operands;
  const int lane = natural_lane({{Scalar::Bool, width}, operation});
  const auto masks = [&] {
    std::vector<Code> codes;
    for (const ValuePtr& each : operands) codes.push_back(mask(each, width, lane));
    return codes;
  };
  switch (operation.op) {
    case ScalarOp::Not:
      return prefix("~", masks()[0]);
    case ScalarOp::And:
      return infix(masks()[0], "&", masks()[1], Precedence::BitAnd);
    case ScalarOp::Or:
      return infix(masks()[0], "|", masks()[1], Precedence::BitOr);
    case ScalarOp::Select:
      if (operands[0]->type.width == 1) return conditional(value(operands[0]), masks()[1], masks()[2]);
      return vector_select(masks()[0], masks()[1], masks()[2]);
    default:
      break;
  }
  const auto codes = operands[0]->type.scalar == Scalar::Bool ? masks() : this->operands(operation);
  return infix(codes[0], info(operation.op).symbol, codes[1], precedence_of(operation.op));
}

Code CFamily::mask(const ValuePtr& value, int width, int lane_bytes) {
  const std::string type = mask_name(lane_bytes, width);
  if (const ValuePtr scalar = repeated(value)) {
    return splat(type, conditional(this->value(scalar), {"-1", Precedence::Unary}, {"0"}));
  }
  Code code;
  if (const auto* operation = std::get_if<loop::Operation>(&value->node)) {
    code = natural_mask(*operation, width);
  } else if (const auto* cast = std::get_if<loop::Cast>(&value->node)) {
    code = natural_mask(is_nonzero(cast->operand), width);
  } else {
    code = infix(this->value(value), "!=", literal(ScalarValue::of_integer(Scalar::U8, 0)),
                 Precedence::Equality);
  }
  return natural_lane(*value) == lane_bytes ? code : converted_vector(type, code);
}

}  // namespace hoist::codegen
