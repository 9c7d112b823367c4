#include "ir/print_names.hpp"

#include <algorithm>
#include <array>

namespace hoist::ir {
namespace {

bool is_letter(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

/// Whether a variable is used, and whether only through its components.
struct Usage {
  bool is_used = false;
  bool is_whole = false;
};

/// The path of Gets down to the variable, innermost position first, if `term` is one.
bool is_component(Term term, std::uint32_t index, std::vector<std::uint32_t>& path) {
  if (const auto* variable = term.as<Bound>()) return variable->index == index;
  const auto* get = term.as<Get>();
  if (get == nullptr || !is_component(get->tuple, index, path)) return false;
  path.push_back(get->index);
  return true;
}

/// How the component at `path` of a variable is used in `term`.
void find_usage(Term term, std::uint32_t index, const std::vector<std::uint32_t>& path, Usage& usage) {
  if (usage.is_whole || term->loose <= index) return;
  std::vector<std::uint32_t> here;
  if (is_component(term, index, here)) {
    const bool is_inside = here.size() >= path.size() && std::equal(path.begin(), path.end(), here.begin());
    const bool is_around = here.size() < path.size() && std::equal(here.begin(), here.end(), path.begin());
    usage.is_used = usage.is_used || is_inside || is_around;
    usage.is_whole = usage.is_whole || is_around || (is_inside && here.size() == path.size());
    return;
  }
  if (const auto* lambda = term.as<Lambda>()) {
    index += static_cast<std::uint32_t>(lambda->parameters.size());
  }
  for (Term child : children(term)) find_usage(child, index, path, usage);
}

PrintedName parts_at(Type type, Term body, std::uint32_t index, std::vector<std::uint32_t>& path) {
  PrintedName name;
  if (path.empty() && !is_tuple(type)) return name;
  Usage usage;
  find_usage(body, index, path, usage);
  if (!usage.is_used && !path.empty()) name.text = unused_name;
  if (!usage.is_used || usage.is_whole || !is_tuple(type)) return name;
  for (std::uint32_t component = 0; component < type->elements.size(); ++component) {
    path.push_back(component);
    name.components.push_back(parts_at(type->elements[component], body, index, path));
    path.pop_back();
  }
  return name;
}

}  // namespace

std::string pattern(const PrintedName& name) {
  if (name.components.empty()) return name.text;
  std::string text = "(";
  for (std::size_t index = 0; index < name.components.size(); ++index) {
    text += (index == 0 ? "" : ", ") + pattern(name.components[index]);
  }
  return text + ")";
}

PrintedName parts_used(Type type, Term body, std::uint32_t index) {
  std::vector<std::uint32_t> path;
  return parts_at(type, body, index, path);
}

bool is_reserved(std::string_view name) {
  constexpr std::array<std::string_view, 27> words{
      "def",      "let",       "in",          "if",          "then",    "else",   "true",
      "false",    "id",        "size",        "_",           "wrap",    "clamp",  "mirror",
      "inf",      "nan",       "inff32",      "inff64",      "nanf32",  "nanf64", "ceildiv",
      "exactdiv", "vectorize", "associative", "commutative", "neutral", "reflect"};
  return std::find(words.begin(), words.end(), name) != words.end() || primitive_named(name) ||
         scalar_op_named(name) || scalar_named(name);
}

bool is_identifier(std::string_view name) {
  if (name.empty() || !is_letter(name[0])) return false;
  return std::all_of(name.begin(), name.end(),
                     [](char byte) { return is_letter(byte) || (byte >= '0' && byte <= '9'); });
}

std::vector<std::string> split_name(std::string_view name) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = std::min(name.find('_'), name.size());
    parts.emplace_back(name.substr(0, end));
    if (end == name.size()) return parts;
    name.remove_prefix(end + 1);
  }
}

void SizeNames::add(arith::Expr size) {
  for (arith::Expr variable : arith::variables(size)) names_.insert(variable->name);
}

void SizeNames::add(Type type) {
  if (!types_.insert(type.get()).second) return;
  if (type->size) add(type->size);
  for (Type element : type->elements) add(element);
}

void SizeNames::add(Term term) {
  if (!terms_.insert(term.get()).second) return;
  add(term.type());
  if (const auto* value = term.as<SizeValue>()) add(value->size);
  if (const auto* call = term.as<Call>()) {
    for (arith::Expr size : call->sizes) add(size);
  }
  for (Term child : children(term)) add(child);
}

}  // namespace hoist::ir
