// The table of scalar operations and their reference meaning.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/scalar.hpp"

namespace hoist {
namespace {

using Op = ScalarOp;
using Domain = ScalarOpInfo::Domain;

// op, name, symbol, arity, domain, gives bool, flops, associative, commutative, documentation
constexpr ScalarOpInfo table[] = {
    {Op::Add, "add", "+", 2, Domain::Numeric, false, 1, true, true, "a + b; integers wrap"},
    {Op::Subtract, "sub", "-", 2, Domain::Numeric, false, 1, false, false, "a - b; integers wrap"},
    {Op::Multiply, "mul", "*", 2, Domain::Numeric, false, 1, true, true, "a * b; integers wrap"},
    {Op::Divide, "div", "/", 2, Domain::Numeric, false, 1, false, false,
     "a / b; integers truncate towards zero, division by zero has no value"},
    {Op::Remainder, "rem", "%", 2, Domain::Numeric, false, 1, false, false,
     "what truncating division leaves; it has the sign of a"},
    {Op::Minimum, "min", "", 2, Domain::Numeric, false, 1, true, true,
     "the smaller; a NaN loses to a number"},
    {Op::Maximum, "max", "", 2, Domain::Numeric, false, 1, true, true, "the larger; a NaN loses to a number"},
    {Op::Power, "pow", "", 2, Domain::Numeric, false, 1, false, false,
     "a to the power b; an integer to a negative power has no value"},
    {Op::ArcTangent2, "atan2", "", 2, Domain::Float, false, 1, false, false, "the angle of the point (b, a)"},
    {Op::Negate, "neg", "-", 1, Domain::Numeric, false, 0, false, false, "-a"},
    {Op::Absolute, "abs", "", 1, Domain::Numeric, false, 0, false, false, "a without its sign"},
    {Op::Sign, "sign", "", 1, Domain::Numeric, false, 0, false, false, "-1, 0 or 1; 0 for NaN"},
    {Op::Sqrt, "sqrt", "", 1, Domain::Float, false, 1, false, false, "square root"},
    {Op::ReciprocalSqrt, "rsqrt", "", 1, Domain::Float, false, 1, false, false, "1 / sqrt(a)"},
    {Op::Exp, "exp", "", 1, Domain::Float, false, 1, false, false, "e to the power a"},
    {Op::Exp2, "exp2", "", 1, Domain::Float, false, 1, false, false, "2 to the power a"},
    {Op::Log, "log", "", 1, Domain::Float, false, 1, false, false, "natural logarithm"},
    {Op::Log2, "log2", "", 1, Domain::Float, false, 1, false, false, "logarithm to base 2"},
    {Op::Sin, "sin", "", 1, Domain::Float, false, 1, false, false, "sine of radians"},
    {Op::Cos, "cos", "", 1, Domain::Float, false, 1, false, false, "cosine of radians"},
    {Op::Tan, "tan", "", 1, Domain::Float, false, 1, false, false, "tangent of radians"},
    {Op::Tanh, "tanh", "", 1, Domain::Float, false, 1, false, false, "hyperbolic tangent"},
    {Op::ArcTangent, "atan", "", 1, Domain::Float, false, 1, false, false, "arc tangent, in radians"},
    {Op::ErrorFunction, "erf", "", 1, Domain::Float, false, 1, false, false, "the error function"},
    {Op::Floor, "floor", "", 1, Domain::Float, false, 1, false, false, "the largest whole number <= a"},
    {Op::Ceil, "ceil", "", 1, Domain::Float, false, 1, false, false, "the smallest whole number >= a"},
    {Op::Round, "round", "", 1, Domain::Float, false, 1, false, false,
     "the nearest whole number, halves away from zero"},
    {Op::Truncate, "trunc", "", 1, Domain::Float, false, 1, false, false, "a without its fraction"},
    {Op::FusedMultiplyAdd, "fma", "", 3, Domain::Numeric, false, 2, false, false, "a * b + c, rounded once"},
    {Op::Less, "lt", "<", 2, Domain::Numeric, true, 0, false, false, "a < b"},
    {Op::LessEqual, "le", "<=", 2, Domain::Numeric, true, 0, false, false, "a <= b"},
    {Op::Greater, "gt", ">", 2, Domain::Numeric, true, 0, false, false, "a > b"},
    {Op::GreaterEqual, "ge", ">=", 2, Domain::Numeric, true, 0, false, false, "a >= b"},
    {Op::Equal, "eq", "==", 2, Domain::Any, true, 0, false, true, "a == b"},
    {Op::NotEqual, "ne", "!=", 2, Domain::Any, true, 0, false, true, "a != b"},
    {Op::And, "and", "&&", 2, Domain::Boolean, true, 0, true, true, "both"},
    {Op::Or, "or", "||", 2, Domain::Boolean, true, 0, true, true, "either or both"},
    {Op::Not, "not", "!", 1, Domain::Boolean, true, 0, false, false, "the opposite"},
    {Op::BitAnd, "bit_and", "&", 2, Domain::Integer, false, 0, true, true, "bitwise and"},
    {Op::BitOr, "bit_or", "|", 2, Domain::Integer, false, 0, true, true, "bitwise or"},
    {Op::BitXor, "bit_xor", "^", 2, Domain::Integer, false, 0, true, true, "bitwise exclusive or"},
    {Op::BitNot, "bit_not", "~", 1, Domain::Integer, false, 0, false, false, "every bit flipped"},
    {Op::ShiftLeft, "shl", "<<", 2, Domain::Integer, false, 0, false, false,
     "a shifted left by b bits; b must be less than the width of a"},
    {Op::ShiftRight, "shr", ">>", 2, Domain::Integer, false, 0, false, false,
     "a shifted right by b bits, keeping its sign; b must be less than the width of a"},
    {Op::Select, "select", "", 3, Domain::Any, false, 0, false, false, "select(c, a, b) is a if c, else b"},
};

constexpr bool table_is_in_order() {
  for (std::size_t row = 0; row < std::size(table); ++row) {
    if (static_cast<std::size_t>(table[row].op) != row) return false;
  }
  return std::size(table) == static_cast<std::size_t>(Op::Select) + 1;
}
static_assert(table_is_in_order(), "one row an operation, in the order of ScalarOp");

// Integers wrap: computing without signs and wrapping afterwards is defined for every operand.
std::int64_t wrapped(std::uint64_t value) { return static_cast<std::int64_t>(value); }
std::uint64_t bits(std::int64_t value) { return static_cast<std::uint64_t>(value); }

/// As the type orders its values: a u64 from 2^63 on is held as a negative number.
bool is_less(Scalar type, std::int64_t a, std::int64_t b) {
  return type == Scalar::U64 ? bits(a) < bits(b) : a < b;
}

std::int64_t integer_power(std::int64_t base, std::uint64_t exponent) {
  std::uint64_t result = 1;
  std::uint64_t square = bits(base);
  for (std::uint64_t rest = exponent; rest != 0; rest >>= 1U) {
    if (rest & 1U) result *= square;
    square *= square;
  }
  return wrapped(result);
}

/// The value before it is wrapped to its type.
std::optional<std::int64_t> apply_integer(Op op, Scalar type, std::int64_t a, std::int64_t b,
                                          std::int64_t c) {
  const auto width = static_cast<std::int64_t>(8 * size_of(type));
  switch (op) {
    case Op::Add:
      return wrapped(bits(a) + bits(b));
    case Op::Subtract:
      return wrapped(bits(a) - bits(b));
    case Op::Multiply:
      return wrapped(bits(a) * bits(b));
    case Op::Divide:
      if (b == 0) return std::nullopt;
      if (type == Scalar::U64) return wrapped(bits(a) / bits(b));
      return b == -1 ? wrapped(-bits(a)) : a / b;  // the smallest / -1 overflows
    case Op::Remainder:
      if (b == 0) return std::nullopt;
      if (type == Scalar::U64) return wrapped(bits(a) % bits(b));
      return b == -1 ? 0 : a % b;
    case Op::Minimum:
      return is_less(type, a, b) ? a : b;
    case Op::Maximum:
      return is_less(type, a, b) ? b : a;
    case Op::Power:
      if (type != Scalar::U64 && b < 0) return std::nullopt;
      return integer_power(a, bits(b));
    case Op::Negate:
      return wrapped(-bits(a));
    case Op::Absolute:
      return is_less(type, a, 0) ? wrapped(-bits(a)) : a;
    case Op::Sign:
      return is_less(type, 0, a) - is_less(type, a, 0);
    case Op::FusedMultiplyAdd:
      return wrapped(bits(a) * bits(b) + bits(c));
    case Op::BitAnd:
      return a & b;
    case Op::BitOr:
      return a | b;
    case Op::BitXor:
      return a ^ b;
    case Op::BitNot:
      return ~a;
    case Op::ShiftLeft:
      if (b < 0 || b >= width) return std::nullopt;
      return wrapped(bits(a) << bits(b));
    case Op::ShiftRight:
      if (b < 0 || b >= width) return std::nullopt;
      return type == Scalar::U64 ? wrapped(bits(a) >> bits(b)) : a >> b;
    default:
      return std::nullopt;
  }
}

/// In double precision; the caller rounds. For + - * / and sqrt the second rounding of an f32 is harmless,
/// since a double has more than twice the digits; fma needs its own.
std::optional<double> apply_real(Op op, Scalar type, double a, double b, double c) {
  switch (op) {
    case Op::Add:
      return a + b;
    case Op::Subtract:
      return a - b;
    case Op::Multiply:
      return a * b;
    case Op::Divide:
      return a / b;
    case Op::Remainder:
      return std::fmod(a, b);
    case Op::Minimum:
      return std::fmin(a, b);
    case Op::Maximum:
      return std::fmax(a, b);
    case Op::Power:
      return std::pow(a, b);
    case Op::ArcTangent2:
      return std::atan2(a, b);
    case Op::Negate:
      return -a;
    case Op::Absolute:
      return std::fabs(a);
    case Op::Sign:
      return a > 0 ? 1.0 : a < 0 ? -1.0 : std::isnan(a) ? 0.0 : a;  // keeps the sign of a zero
    case Op::Sqrt:
      return std::sqrt(a);
    case Op::ReciprocalSqrt:
      return 1.0 / std::sqrt(a);
    case Op::Exp:
      return std::exp(a);
    case Op::Exp2:
      return std::exp2(a);
    case Op::Log:
      return std::log(a);
    case Op::Log2:
      return std::log2(a);
    case Op::Sin:
      return std::sin(a);
    case Op::Cos:
      return std::cos(a);
    case Op::Tan:
      return std::tan(a);
    case Op::Tanh:
      return std::tanh(a);
    case Op::ArcTangent:
      return std::atan(a);
    case Op::ErrorFunction:
      return std::erf(a);
    case Op::Floor:
      return std::floor(a);
    case Op::Ceil:
      return std::ceil(a);
    case Op::Round:
      return std::round(a);
    case Op::Truncate:
      return std::trunc(a);
    case Op::FusedMultiplyAdd:
      return type == Scalar::F32
                 ? std::fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c))
                 : std::fma(a, b, c);
    default:
      return std::nullopt;
  }
}

