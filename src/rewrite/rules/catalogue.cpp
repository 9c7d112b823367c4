#include "rewrite/rules/catalogue.hpp"

#include <fmt/format.h>

#include <string>
#include <unordered_map>

#include "base/error.hpp"
#include "ir/term.hpp"
#include "rewrite/rule_reader.hpp"
#include "rewrite/rules/tables.hpp"

namespace hoist::rewrite {

const std::vector<Rule>& all_rules() {
  static const std::vector<Rule> rules = [] {
    // The types that rules are validated with die with this arena.
    const ir::Arena arena;
    std::vector<Rule> all;
    for (const RuleTable& table : rule_tables()) {
      for (const RuleText& text : table.rules) all.push_back(read_rule(text, table.subject));
    }
    return all;
  }();
  return rules;
}

const Rule* rule_named(std::string_view name) {
  static const auto by_name = [] {
    std::unordered_map<std::string_view, const Rule*> names;
    for (const Rule& rule : all_rules()) {
      if (!names.emplace(rule.name, &rule).second) throw Bug("two rules are called " + rule.name);
    }
    return names;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

const Rule& known_rule(std::string_view name) {
  const Rule* rule = rule_named(name);
  if (rule == nullptr) throw Bug(fmt::format("there is no rule {}", name));
  return *rule;
}

}  // namespace hoist::rewrite
