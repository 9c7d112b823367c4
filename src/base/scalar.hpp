#pragma once
// Scalar types, scalar values and the scalar operations that every executor shares.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace hoist {

enum class Scalar : std::uint8_t { F32, F64, I32, U32, I64, U8, Bool, I8, I16, U16, U64 };
inline constexpr Scalar all_scalars[] = {Scalar::F32, Scalar::F64, Scalar::I8,  Scalar::I16,
                                         Scalar::I32, Scalar::I64, Scalar::U8,  Scalar::U16,
                                         Scalar::U32, Scalar::U64, Scalar::Bool};

/// Bytes of one element in memory (bool is one byte).
std::size_t size_of(Scalar type);
/// The name in the language: "f32".
std::string_view name_of(Scalar type);
std::optional<Scalar> scalar_named(std::string_view name);
inline bool is_float(Scalar type) { return type == Scalar::F32 || type == Scalar::F64; }
inline bool is_integer(Scalar type) { return !is_float(type) && type != Scalar::Bool; }
inline bool is_unsigned(Scalar type) {
  return type == Scalar::U8 || type == Scalar::U16 || type == Scalar::U32 || type == Scalar::U64;
}
inline bool is_signed(Scalar type) { return !is_unsigned(type) && type != Scalar::Bool; }
/// Whether C's operators compute with wider integers than this one.
inline bool is_narrow(Scalar type) {
  return type == Scalar::I8 || type == Scalar::I16 || type == Scalar::U8 || type == Scalar::U16;
}
/// The extreme values of an integer type or bool, as ScalarValue::integer holds them.
std::int64_t smallest(Scalar type);
std::int64_t largest(Scalar type);

/// One scalar with its type. Floats live in `real` (an f32 is already rounded to single precision), all
/// others in `integer` (wrapped to the type's width; bool is 0 or 1; a u64 from 2^63 on as the negative
/// number of the same bits).
struct ScalarValue {
  Scalar type = Scalar::F32;
  double real = 0;
  std::int64_t integer = 0;

  static ScalarValue of_real(Scalar type, double value);           ///< rounds to the type
  static ScalarValue of_integer(Scalar type, std::int64_t value);  ///< wraps to the type
  static ScalarValue of_bool(bool value) { return of_integer(Scalar::Bool, value); }
  /// Same type and same bits (so NaN equals itself, and 0.0 differs from -0.0).
  bool operator==(const ScalarValue& other) const;
};
/// The literal in the language's syntax, which reads back to the same value: "1.5", "2f64", "true", "7u8".
std::string to_string(const ScalarValue& value);
std::size_t hash_value(const ScalarValue& value);

/// An integer in decimal digits, and the value of such digits: nullopt where they are none or the type does
/// not hold it.
std::string digits_of(const ScalarValue& integer);
std::optional<ScalarValue> integer_of(std::string_view digits, Scalar type);

/// Conversion as C does it between arithmetic types; a float out of an integer's range saturates, NaN gives
/// 0.
ScalarValue convert(const ScalarValue& value, Scalar type);

/// Reads or writes one element of raw memory of `type`.
ScalarValue load_scalar(const void* memory, Scalar type, std::size_t element);
void store_scalar(void* memory, std::size_t element, const ScalarValue& value);

/// The scalar functions of the language. All operands have one type unless said; vectors apply componentwise.
enum class ScalarOp : std::uint8_t {
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  Minimum,
  Maximum,
  Power,
  ArcTangent2,
  Negate,
  Absolute,
  Sign,
  Sqrt,
  ReciprocalSqrt,
  Exp,
  Exp2,
  Log,
  Log2,
  Sin,
  Cos,
  Tan,
  Tanh,
  ArcTangent,
  ErrorFunction,
  Floor,
  Ceil,
  Round,
  Truncate,
  FusedMultiplyAdd,  // (a, b, c) -> a * b + c
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual,  // -> bool
  And,
  Or,
  Not,  // bool only
  BitAnd,
  BitOr,
  BitXor,
  BitNot,
  ShiftLeft,
  ShiftRight,  // integers only
  Select,      // (bool, a, a) -> a
};

/// What is known of an operation; one row an operation, in the enum's order.
struct ScalarOpInfo {
  ScalarOp op;
  std::string_view name;    ///< as a function in the language: "add", "min", "sqrt"
  std::string_view symbol;  ///< infix or prefix operator, or empty: "+"
  int arity;
  enum class Domain : std::uint8_t { Numeric, Float, Integer, Boolean, Any } domain;
  bool gives_bool;
  int flops;         ///< counted by `--repeat` for GFLOP/s when operands are floats
  bool associative;  ///< exactly for integers, up to rounding for floats
  bool commutative;
  std::string_view documentation;
};
const ScalarOpInfo& info(ScalarOp op);
std::span<const ScalarOpInfo> all_scalar_ops();
std::optional<ScalarOp> scalar_op_named(std::string_view name);

/// The value of an operation; nullopt where it has none (integer division or remainder by zero, a shift out
/// of range). Integers wrap. f32 operations round to single precision after each operation.
std::optional<ScalarValue> apply(ScalarOp op, std::span<const ScalarValue> arguments);

}  // namespace hoist
