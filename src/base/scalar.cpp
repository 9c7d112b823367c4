// Scalar types and scalar values: names, sizes, literals, conversions, and memory. The operations on them
// are in scalar_op.cpp.
//
// A ScalarValue of any type is a double or an int64_t, and always a value that its type has: an f32 is
// rounded to single precision, an integer is wrapped to the width of its type. Two functions see to that:
//
//   wrap      an integer to a narrower one keeps the low bits (two's complement): i32 300 as u8 is 44
//   saturate  a float to an integer takes the nearest value in range: 300.7 as u8 is 255, NaN is 0
//
// A u64 from 2^63 on is stored as the negative number of the same bits, so functions that need the number
// itself have a case for it.
//
// Read `with_native` first, which turns a type of the language into a type of C++: functions call it with a
// generic lambda instead of a switch of their own. Then read `of_real`, `of_integer` and `convert`.
#include "base/scalar.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/error.hpp"

namespace hoist {
namespace {

/// Calls `body` with a value of the C++ type that `type` has in memory.
template <class Body>
auto with_native(Scalar type, Body&& body) {
  switch (type) {
    case Scalar::F32:
      return body(float{});
    case Scalar::F64:
      return body(double{});
    case Scalar::I8:
      return body(std::int8_t{});
    case Scalar::I16:
      return body(std::int16_t{});
    case Scalar::I32:
      return body(std::int32_t{});
    case Scalar::I64:
      return body(std::int64_t{});
    case Scalar::U8:
    case Scalar::Bool:
      return body(std::uint8_t{});
    case Scalar::U16:
      return body(std::uint16_t{});
    case Scalar::U32:
      return body(std::uint32_t{});
    case Scalar::U64:
      return body(std::uint64_t{});
  }
  throw Bug("not a scalar type");
}

std::int64_t wrap(Scalar type, std::int64_t value) {
  if (type == Scalar::Bool) return value != 0 ? 1 : 0;
  return with_native(type, [value](auto native) -> std::int64_t {
    // Since C++20 a conversion to an integer type takes the low bits.
    if constexpr (std::is_integral_v<decltype(native)>) {
      return static_cast<std::int64_t>(static_cast<decltype(native)>(value));
    } else {
      return value;
    }
  });
}

std::int64_t saturate(Scalar type, double value) {
  if (type == Scalar::Bool) return value != 0;  // NaN gives true, as in C
  if (std::isnan(value)) return 0;
  const double whole = std::trunc(value);
  // The largest i64 and u64 round up to 2^63 and 2^64, which are out of range themselves.
  if (type == Scalar::U64) {
    if (whole <= 0) return 0;
    return whole >= 0x1p64 ? largest(type) : static_cast<std::int64_t>(static_cast<std::uint64_t>(whole));
  }
  if (whole <= static_cast<double>(smallest(type))) return smallest(type);
  if (whole >= static_cast<double>(largest(type))) return largest(type);
  return static_cast<std::int64_t>(whole);
}

}  // namespace

std::int64_t smallest(Scalar type) {
  return with_native(type, [](auto native) -> std::int64_t {
    if constexpr (std::is_integral_v<decltype(native)>) return std::numeric_limits<decltype(native)>::min();
    throw Bug("the smallest value of a float type");
  });
}

std::int64_t largest(Scalar type) {
  if (type == Scalar::Bool) return 1;
  return with_native(type, [](auto native) -> std::int64_t {
    if constexpr (std::is_integral_v<decltype(native)>) {
      return static_cast<std::int64_t>(std::numeric_limits<decltype(native)>::max());
    }
    throw Bug("the largest value of a float type");
  });
}

std::size_t size_of(Scalar type) {
  return with_native(type, [](auto native) { return sizeof(native); });
}

std::string_view name_of(Scalar type) {
  switch (type) {
    case Scalar::F32:
      return "f32";
    case Scalar::F64:
      return "f64";
    case Scalar::I8:
      return "i8";
    case Scalar::I16:
      return "i16";
    case Scalar::I32:
      return "i32";
    case Scalar::I64:
      return "i64";
    case Scalar::U8:
      return "u8";
    case Scalar::U16:
      return "u16";
    case Scalar::U32:
      return "u32";
    case Scalar::U64:
      return "u64";
    case Scalar::Bool:
      return "bool";
  }
  throw Bug("not a scalar type");
}

std::optional<Scalar> scalar_named(std::string_view name) {
  for (Scalar type : all_scalars) {
    if (name_of(type) == name) return type;
  }
  return std::nullopt;
}

ScalarValue ScalarValue::of_real(Scalar type, double value) {
  switch (type) {
    case Scalar::F32:
      return {type, static_cast<float>(value), 0};
    case Scalar::F64:
      return {type, value, 0};
    default:
      return {type, 0, saturate(type, value)};
  }
}

ScalarValue ScalarValue::of_integer(Scalar type, std::int64_t value) {
  switch (type) {
    case Scalar::F32:
      return {type, static_cast<float>(value), 0};
    case Scalar::F64:
      return {type, static_cast<double>(value), 0};
    default:
      return {type, 0, wrap(type, value)};
  }
}

bool ScalarValue::operator==(const ScalarValue& other) const {
  return type == other.type && integer == other.integer &&
         std::bit_cast<std::uint64_t>(real) == std::bit_cast<std::uint64_t>(other.real);
}

std::string to_string(const ScalarValue& value) {
  switch (value.type) {
    case Scalar::Bool:
      return value.integer != 0 ? "true" : "false";
    case Scalar::I32:
      return fmt::format("{}", value.integer);
    case Scalar::F64:
      return fmt::format("{}f64", value.real);
    case Scalar::F32: {
      // The shortest digits that read back; a decimal point or an exponent makes it a float.
      std::string text = fmt::format("{}", static_cast<float>(value.real));
      if (std::isfinite(value.real) && text.find_first_of(".e") == std::string::npos) text += ".0";
      return text;
    }
    default:
      return digits_of(value) + std::string(name_of(value.type));
  }
}

std::string digits_of(const ScalarValue& integer) {
  if (integer.type == Scalar::U64) return fmt::format("{}", static_cast<std::uint64_t>(integer.integer));
  return fmt::format("{}", integer.integer);
}

std::optional<ScalarValue> integer_of(std::string_view digits, Scalar type) {
  const auto read = [digits](auto& value) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size();
  };
  if (type == Scalar::U64) {
    std::uint64_t value = 0;
    if (!read(value)) return std::nullopt;
    return ScalarValue::of_integer(type, static_cast<std::int64_t>(value));
  }
  std::int64_t value = 0;
  if (!read(value) || value < smallest(type) || value > largest(type)) return std::nullopt;
  return ScalarValue::of_integer(type, value);
}

