#include "rewrite/rule_reader.hpp"

#include <fmt/format.h>

#include "base/need.hpp"
#include "rewrite/pattern_types.hpp"

namespace hoist::rewrite {

Rule read_rule(const RuleText& text, std::string_view subject) {
  Rule rule;
  rule.name = text.name;
  rule.subject = subject;
  rule.equation = text.law;
  if (!text.given.empty()) rule.equation += fmt::format("  given {}", text.given);
  if (!text.when.empty()) rule.equation += fmt::format("  when {}", text.when);
  rule.floats = text.floats;
  rule.function = text.function;
  if (rule.function != nullptr) return rule;
  const auto read = catch_failure([&] {
    rule.law = need(read_law(text.law, text.given));
    rule.conditions = read_conditions(rule.law, text.when);
    for (const Metavariable& each : rule.law.metavariables) {
      if (each.is_chosen) rule.chooses.push_back(each.name);
    }
    check_types(rule);
  });
  if (!read) throw_user(fmt::format("rule {}: {}", text.name, read.error().render()));
  return rule;
}

}  // namespace hoist::rewrite
