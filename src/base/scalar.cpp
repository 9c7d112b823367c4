#include "base/scalar.hpp"

#include <fmt/format.h>

#include <bit>
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
    case Scalar::I32:
      return body(std::int32_t{});
    case Scalar::U32:
      return body(std::uint32_t{});
    case Scalar::I64:
      return body(std::int64_t{});
    case Scalar::U8:
    case Scalar::Bool:
      return body(std::uint8_t{});
  }
  throw Bug("not a scalar type");
}

std::int64_t wrap(Scalar type, std::int64_t value) {
  switch (type) {
    case Scalar::I32:
      return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
    case Scalar::U32:
      return static_cast<std::uint32_t>(value);
    case Scalar::U8:
      return static_cast<std::uint8_t>(value);
    case Scalar::Bool:
      return value != 0 ? 1 : 0;
    default:
      return value;
  }
}

std::int64_t saturate(Scalar type, double value) {
  if (type == Scalar::Bool) return value != 0;  // also NaN, as in C
  if (std::isnan(value)) return 0;
  const double whole = std::trunc(value);
  // static_cast<double> of the largest i64 rounds up to 2^63, which is itself out of range.
  if (whole <= static_cast<double>(smallest(type))) return smallest(type);
  if (whole >= static_cast<double>(largest(type))) return largest(type);
  return static_cast<std::int64_t>(whole);
}

}  // namespace

std::int64_t smallest(Scalar type) {
  switch (type) {
    case Scalar::I32:
      return std::numeric_limits<std::int32_t>::min();
    case Scalar::I64:
      return std::numeric_limits<std::int64_t>::min();
    default:
      return 0;
  }
}

std::int64_t largest(Scalar type) {
  switch (type) {
    case Scalar::I32:
      return std::numeric_limits<std::int32_t>::max();
    case Scalar::U32:
      return std::numeric_limits<std::uint32_t>::max();
    case Scalar::U8:
      return std::numeric_limits<std::uint8_t>::max();
    case Scalar::Bool:
      return 1;
    default:
      return std::numeric_limits<std::int64_t>::max();
  }
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
    case Scalar::I32:
      return "i32";
    case Scalar::U32:
      return "u32";
    case Scalar::I64:
      return "i64";
    case Scalar::U8:
      return "u8";
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
      return fmt::format("{}{}", value.integer, name_of(value.type));
  }
}

std::size_t hash_value(const ScalarValue& value) {
  const std::uint64_t bits =
      std::bit_cast<std::uint64_t>(value.real) ^ static_cast<std::uint64_t>(value.integer);
  return std::hash<std::uint64_t>()(bits * 8 + static_cast<std::uint64_t>(value.type) + (bits >> 61U));
}

ScalarValue convert(const ScalarValue& value, Scalar type) {
  return is_float(value.type) ? ScalarValue::of_real(type, value.real)
                              : ScalarValue::of_integer(type, value.integer);
}

ScalarValue load_scalar(const void* memory, Scalar type, std::size_t element) {
  return with_native(type, [&](auto native) {
    std::memcpy(&native, static_cast<const char*>(memory) + element * sizeof(native), sizeof(native));
    if constexpr (std::is_floating_point_v<decltype(native)>) {
      return ScalarValue{type, native, 0};
    } else {
      return ScalarValue::of_integer(type, native);
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
