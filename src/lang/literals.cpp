#include "lang/literals.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>

namespace hoist::lang {
namespace {

template <class Float>
std::optional<double> read_real(std::string_view digits) {
  Float value{};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

Result<ScalarValue> real_value(std::string_view digits, Scalar type) {
  // Read in the type's own precision: rounding twice may give the neighbour.
  const auto value = type == Scalar::F32 ? read_real<float>(digits) : read_real<double>(digits);
  if (value) return ScalarValue::of_real(type, *value);
  return user_error(fmt::format("{} is out of the range of {}", digits, name_of(type)));
}

Result<ScalarValue> integer_value(std::string_view digits, Scalar type) {
  if (const auto value = integer_of(digits, type)) return *value;
  std::string help;
  for (const Scalar wider : {Scalar::U32, Scalar::I64, Scalar::U64}) {
    const auto value = integer_of(digits, wider);
    if (value && help.empty()) help = fmt::format("write {} if that is meant", to_string(*value));
  }
  return user_error(fmt::format("{} is out of the range of {}", digits, name_of(type)), "", std::move(help));
}

}  // namespace

Result<ScalarValue> value_of(const syntax::Number& number, std::optional<Scalar> wanted) {
  Scalar type = number.is_real ? Scalar::F32 : Scalar::I32;
  if (number.suffix) {
    type = *number.suffix;
  } else if (wanted && *wanted != Scalar::Bool && (is_float(*wanted) || !number.is_real)) {
    type = *wanted;
  }
  if (is_float(type)) return real_value(number.digits, type);
  if (number.is_real) {
    return user_error(fmt::format("{} is no {}", number.digits, name_of(type)), "",
                      "an integer has neither a point nor an exponent");
  }
  return integer_value(number.digits, type);
}

}  // namespace hoist::lang
