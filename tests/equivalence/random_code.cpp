#include "equivalence/random_code.hpp"

#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>

namespace hoist::testing_support {

Type scalar_type(Scalar scalar) { return {scalar, 0, {}}; }
Type tuple_of(std::vector<Type> parts) { return {Scalar::I32, 0, std::move(parts)}; }
Type array_of(int extent, Type element) { return {Scalar::I32, extent, {std::move(element)}}; }

int scalars_in(const Type& type) {
  int count = type.is_scalar() ? 1 : 0;
  for (const Type& part : type.parts) count += scalars_in(part);
  return type.is_array() ? count * type.extent : count;
}

bool has_arrays(const Type& type) {
  return type.is_array() || std::any_of(type.parts.begin(), type.parts.end(), has_arrays);
}

std::string text_of(const Type& type) {
  if (type.is_array()) return fmt::format("[{}]{}", type.extent, text_of(type.element()));
  if (type.is_scalar()) return std::string(name_of(type.scalar));
  std::string text;
  for (const Type& part : type.parts) text += (text.empty() ? "(" : ", ") + text_of(part);
  return text + ")";
}

Code form(std::string_view hoist, std::string_view numpy, std::initializer_list<Code> codes) {
  fmt::dynamic_format_arg_store<fmt::format_context> for_hoist, for_numpy;
  for (const Code& each : codes) {
    for_hoist.push_back(each.hoist);
    for_numpy.push_back(each.numpy);
  }
  return {fmt::vformat(hoist, for_hoist), fmt::vformat(numpy, for_numpy)};
}

Code both(const std::string& text) { return {text, text}; }

void append(Code& list, const Code& item) {
  if (!list.hoist.empty()) list.hoist += ", ";
  if (!list.numpy.empty()) list.numpy += ", ";
  list.hoist += item.hoist;
  list.numpy += item.numpy;
}

Code number(Scalar type, const std::string& digits) {
  const std::string name(name_of(type));
  return {digits[0] == '-' ? "(" + digits + name + ")" : digits + name, fmt::format("{}({})", name, digits)};
}
Code number(Scalar type, int value) { return number(type, std::to_string(value)); }

}  // namespace hoist::testing_support
