// hoist explore: what a program may become on a device, counted, listed and sampled; hoist explain: how one
// candidate came about.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/named_values.hpp"
#include "base/parallel.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/cut_text.hpp"
#include "cli/explored.hpp"
#include "cli/numbers.hpp"
#include "cli/output.hpp"
#include "cli/plan_text.hpp"
#include "cli/streams.hpp"
#include "driver/verify.hpp"
#include "ir/print.hpp"
#include "predict/explanation.hpp"
#include "predict/models.hpp"
#include "target/kinds.hpp"
#include "variants/alternatives.hpp"

namespace hoist::cli {

namespace {

constexpr std::uint64_t most_to_list = 100000;

struct ExploreOptions {
  SpaceOptions space;
  LoweringOptions lowering;
  std::size_t sample = 0;
  std::uint64_t seed = 1;
  std::size_t jobs = usual_threads();
  std::vector<std::string> ids;
  std::string show = "term", model;
  StreamsOption streams;
  bool list = false, derivations = false, verify = false, json = false;
};

/// How many candidates each stage left, and why others went.
struct Funnel {
  const variants::Variants& space;
  std::uint64_t looked_at = 0, fitting = 0;
  std::map<std::string, std::uint64_t> discarded = {};

  void add(const variants::CandidateFacts& candidate) {
    ++looked_at;
    if (candidate.discarded.empty()) {
      ++fitting;
    } else {
      ++discarded[candidate.reason];
    }
  }
  std::string text() const {
    const variants::Stages& stages = space.stages();
    std::string result = fmt::format(
        "programs after macro rules: {}\nmapped to the device's hierarchy: {}\n"
        "with values placed in memory: {}\nwith sizes that satisfy all constraints: {}\n"
        "candidates, one for each choice of sizes: {}\n",
        stages.algorithms, stages.mapped, stages.placed, space.derivations(), space.count());
    for (const auto& [reason, count] : stages.discarded)
      result += fmt::format("programs discarded ({}): {}\n", reason, count);
    if (looked_at == 0) return result;
    result += fmt::format("candidates looked at: {}\ncompiled and within the device's limits: {}\n",
                          looked_at, fitting);
    for (const auto& [reason, count] : discarded)
      result += fmt::format("candidates discarded ({}): {}\n", reason, count);
    return result;
  }
  Json json() const {
    const variants::Stages& stages = space.stages();
    return {{"algorithms", stages.algorithms},
            {"mapped", stages.mapped},
            {"placed", stages.placed},
            {"programs_discarded", stages.discarded},
            {"derivations", space.derivations()},
            {"points", space.count()},
            {"looked_at", looked_at},
            {"fitting", fitting},
            {"discarded", discarded}};
  }
};

std::string derivation_text(const rewrite::Trace& steps) {
  std::vector<std::string> names;
  for (const rewrite::Step& step : steps) names.push_back(step.rule);
  return names.empty() ? "no macro rule" : joined(names, "; ");
}

Json row(const variants::Variants& space, const variants::CandidateFacts& candidate) {
  Json values = Json::object();
  for (const auto& [name, value] : candidate.values) values[name] = value;
  Json steps = Json::array();
  for (const rewrite::Step& step : space.steps(candidate.id)) steps.push_back(step.rule);
  Json result = {
      {"id", to_string(candidate.id)}, {"values", std::move(values)}, {"derivation", std::move(steps)}};
  if (candidate.structure) {
    const variants::Structure& s = *candidate.structure;
    result["kernels"] = s.kernels;
    result["group_size"] = s.group_size;
    result["local_memory"] = s.local_memory;
    result["barriers"] = s.barriers;
    result["loops"] = s.loops;
    result["branches"] = s.branches;
    result["global_loads"] = s.global_loads;
    result["global_stores"] = s.global_stores;
    result["local_loads"] = s.local_loads;
    result["local_stores"] = s.local_stores;
    result["access_lines"] = s.access_lines;
    result["copy_lines"] = s.copy_lines;
  }
  if (!candidate.discarded.empty()) result["discarded"] = candidate.discarded;
  return result;
}

Table candidate_table() {
  using Align = Table::Align;
  return Table({{"id", Align::Right},
                {"values"},
                {"kernels", Align::Right},
                {"group", Align::Right},
                {"local bytes", Align::Right},
                {"barriers", Align::Right},
                {"lines", Align::Right},
                {"discarded"}});
}

std::vector<std::string> cells(const variants::CandidateFacts& candidate) {
  std::vector<std::string> result{to_string(candidate.id), assignments(candidate.values)};
  if (candidate.structure) {
    const variants::Structure& s = *candidate.structure;
    for (const auto number : {static_cast<std::int64_t>(s.kernels), s.group_size, s.local_memory,
                              static_cast<std::int64_t>(s.barriers)})
      result.push_back(std::to_string(number));
    result.push_back(fmt::format("{:.1f}", std::max(s.access_lines, s.copy_lines)));
  } else {
    result.resize(result.size() + 5);
  }
  result.push_back(candidate.discarded);
  return result;
}

/// The kernels of several candidates in one source: "dot_12_345" of the candidate 12-345.
Status show_together(const Explored& explored, const ExploreOptions& options) {
  const auto language = target::language_named(options.show);
  if (!language || options.json)
    throw_user("several candidates are shown as one source", {}, "add --show host, without --json");
  lower::Options lowering = explored.lowering;
  lowering.target = in_language(std::move(lowering.target), *language);
  loop::Plan together;
  for (const std::string& text : options.ids) {
    variants::Candidate candidate = explored.space().make(id_of(explored, text), lowering);
    if (!candidate.plan) {
      note(fmt::format("note: {} is left out: {}", text, candidate.discarded));
      continue;
    }
    std::string suffix = "_" + text;
    std::replace_if(
        suffix.begin(), suffix.end(), [](unsigned char each) { return std::isalnum(each) == 0; }, '_');
    for (loop::Kernel& kernel : candidate.plan->kernels) {
      kernel.name += suffix;
      together.kernels.push_back(std::move(kernel));
    }
  }
  print(need(driver::source_of(together, lowering.target)));
  return done;
}

Status show_candidate(const Explored& explored, const ExploreOptions& options) {
  if (options.ids.size() > 1) return show_together(explored, options);
  const variants::CandidateId id = id_of(explored, options.ids.front());
  const variants::Candidate candidate = explored.space().make(id, explored.lowering);
  if (options.json) {
    Json json = row(explored.space(), candidate);
    json["term"] = ir::to_string(candidate.low);
    print_json(json);
    return done;
  }
  if (options.show == "derivation") {
    print(derivation_text(explored.space().steps(id)) + "\n");
    return done;
  }
  if (options.show == "program") {
    print(ir::to_string(explored.space().derived(id)));
    return done;
  }
  if (options.show == "term") {
    print(ir::to_string(candidate.low));
    return done;
  }
  const target::Language language = target::language_named(options.show).value();
  lower::Options lowering = explored.lowering;
  lowering.target = in_language(std::move(lowering.target), language);
  print(need(driver::compile(candidate.low, lowering)).source);
  return done;
}

Status list_derivations(const Explored& explored, bool as_json) {
  const std::vector<variants::DerivationSummary> derivations = explored.space().derivation_summaries();
  const bool has_ways = std::ranges::any_of(
      derivations, [](const variants::DerivationSummary& each) { return each.alternative > 0; });
  const bool has_parts = explored.space().alternatives() > 1 || explored.space().parts() > 1;
  Json rows = Json::array();
  std::vector<Table::Column> columns{
      {"derivation", Table::Align::Right}, {"points", Table::Align::Right}, {"steps"}};
  if (has_parts) columns.insert(columns.begin(), {"part", Table::Align::Right});
  if (has_ways) columns.insert(columns.begin(), {"way", Table::Align::Right});
  Table table(columns);
  for (const variants::DerivationSummary& each : derivations) {
    const std::string steps = each.steps.empty() ? "no macro rule" : joined(each.steps, "; ");
    Json row = {{"derivation", each.number}, {"points", each.points}, {"steps", steps}};
    std::vector<std::string> cells{std::to_string(each.number), std::to_string(each.points), steps};
    if (has_parts) {
      row["part"] = each.part;
      cells.insert(cells.begin(), std::to_string(each.part));
    }
    if (has_ways) {
      row["way"] = each.alternative;
      cells.insert(cells.begin(), std::to_string(each.alternative));
    }
    rows.push_back(std::move(row));
    table.add_row(cells);
  }
  if (as_json) {
    print_json(rows);
  } else {
    print(table.text());
  }
  return done;
}

Status explore(Session& session, const ExploreOptions& options) {
  SpaceOptions space = options.space;
  space.names_candidates = !options.ids.empty();
  const Explored explored = cli::explored(sized_program(session, space, options.lowering));
  Funnel funnel{explored.space()};
  const std::uint64_t points = explored.space().count();
  if (explored.space().is_default()) {
    const variants::Stages& stages = explored.space().stages();
    std::vector<std::string> reasons;
    for (const auto& [reason, count] : stages.discarded)
      reasons.push_back(fmt::format("{} for {}", count, reason));
    const std::string why =
        stages.algorithms <= 1
            ? "no macro rule covers the program"
            : fmt::format("macro rules derive {} programs, and all are discarded: {}", stages.algorithms - 1,
                          reasons.empty() ? "they do not fit the device's hierarchy" : joined(reasons));
    note(why +
         ". The only candidate is the default mapping. For more candidates, say how the program is computed, "
         "with mapGlb, mapWrg and mapLcl, and leave sizes open: split(?t)");
  }
  if (points == 0) {
    throw_user("no values of the tuning parameters satisfy all constraints", explored.space().emptied_by(),
               "choose other sizes or wider bounds");
  }
  if (!options.ids.empty()) return show_candidate(explored, options);
  if (options.derivations) return list_derivations(explored, options.json);
  if (options.list && points > most_to_list) {
    throw_user(fmt::format("there are {} candidates, and --list prints at most {}", points, most_to_list), {},
               "draw some of them: --sample 1000, or bound the tuning parameters: --bound t=8:64");
  }
  const std::size_t wanted = options.list ? static_cast<std::size_t>(points) : options.sample;
  Table table = candidate_table();
  Json rows = Json::array();
  const auto looked_at = explored.space().look_at_all(explored.space().sample(wanted, options.seed),
                                                      explored.lowering, options.jobs);
  for (const variants::CandidateFacts& candidate : looked_at) {
    funnel.add(candidate);
    if (options.json) {
      rows.push_back(row(explored.space(), candidate));
    } else {
      table.add_row(cells(candidate));
    }
  }
  if (options.json) {
    print_json({{"funnel", funnel.json()}, {"candidates", std::move(rows)}});
    return done;
  }
  print((wanted == 0 ? "" : table.text() + "\n") + funnel.text());
  return done;
}

/// What a model thinks of the candidate; nothing where there is no model.
struct Thought {
  std::string device_class;
  std::string others;  ///< the processors that it has learned on, where this is none of them
  predict::SpeedExplanation speed;
};
std::optional<Thought> thought_of(const Explored& explored, const variants::CandidateId& id,
                                  const ExploreOptions& options) {
  const auto chosen = options.model.empty()
                          ? need(predict::model_for(explored.device(), nullptr))
                          : std::optional(need(predict::model_of_file(options.model, explored.device())));
  if (!chosen) return std::nullopt;
  return Thought{chosen->device_class, predict::other_processors(*chosen, explored.device()),
                 need(predict::explain_speed(explored.space(), id, explored.program, chosen->model,
                                             explored.device(), options.seed))};
}

Json thought_json(const Thought& thought) {
  Json features = Json::array();
  for (const model::Contribution& each : thought.speed.contributions)
    features.push_back({{"feature", each.feature},
                        {"candidate", each.candidate},
                        {"default", each.other},
                        {"log_speedup", each.value}});
  return {{"model", thought.device_class},
          {"learned_on_other_processors", thought.others},
          {"speedup", std::exp(thought.speed.log_speedup)},
          {"deviation", thought.speed.deviation},
          {"outside", thought.speed.outside},
          {"features", std::move(features)}};
}

std::string thought_text(const Thought& thought) {
  using enum Table::Align;
  constexpr std::size_t most = 8;
  const predict::SpeedExplanation& speed = thought.speed;
  std::string text = fmt::format(
      "\nThe model for {} expects {:.2f} times the default mapping's speed (give or take {:.0f}%):\n",
      thought.device_class, std::exp(speed.log_speedup), 100 * std::expm1(speed.deviation));
  Table table({{"feature"}, {"default", Right}, {"candidate", Right}, {"speed", Right}});
  for (std::size_t i = 0; i < std::min(most, speed.contributions.size()); ++i) {
    const model::Contribution& each = speed.contributions[i];
    table.add_row({each.feature, fmt::format("{:.4g}", each.other), fmt::format("{:.4g}", each.candidate),
                   fmt::format("x {:.2f}", std::exp(each.value))});
  }
  text += table.text();
  if (!thought.others.empty())
    text += fmt::format("The model has learned on another processor, {}: it is less sure here.\n",
                        thought.others);
  if (!speed.outside.empty())
    text += fmt::format("outside the range that the model has learned from: {}\n", joined(speed.outside));
  return text;
}

/// The steps that led to a candidate, each done again. Throws Failure: they do not give its program.
rewrite::Trace steps_again(const Explored& explored, const variants::CandidateId& id) {
  const rewrite::Trace steps = explored.space().steps(id);
  const ir::Program derived = explored.space().derived(id);
  const ir::Program again = steps.empty() ? derived : need(variants::replay(explored.program, steps));
  if (again.function != derived.function)
    throw_user(fmt::format("repeating the derivation of {} does not give the same program", to_string(id)));
  return steps;
}

Json steps_json(const rewrite::Trace& steps) {
  Json rows = Json::array();
  for (const rewrite::Step& step : steps) {
    rows.push_back({{"rule", step.rule},
                    {"at", rewrite::to_string(step.path)},
                    {"from", ir::to_string(step.before)},
                    {"to", ir::to_string(step.after)}});
  }
  return rows;
}

/// The program, and each step with what it makes of it.
std::string steps_text(const ir::Program& program, const rewrite::Trace& steps) {
  std::string text = fmt::format("{}\n", ir::to_string(program));
  ir::Program after = program;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const rewrite::Step& step = steps[i];
    after = need(variants::replay(after, {step}));
    text += fmt::format("{}. {} at {}\n{}\n", i + 1, step.rule, rewrite::to_string(step.path),
                        ir::to_string(after));
  }
  return text;
}

std::string values_text(const driver::NamedSizes& values) {
  return values.empty() ? "No size is left open.\n" : fmt::format("With {}.\n", named_values_text(values));
}

/// How a plan is cut into tasks: that of a candidate, or of the default mapping.
Status explain_streams(Session& session, const ExploreOptions& options) {
  SizedProgram sized = sized_program(session, options.space, options.lowering);
  const ir::Program program = sized.program;
  const target::Target device = sized.exploration.target;
  Json facts{{"program", program.name}};
  std::string text;
  std::size_t number = 1;
  loop::Plan plan;
  if (options.ids.empty()) {
    text = fmt::format("{}\nThe default mapping.\n", ir::to_string(program));
    plan = need(driver::compile(program, {.lowering = sized.lowering, .last = driver::Stage::Loop})).plan;
  } else {
    const Explored explored = cli::explored(std::move(sized));
    const variants::CandidateId id = id_of(explored, options.ids.front());
    const rewrite::Trace steps = steps_again(explored, id);
    const driver::NamedSizes values = explored.space().named_values(id);
    const variants::Candidate made = explored.space().make(id, explored.lowering);
    if (!made.plan)
      throw_user(fmt::format("{} is discarded: {}", to_string(id), made.discarded), {}, "name another");
    plan = *made.plan;
    text = steps_text(program, steps) + values_text(values);
    number += steps.size();
    facts.update({{"id", to_string(id)}, {"steps", steps_json(steps)}, {"values", values}});
  }
  const auto choice = stream_options(options.streams, plan, device, device.compute_units);
  const CutStep step{need(execute::streamed_plan(plan, choice)),
                     static_cast<std::size_t>(tasks::most_tasks(plan)),
                     std::max<std::size_t>(device.compute_units, 1)};
  text += fmt::format("{}. {}(tasks, partitions) of its plan\n{}", number, cut_step_name, cut_text(step));
  facts["streams"] = cut_json(step);
  if (options.verify) {
    const std::string verified = verified_cut(program, plan, step.streamed, options.seed);
    text += verified + "\n";
    facts["verified"] = verified;
  }
  if (options.json) {
    print_json(facts);
  } else {
    print(text);
  }
  return done;
}

Status explain(Session& session, const ExploreOptions& options) {
  check_streams(options.streams);
  if (options.streams.is_given()) return explain_streams(session, options);
  if (options.verify) throw_user("--verify needs --streams", {}, "without tasks there is nothing to run");
  if (options.ids.empty())
    throw_user("--id is missing", {}, "name a candidate of hoist explore, or give --streams P,T");
  const Explored explored = cli::explored(sized_program(session, options.space, options.lowering));
  const std::string& given = options.ids.front();
  const variants::CandidateId id = id_of(explored, given);
  const rewrite::Trace steps = steps_again(explored, id);
  const driver::NamedSizes values = explored.space().named_values(id);
  const std::string discarded = explored.space().make(id, explored.lowering).discarded;
  const std::optional<Thought> thought = thought_of(explored, id, options);
  if (options.json) {
    print_json({{"id", given},
                {"steps", steps_json(steps)},
                {"program", ir::to_string(explored.space().derived(id))},
                {"values", values},
                {"discarded", discarded},
                {"predicted", thought ? thought_json(*thought) : Json()}});
    return done;
  }
  std::string text = steps_text(explored.program, steps) + values_text(values);
  if (!discarded.empty()) text += fmt::format("It is discarded: {}.\n", discarded);
  if (thought) text += thought_text(*thought);
  print(text);
  return done;
}

/// What --show takes: stages of the derivation, and the languages of sources.
std::vector<std::string> shown_forms() {
  std::vector<std::string> forms = target::names_of_kinds();
  forms.insert(forms.begin(), {"term", "program", "derivation"});
  return forms;
}

}  // namespace

