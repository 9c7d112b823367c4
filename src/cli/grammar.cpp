#include "cli/grammar.hpp"

#include <fmt/format.h>

#include <set>

#include "base/scalar.hpp"
#include "ir/primitive.hpp"
#include "lang/lang.hpp"

namespace hoist::cli {

namespace {

/// "(?:a|b|c)".
std::string one_of(const std::vector<std::string>& alternatives) {
  return "(?:" + joined(alternatives, "|") + ")";
}
std::string word_of(const std::vector<std::string>& names) { return "\\b" + one_of(names) + "\\b"; }

/// The text itself, of which a regular expression would take some letters for its own.
std::string escaped(std::string_view text) {
  std::string result;
  for (char letter : text) {
    if (std::string_view("|*+?.^()[]{}\\$/").find(letter) != std::string_view::npos) result += '\\';
    result += letter;
  }
  return result;
}

std::vector<std::string> names_of_scalars() {
  std::vector<std::string> names;
  for (Scalar scalar : all_scalars) names.emplace_back(name_of(scalar));
  return names;
}

std::vector<std::string> names_of_patterns(ir::Level level) {
  std::vector<std::string> names;
  for (const ir::Primitive& primitive : ir::all_primitives()) {
    if (primitive.level == level) names.emplace_back(primitive.name);
  }
  return names;
}

std::vector<std::string> names_of_functions() {
  std::vector<std::string> names;
  for (const ScalarOpInfo& operation : all_scalar_ops()) names.emplace_back(operation.name);
  return names;
}

std::vector<std::string> names_of_the_prelude() {
  std::vector<std::string> names;
  for (const lang::PreludeDefinition& definition : lang::prelude_definitions())
    names.push_back(definition.name);
  return names;
}

Json rule(std::string_view scope, const std::string& expression) {
  return {{"name", fmt::format("{}.hoist", scope)}, {"match", expression}};
}

/// `def` and the name that it defines.
Json definition_rule() {
  return {{"match", "\\b(def)\\s+([A-Za-z_]\\w*)"},
          {"captures",
           {{"1", {{"name", "keyword.control.hoist"}}}, {"2", {{"name", "entity.name.function.hoist"}}}}}};
}

}  // namespace

Json textmate_grammar() {
  const std::set<std::string_view> punctuation{"(", ")", "[", "]", ",", ":", ".", "?"};
  std::vector<std::string> operators, keywords, constants, words;
  for (std::string_view symbol : lang::symbols()) {
    if (!punctuation.contains(symbol)) operators.push_back(escaped(symbol));
  }
  for (std::string_view keyword : lang::keywords())
    (keyword == "true" || keyword == "false" ? constants : keywords).emplace_back(keyword);
  for (std::string_view word : lang::words_of_the_language()) words.emplace_back(word);
  const std::string scalar = one_of(names_of_scalars());

  // What comes first is tried first.
  Json rules = Json::object();
  rules["comment"] = rule("comment.line.double-slash", "//.*$");
  rules["definition"] = definition_rule();
  rules["keyword"] = rule("keyword.control", word_of(keywords));
  rules["constant"] = rule("constant.language", word_of(constants) + "|\\b(?:inf|nan)(?:f32|f64)?\\b");
  rules["type"] =
      rule("storage.type", fmt::format("\\b{}(?:x(?:\\d+|[A-Z]\\w*)?)?\\b|(?<!\\w)_(?!\\w)", scalar));
  rules["hole"] = rule("variable.parameter", "\\?[A-Za-z_]\\w*(?:@\\d+)?");
  rules["number"] =
      rule("constant.numeric", fmt::format("\\b\\d+(?:\\.\\d+)?(?:[eE][-+]?\\d+)?{}?\\b", scalar));
  rules["high-level-pattern"] =
      rule("support.function.high-level", word_of(names_of_patterns(ir::Level::High)));
  rules["layout-pattern"] = rule("support.function.layout", word_of(names_of_patterns(ir::Level::Layout)));
  rules["low-level-pattern"] = rule("support.function.low-level", word_of(names_of_patterns(ir::Level::Low)));
  rules["scalar-function"] = rule("support.function.scalar", word_of(names_of_functions()));
  rules["prelude"] = rule("support.function.prelude", word_of(names_of_the_prelude()));
  rules["word"] = rule("support.constant", word_of(words));
  rules["operator"] = rule("keyword.operator", one_of(operators));
  Json order = Json::array();
  for (const auto& [name, each] : rules.items()) order.push_back({{"include", "#" + name}});
  return {{"comment", "Printed by `hoist dev grammar`; tools/update_reference.sh renews it."},
          {"name", "Hoist"},
          {"scopeName", "source.hoist"},
          {"fileTypes", Json::array({"hoist"})},
          {"patterns", std::move(order)},
          {"repository", std::move(rules)}};
}

}  // namespace hoist::cli
