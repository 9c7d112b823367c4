#include "rewrite/rule.hpp"

#include <fmt/format.h>

#include <unordered_map>

#include "base/error.hpp"
#include "ir/print.hpp"
#include "rewrite/pattern_types.hpp"
#include "rewrite/rules/tables.hpp"

namespace hoist::rewrite {

using ir::Term;

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
    rule.law = read_law(text.law, text.given);
    rule.conditions = read_conditions(rule.law, text.when);
    for (const Metavariable& each : rule.law.metavariables) {
      if (each.is_chosen) rule.chooses.push_back(each.name);
    }
    check_types(rule);
  });
  if (!read) throw_user(fmt::format("rule {}: {}", text.name, read.error().render()));
  return rule;
}

namespace {

Outcome rewritten(const Rule& rule, Term term, Context& context) {
  Bindings bindings;
  if (!match(rule.law, term, bindings)) return declined("it does not have the form of " + rule.name);
  std::vector<arith::Expr> all_choices = context.choices;
  for (std::size_t i = 0; i < rule.law.metavariables.size(); ++i) {
    const Metavariable& each = rule.law.metavariables[i];
    // A size that is declared but that nothing of the left determines is caught when the rule is read.
    if (each.is_chosen) bindings.sizes[i] = context.choose(each.name);
  }
  for (const Condition& condition : rule.conditions) {
    if (auto reason = violation(condition, bindings, context)) {
      context.choices = std::move(all_choices);
      return declined(rule.name + ": " + *reason);
    }
  }
  try {
    return instantiate(rule.law, bindings);
  } catch (const Failure& failure) {
    context.choices = std::move(all_choices);
    return declined(rule.name + ": " + failure.error().diagnostics.front().message);
  }
}

}  // namespace

Outcome apply(const Rule& rule, Term term, Context& context) {
  Outcome result = rule.function != nullptr ? rule.function(term, context) : rewritten(rule, term, context);
  if (!result) return result;
  if (!ir::is_equal(term.type(), result->type())) {
    return declined(fmt::format("{}: {} is not proven to be {}", rule.name, ir::to_string(result->type()),
                                ir::to_string(term.type())));
  }
  context.trace.push_back({rule.name, context.path, term, *result});
  return result;
}

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