void add_explore(CLI::App& app, Session& session) {
  auto options = std::make_shared<ExploreOptions>();
  CLI::App* command =
      app.add_subcommand("explore", "Count, list or sample what a program may become on a device");
  add_space_options(*command, options->space, options->lowering);
  command->add_flag("--json", options->json, "Print the facts as JSON");
  command
      ->add_option(
          "--sample", options->sample,
          "Draw this many candidates at random, equally many of each derivation; with --space stencil "
          "each is as likely as any other")
      ->option_text("N");
  command->add_option("--seed", options->seed, "The seed of the sample (1)")->option_text("SEED");
  command->add_option("--jobs", options->jobs, "Threads that look at candidates (as many as the machine has)")
      ->option_text("N")
      ->check(above_zero());
  command->add_flag("--list", options->list, "Print all candidates");
  command->add_flag("--derivations", options->derivations,
                    "List the derivations, each with the number of its candidates");
  command
      ->add_option("--id", options->ids,
                   "Print one candidate; where it is repeated, all of them as one source by --show")
      ->option_text("ID")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      ->add_option("--show", options->show,
                   "What to print of the candidate: its term, the program with open sizes, its derivation, "
                   "or its source")
      ->option_text(joined(shown_forms(), "|"))
      ->check(CLI::IsMember(shown_forms()));
  command->footer(
      "A program in high-level patterns is rewritten by macro rules, mapped to the device's hierarchy and "
      "its values are\n"
      "placed in memory. Sizes stay open, such as those of tiles; patterns and the device's limits constrain "
      "them.\n"
      "Each choice of the open sizes is a candidate. Candidates are counted without being listed; their ids "
      "are the\n"
      "same in every run and on every machine. Where a program says how it is computed, only its open sizes "
      "?t are\n"
      "explored.\n\n"
      "Examples:\n"
      "  hoist explore kernels/matmul_nn.hoist M=1024 N=1024 K=1024\n"
      "  hoist explore kernels/matmul_nn.hoist M=1024 N=1024 K=1024 --sample 20 --seed 7\n"
      "  hoist explore kernels/matmul_nn.hoist M=1024 N=1024 K=1024 --id 12-345 --show cuda\n"
      "  hoist explore tiled.hoist N=4096 --list --bound t=32:256 --device opencl:0\n"
      "  hoist explore kernels/jacobi3d7.hoist D=256 H=256 W=256 --space stencil --sample 20");
  command->callback(
      [&session, options] { session.action = [&session, options] { return explore(session, *options); }; });
}

