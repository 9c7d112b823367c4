// hoist rules: the rewrite rules and strategies that there are.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "rewrite/rules/catalogue.hpp"
#include "rewrite/strategies/catalogue.hpp"

namespace hoist::cli {

namespace {

struct RulesOptions {
  std::string subject;
  bool json = false;
};

std::string floats_text(const rewrite::Rule& rule) {
  return rule.floats == rewrite::Floats::Exact ? "exact" : "reassociates";
}

std::vector<const rewrite::Rule*> rules_of(const std::string& subject) {
  std::vector<const rewrite::Rule*> found;
  std::vector<std::string> subjects;
  for (const rewrite::Rule& rule : rewrite::all_rules()) {
    if (subject.empty() || rule.subject == subject) found.push_back(&rule);
    if (subjects.empty() || subjects.back() != rule.subject) subjects.push_back(rule.subject);
  }
  if (found.empty()) {
    throw_user(fmt::format("there are no rules on '{}'{}", subject, did_you_mean(subject, subjects)), {},
               "the subjects are " + joined(subjects));
  }
  return found;
}

std::size_t count_functions(const std::vector<const rewrite::Rule*>& rules) {
  std::size_t count = 0;
  for (const rewrite::Rule* rule : rules) count += rule->function != nullptr ? 1 : 0;
  return count;
}

Json facts_of(const std::vector<const rewrite::Rule*>& rules) {
  Json list = Json::array();
  for (const rewrite::Rule* rule : rules) {
    list.push_back({{"name", rule->name},
                    {"subject", rule->subject},
                    {"equation", rule->equation},
                    {"floats", floats_text(*rule)},
                    {"chooses", rule->chooses},
                    {"kind", rule->function != nullptr ? "function" : "pattern"}});
  }
  Json strategies = Json::array();
  for (const rewrite::StrategyEntry& each : rewrite::all_strategies()) {
    strategies.push_back({{"name", each.name},
                          {"signature", each.signature},
                          {"documentation", each.documentation},
                          {"works", each.is_local ? "at a place" : "on the program"}});
  }
  const std::size_t functions = count_functions(rules);
  return {{"rules", std::move(list)},
          {"pattern_rules", rules.size() - functions},
          {"function_rules", functions},
          {"strategies", std::move(strategies)}};
}

std::string text(const std::vector<const rewrite::Rule*>& rules) {
  std::string result, subject;
  for (const rewrite::Rule* rule : rules) {
    if (rule->subject != subject) result += fmt::format("{}{}\n", subject.empty() ? "" : "\n", rule->subject);
    subject = rule->subject;
    result += fmt::format("  {}{}{}\n    {}\n", rule->name,
                          rule->floats == rewrite::Floats::Exact ? "" : "  (reassociates floats)",
                          rule->function != nullptr ? "  (function)" : "", rule->equation);
  }
  const std::size_t functions = count_functions(rules);
  result += fmt::format("\n{} rules: {} patterns, {} functions\n\nstrategies\n", rules.size(),
                        rules.size() - functions, functions);
  for (const rewrite::StrategyEntry& each : rewrite::all_strategies()) {
    result += fmt::format("  {}\n    {}\n", each.signature, each.documentation);
  }
  return result;
}

}  // namespace

void add_rules(CLI::App& app, Session& session) {
  auto options = std::make_shared<RulesOptions>();
  CLI::App* command = app.add_subcommand("rules", "List the rewrite rules and strategies");
  command->add_option("--subject", options->subject, "Only the rules on this subject")
      ->option_text("SUBJECT");
  command->add_flag("--json", options->json, "Print the facts as JSON");
  command->footer(
      "A rule is an equation: where its left side stands its right side may. Names are any functions, data "
      "and\n"
      "sizes; ?t is a size that the rule leaves to tuning. src/rewrite/rules/README.md explains each.\n\n"
      "Examples:\n"
      "  hoist rules\n"
      "  hoist rules --subject stencil");
  command->callback([&session, options] {
    session.action = [options] {
      const auto rules = rules_of(options->subject);
      if (options->json) {
        print_json(facts_of(rules));
      } else {
        print(text(rules));
      }
      return done;
    };
  });
}

}  // namespace hoist::cli