template <class T>
bool compare(Op op, T a, T b) {
  switch (op) {
    case Op::Less:
      return a < b;
    case Op::LessEqual:
      return a <= b;
    case Op::Greater:
      return a > b;
    case Op::GreaterEqual:
      return a >= b;
    case Op::Equal:
      return a == b;
    default:
      return a != b;
  }
}

}  // namespace

const ScalarOpInfo& info(ScalarOp op) { return table[static_cast<std::size_t>(op)]; }

std::span<const ScalarOpInfo> all_scalar_ops() { return table; }

std::optional<ScalarOp> scalar_op_named(std::string_view name) {
  const auto* row = std::find_if(std::begin(table), std::end(table),
                                 [&](const ScalarOpInfo& candidate) { return candidate.name == name; });
  if (row == std::end(table)) return std::nullopt;
  return row->op;
}

std::optional<ScalarValue> apply(ScalarOp op, std::span<const ScalarValue> arguments) {
  if (arguments.size() != static_cast<std::size_t>(info(op).arity)) {
    throw Bug(fmt::format("{} takes {} operands, not {}", info(op).name, info(op).arity, arguments.size()));
  }
  const ScalarValue& a = arguments[0];
  const ScalarValue& b = arguments.size() > 1 ? arguments[1] : a;
  const ScalarValue& c = arguments.size() > 2 ? arguments[2] : a;
  switch (op) {
    case Op::Select:
      return a.integer != 0 ? b : c;
    case Op::Less:
    case Op::LessEqual:
    case Op::Greater:
    case Op::GreaterEqual:
    case Op::Equal:
    case Op::NotEqual:
      if (is_float(a.type)) return ScalarValue::of_bool(compare(op, a.real, b.real));
      if (a.type == Scalar::U64) return ScalarValue::of_bool(compare(op, bits(a.integer), bits(b.integer)));
      return ScalarValue::of_bool(compare(op, a.integer, b.integer));
    case Op::And:
      return ScalarValue::of_bool(a.integer != 0 && b.integer != 0);
    case Op::Or:
      return ScalarValue::of_bool(a.integer != 0 || b.integer != 0);
    case Op::Not:
      return ScalarValue::of_bool(a.integer == 0);
    default:
      break;
  }
  if (is_float(a.type)) {
    const auto real = apply_real(op, a.type, a.real, b.real, c.real);
    if (!real) return std::nullopt;
    return ScalarValue::of_real(a.type, *real);
  }
  const auto integer = apply_integer(op, a.type, a.integer, b.integer, c.integer);
  if (!integer) return std::nullopt;
  return ScalarValue::of_integer(a.type, *integer);
}

}  // namespace hoist