void add_explain(CLI::App& app, Session& session) {
  auto options = std::make_shared<ExploreOptions>();
  CLI::App* command =
      app.add_subcommand("explain", "Show and replay the steps that led to a candidate of hoist explore");
  add_space_options(*command, options->space, options->lowering);
  command->add_flag("--json", options->json, "Print the facts as JSON");
  options->space.looks_at_features = true;
  options->space.names_candidates = true;
  command->add_option("--id", options->ids, "The candidate")->option_text("ID")->expected(1);
  add_streams_options(*command, options->streams);
  command->add_flag(
      "--verify", options->verify,
      "With --streams: run the tasks in the loop interpreter on random inputs, for small sizes");
  command
      ->add_option("--model", options->model,
                   "The model that predicts its speed; otherwise the one that ships for the device")
      ->option_text("FILE");
  command->footer(
      "Every step is done again before it is shown. Where there is a model of speed for the device, its "
      "features say why\n"
      "it should be faster or slower than the default mapping.\n\n"
      "With --streams the step by which its plan, or that of the default mapping, is cut into tasks follows: "
      "which\n"
      "iterations each runs, on which elements, and what shows that they compute the same.\n\n"
      "Examples:\n"
      "  hoist explain kernels/matmul_nn.hoist M=1024 N=1024 K=1024 --id 12-345\n"
      "  hoist explain kernels/jacobi2d5.hoist H=4096 W=4096 --streams 2,8\n"
      "  hoist explain kernels/jacobi2d5.hoist H=64 W=32 --streams 2,8 --verify");
  command->callback(
      [&session, options] { session.action = [&session, options] { return explain(session, *options); }; });
}

}  // namespace hoist::cli