std::size_t hash_value(const ScalarValue& value) {
  const std::uint64_t bits =
      std::bit_cast<std::uint64_t>(value.real) ^ static_cast<std::uint64_t>(value.integer);
  return std::hash<std::uint64_t>()(bits * 8 + static_cast<std::uint64_t>(value.type) + (bits >> 61U));
}

ScalarValue convert(const ScalarValue& value, Scalar type) {
  if (is_float(value.type)) return ScalarValue::of_real(type, value.real);
  if (value.type == Scalar::U64 && is_float(type)) {
    const auto integer = static_cast<std::uint64_t>(value.integer);
    // An f32 must not be rounded twice, by way of a double.
    return {type, type == Scalar::F32 ? static_cast<float>(integer) : static_cast<double>(integer), 0};
  }
  return ScalarValue::of_integer(type, value.integer);
}

ScalarValue load_scalar(const void* memory, Scalar type, std::size_t element) {
  return with_native(type, [&](auto native) {
    std::memcpy(&native, static_cast<const char*>(memory) + element * sizeof(native), sizeof(native));
    if constexpr (std::is_floating_point_v<decltype(native)>) {
      return ScalarValue{type, native, 0};
    } else {
      return ScalarValue::of_integer(type, static_cast<std::int64_t>(native));
    }
  });
}

void store_scalar(void* memory, std::size_t element, const ScalarValue& value) {
  with_native(value.type, [&](auto native) {
    if constexpr (std::is_floating_point_v<decltype(native)>) {
      native = static_cast<decltype(native)>(value.real);
    } else {
      native = static_cast<decltype(native)>(value.integer);
    }
    std::memcpy(static_cast<char*>(memory) + element * sizeof(native), &native, sizeof(native));
  });
}

}  // namespace hoist
