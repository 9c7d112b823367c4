// hoist rewrite: applies a rule or a strategy to a program and prints what becomes of it.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/program_file.hpp"
#include "ir/print.hpp"
#include "rewrite/rules/catalogue.hpp"
#include "rewrite/strategies/catalogue.hpp"

namespace hoist::cli {

namespace {

using rewrite::Path;
using rewrite::Redex;
using rewrite::Strategy;

struct RewriteOptions {
  ProgramOptions program;
  std::string rule, strategy, at, choices;
  bool everywhere = false, trace = false, json = false;
};

/// What is to be done, and where it may be done.
struct Task {
  std::string name;  ///< for messages
  Strategy strategy;
  bool is_local = true;
  std::vector<arith::Expr> choices;
};

Task task_of(const RewriteOptions& options) {
  if (options.rule.empty() == options.strategy.empty())
    throw_user("hoist rewrite needs a rule or a strategy", {},
               "give --rule NAME or --strategy NAME; hoist rules lists them");
  Task task;
  std::vector<std::string> names;
  if (!options.rule.empty()) {
    const rewrite::Rule* found = rewrite::rule_named(options.rule);
    if (found == nullptr) {
      for (const rewrite::Rule& each : rewrite::all_rules()) names.push_back(each.name);
      throw_user(fmt::format("there is no rule '{}'{}", options.rule, did_you_mean(options.rule, names)), {},
                 "hoist rules lists them");
    }
    task.name = found->name;
    task.strategy = rewrite::rule(*found);
  } else {
    const std::string name = options.strategy.substr(0, options.strategy.find('('));
    for (const rewrite::StrategyEntry& each : rewrite::all_strategies()) names.emplace_back(each.name);
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw_user(fmt::format("there is no strategy '{}'{}", name, did_you_mean(name, names)), {},
                 "the strategies are " + joined(names));
    rewrite::NamedStrategy named = need(rewrite::strategy_from_text(options.strategy));
    task = {options.strategy, std::move(named.strategy), named.entry->is_local, std::move(named.choices)};
  }
  if (!options.choices.empty()) task.choices = need(rewrite::sizes_from_text(options.choices));
  return task;
}

std::string shortened(std::string text) {
  constexpr std::size_t longest = 90;
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (text.size() > longest) text = text.substr(0, longest - 4) + " ...";
  return text;
}

std::string listed(const std::vector<Redex>& places) {
  std::string text;
  for (const Redex& each : places) {
    text += fmt::format("{}  --at {:<12} {}", text.empty() ? "" : "\n", rewrite::to_string(each.path),
                        shortened(ir::to_string(each.term)));
  }
  return text;
}

/// The one place that is meant.
Path place_of(const RewriteOptions& options, const Task& task, ir::Term body,
              const rewrite::Context& context) {
  const std::vector<Redex> possible = rewrite::redexes(body, task.strategy, context);
  std::vector<Redex> found = possible;
  if (!options.at.empty()) {
    if (auto path = need(rewrite::path_from_text(options.at))) return *path;
    const rewrite::Law pattern = need(rewrite::read_law(options.at + " ==> " + options.at, ""));
    const Strategy is_instance = [&pattern](ir::Term term, rewrite::Context&) -> rewrite::Outcome {
      rewrite::Bindings bindings;
      if (rewrite::match(pattern, term, bindings)) return term;
      return rewrite::declined("it is not an instance of the pattern");
    };
    found = rewrite::redexes(body, is_instance, context);
    if (found.empty()) throw_user(fmt::format("nothing in the program has the form of '{}'", options.at));
  }
  if (found.empty()) {
    rewrite::Context trial = context;
    const rewrite::Outcome outcome = rewrite::top_down(task.strategy)(body, trial);
    throw_user(fmt::format("{} fits nowhere in the program", task.name),
               outcome ? "" : outcome.error().reason);
  }
  if (found.size() == 1) return found[0].path;
  throw_user(fmt::format("{} {} {} places", options.at.empty() ? task.name : "'" + options.at + "'",
                         options.at.empty() ? "fits at" : "stands at", found.size()),
             listed(found), "choose one with --at, or all of them with --everywhere");
}

Json steps_json(const rewrite::Trace& trace) {
  Json steps = Json::array();
  for (const rewrite::Step& step : trace) {
    steps.push_back({{"rule", step.rule},
                     {"at", rewrite::to_string(step.path)},
                     {"from", ir::to_string(step.before)},
                     {"to", ir::to_string(step.after)}});
  }
  return steps;
}

Status run(Session& session, const RewriteOptions& options) {
  ir::Program program = read_program(session, options.program);
  program = need(driver::with_sizes(program, read_sizes(program, options.program.values)));
  const Task task = task_of(options);
  const ir::Term body = program.function.as<ir::Lambda>()->body;
  rewrite::Context context(program.function);
  context.choices = task.choices;
  Strategy strategy = task.strategy;
  if (options.everywhere) {
    if (!options.at.empty()) throw_user("--at and --everywhere contradict each other");
    strategy = rewrite::everywhere(task.strategy);
  } else if (task.is_local || !options.at.empty()) {
    strategy = rewrite::at_path(place_of(options, task, body, context), task.strategy);
  }
  const auto result = rewrite::rewrite(program, strategy, task.choices);
  if (!result) {
    const std::string where = options.at.empty() ? "" : " at " + options.at;
    throw_user(fmt::format("{} declines{}", task.name, where), result.error().reason);
  }
  const std::string text = ir::to_string(result->program);
  if (options.json) {
    print_json(Json{{"program", text}, {"steps", steps_json(result->trace)}});
    return done;
  }
  if (options.trace) note(rewrite::to_string(result->trace));
  print(text);
  return done;
}

}  // namespace

void add_rewrite(CLI::App& app, Session& session) {
  auto options = std::make_shared<RewriteOptions>();
  CLI::App* command =
      app.add_subcommand("rewrite", "Apply a rewrite rule or a strategy; print the program that results");
  add_program_options(*command, options->program, "Sizes to put in: N=1024; tuning parameters: t=16");
  command->add_option("--rule", options->rule, "The rule to apply once; hoist rules lists them")
      ->option_text("NAME");
  command->add_option("--strategy", options->strategy, "The strategy to apply: fuse, or tile(2,[?a,?b])")
      ->option_text("STRATEGY");
  command
      ->add_option("--at", options->at,
                   "Where: a path such as 0.1.0, root, or a pattern that stands at one place only")
      ->option_text("PLACE");
  command->add_flag("--everywhere", options->everywhere,
                    "At every place where it fits, from the inside to the outside");
  command
      ->add_option("--choose", options->choices,
                   "The sizes that rules choose, in order: 16,?t; otherwise parameters")
      ->option_text("SIZES");
  command->add_flag("--trace", options->trace, "Print each step to standard error");
  command->add_flag("--json", options->json, "Print the program and the steps as JSON");
  command->footer(
      "A rule that fits at several places lists them. What is printed is a program again.\n\n"
      "Examples:\n"
      "  hoist rewrite kernels/dot.hoist --rule split_reduce\n"
      "  hoist rewrite kernels/matmul_nn.hoist --strategy 'tile(2,[?rows,?columns])' --at root\n"
      "  hoist rewrite kernels/matmul_nn.hoist --rule map_seq --at 'x |> map(f)' --trace\n"
      "  hoist rewrite kernels/dot.hoist --strategy fuse | hoist check -");
  command->callback(
      [&session, options] { session.action = [&session, options] { return run(session, *options); }; });
}

}  // namespace hoist::cli
