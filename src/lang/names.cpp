#include "lang/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/spelling.hpp"

namespace hoist::lang {
namespace {

using namespace syntax;

constexpr std::pair<std::string_view, Word> words[] = {
    {"id", Word::Identity},
    {"associative", Word::Associative},
    {"commutative", Word::Commutative},
    {"vectorize", Word::Vectorize},
    {"size", Word::Size},
    {"ceildiv", Word::CeilingDivide},
    {"exactdiv", Word::ExactDivide},
    {"clamp", Word::Clamp},
    {"mirror", Word::Mirror},
    {"wrap", Word::Wrap},
};

void add_once(std::vector<std::string_view>& names, std::string_view name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

}  // namespace

Global builtin_named(std::string_view name) {
  if (const auto op = ir::primitive_named(name)) return *op;
  if (const auto op = scalar_op_named(name)) return *op;
  if (const auto scalar = scalar_named(name)) return *scalar;
  for (const auto& [text, word] : words) {
    if (text == name) return word;
  }
  return std::monostate{};
}

Globals::Globals(const File& prelude, const File& file) {
  for (const Definition& definition : prelude.definitions) {
    prelude_.emplace(definition.name, &definition);
    prelude_definitions_.insert(&definition);
  }
  for (const Definition& definition : file.definitions) file_.emplace(definition.name, &definition);
}

Global Globals::find(std::string_view name, bool in_prelude) const {
  if (!in_prelude) {
    const auto found = file_.find(name);
    if (found != file_.end()) return found->second;
  }
  const auto found = prelude_.find(name);
  if (found != prelude_.end()) return found->second;
  return builtin_named(name);
}

std::string Globals::suggestion(std::string_view name, const std::vector<std::string_view>& local) const {
  std::vector<std::string_view> known = local;
  for (const auto& [candidate, definition] : file_) known.push_back(candidate);
  for (const auto& [candidate, definition] : prelude_) known.push_back(candidate);
  for (const ir::Primitive& primitive : ir::all_primitives()) known.push_back(primitive.name);
  for (const ScalarOpInfo& scalar : all_scalar_ops()) known.push_back(scalar.name);
  for (const auto& [candidate, word] : words) known.push_back(candidate);
  for (Scalar scalar : all_scalars) known.push_back(name_of(scalar));
  const std::string_view nearest = closest(name, known, std::max<std::size_t>(1, name.size() / 3));
  return nearest.empty() ? std::string() : fmt::format("did you mean '{}'?", nearest);
}

void collect_size_names(const Expression& expression, std::vector<std::string_view>& names) {
  const auto visit = [&](const Expression* child) { collect_size_names(*child, names); };
  if (const auto* name = expression.as<Name>()) {
    add_once(names, name->name);
  } else if (const auto* binary = expression.as<Binary>()) {
    visit(binary->left);
    visit(binary->right);
  } else if (const auto* unary = expression.as<Unary>()) {
    visit(unary->operand);
  } else if (const auto* apply = expression.as<Apply>()) {
    for (const Expression* argument : apply->arguments) visit(argument);
  } else if (const auto* conditional = expression.as<If>()) {
    visit(conditional->condition);
    visit(conditional->then_expression);
    visit(conditional->else_expression);
  }
}

void collect_size_names(const Type& type, std::vector<std::string_view>& names) {
  if (type.size != nullptr) collect_size_names(*type.size, names);
  for (const Type* element : type.elements) collect_size_names(*element, names);
}

void collect_bound_names(const Pattern& pattern, std::vector<std::string_view>& names) {
  if (!pattern.name.empty()) names.push_back(pattern.name);
  for (const Pattern* component : pattern.components) collect_bound_names(*component, names);
}

}  // namespace hoist::lang
