// hoist evaluate: how well models predict what they have not seen.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/measurement_options.hpp"
#include "cli/numbers.hpp"
#include "cli/output.hpp"
#include "cli/output_file.hpp"
#include "cli/progress.hpp"
#include "cli/stream_models.hpp"
#include "cli/techniques.hpp"
#include "model/evaluate.hpp"
#include "model/families.hpp"
#include "predict/recorded_search.hpp"
#include "predict/stream_choosers.hpp"

namespace hoist::cli {

namespace {

/// What "roofline" predicts with.
constexpr const char* roofline_feature = "roofline_seconds";
/// The features that the papers' model has, by which programs are found to be alike, too, and what the model
/// divides them by.
constexpr const char* paper_group = "paper";
constexpr const char* paper_size = "output_bytes";
/// The families of the programs whose measurements lie beside this file.
constexpr const char* families_file = "families.json";
/// The search that models are held against.
constexpr const char* baseline_search = "genetic";

struct EvaluateOptions {
  MeasurementOptions measurements;
  std::vector<std::string> kinds, techniques, streams;
  std::string split, families, write;
  std::uint64_t seed = 1;
  double effort = 1;
  std::size_t searches = 50;
  bool ablates = false, json = false;
};

model::FitOptions fit_options(const EvaluateOptions& options, std::string_view kind,
                              const model::Schema& schema) {
  model::FitOptions fit;
  fit.seed = options.seed;
  fit.effort = options.effort;
  fit.roofline = {roofline_feature};
  if (kind != paper_group) return fit;
  for (const model::Feature& each : schema.features) {
    if (each.group != paper_group && each.name != paper_size) fit.excluded.push_back(each.name);
  }
  return fit;
}

/// The families that the options name, else those that lie beside a table of measurements, and what rows that
/// are equal say.
model::Families families_of(const EvaluateOptions& options, const model::Dataset& data) {
  std::string path = options.families;
  for (const std::string& file : options.measurements.files) {
    const auto beside = std::filesystem::path(file).parent_path() / families_file;
    if (path.empty() && std::filesystem::exists(beside)) path = beside;
  }
  return model::families_of(data, path.empty() ? model::Families() : need(model::read_families(path)),
                            paper_group);
}

std::vector<model::Split> splits_of(const model::Dataset& data, const std::string& by,
                                    const model::Families& families) {
  if (by == "program") return model::leave_programs_out(data);
  if (by == "family") return model::leave_families_out(data, families);
  if (by == "class") return model::leave_out(data, [](const model::Task& task) { return task.device_class; });
  if (by == "task")
    return model::leave_out(
        data, [](const model::Task& task) { return task.program + " " + task.sizes + task.device_class; });
  if (by == "size") return need(model::leave_largest_out(data));
  throw_user(fmt::format("--leave-out {}: that cannot be left out", by), {},
             "write program, family, task, class or size");
}

/// What needs no model: a search that learns as it goes, and chance.
std::vector<std::pair<std::string, model::CostSummary>> baselines_of(
    const predict::SearchEvaluation& searched) {
  std::vector<model::TaskCosts> random;
  for (const model::TaskCosts& each : searched.tasks) random.push_back(at_random(each));
  return {{searched.strategy, searched.summary}, {"at random", summarize_costs(random)}};
}

std::string summary_text(const std::vector<model::Evaluation>& evaluations,
                         const predict::SearchEvaluation& searched) {
  using enum Table::Align;
  Table table({{"model"},
               {"tasks", Right},
               {"correlation", Right},
               {"rank", Right},
               {"runs to 90%", Right},
               {"median", Right},
               {"worst", Right},
               {"one run", Right},
               {"runs to 95%", Right},
               {"fewer runs", Right},
               {"less time", Right},
               {"first run", Right}});
  const auto add = [&](const std::string& name, const model::CostSummary& costs, std::string correlation,
                       std::string rank, std::string one_run) {
    table.add_row({name, std::to_string(costs.tasks), std::move(correlation), std::move(rank),
                   fmt::format("{:.1f}", costs.runs_90), fmt::format("{:.0f}", costs.median_runs_90),
                   fmt::format("{:.0f}", costs.worst_runs_90), std::move(one_run),
                   fmt::format("{:.1f}", costs.runs_95), fmt::format("{:.1f}x", costs.fewer_runs_90),
                   fmt::format("{:.1f}x", costs.less_time_90), fmt::format("{:.2f}", costs.first_run)});
  };
  for (const model::Evaluation& each : evaluations)
    add(each.kind, each.summary, fmt::format("{:.3f}", each.summary.correlation),
        fmt::format("{:.3f}", each.summary.rank_correlation),
        fmt::format("{:.0f}%", 100 * each.summary.one_run_90));
  for (const auto& [name, summary] : baselines_of(searched)) add(name, summary, "", "", "");
  return table.text();
}

std::string tasks_text(const model::Evaluation& evaluation, const predict::SearchEvaluation& searched) {
  using enum Table::Align;
  std::map<model::Task, double> searched_runs;
  for (const model::TaskCosts& each : searched.tasks) searched_runs[each.task] = each.predicted_90.runs;
  Table table({{"task"},
               {"candidates", Right},
               {"correlation", Right},
               {"rank", Right},
               {"runs to 90%", Right},
               {searched.strategy, Right},
               {"at random", Right},
               {"runs to 95%", Right},
               {"first run", Right},
               {"outside", Right}});
  for (const model::TaskEvaluation& each : evaluation.tasks)
    table.add_row({fmt::format("{} {} {}", each.task.program, each.task.sizes, each.task.device_class),
                   std::to_string(each.candidates), fmt::format("{:.3f}", each.correlation),
                   fmt::format("{:.3f}", each.rank_correlation),
                   fmt::format("{:.0f}", each.predicted_90.runs),
                   fmt::format("{:.1f}", searched_runs.at(each.task)),
                   fmt::format("{:.1f}", each.random_90.runs), fmt::format("{:.0f}", each.predicted_95.runs),
                   fmt::format("{:.2f}", each.first_run), std::to_string(each.outside)});
  return table.text();
}

std::string families_text(const model::Evaluation& evaluation, const model::Families& families) {
  using enum Table::Align;
  std::map<std::string, std::vector<model::TaskEvaluation>> tasks;
  for (const model::TaskEvaluation& each : evaluation.tasks) tasks[each.split].push_back(each);
  Table table({{"family"},
               {"tasks", Right},
               {"correlation", Right},
               {"rank", Right},
               {"runs to 90%", Right},
               {"worst", Right},
               {"one run", Right},
               {"programs"}});
  for (const auto& [family, evaluated] : tasks) {
    const model::Summary summary = model::summarize(evaluated);
    table.add_row({family, std::to_string(summary.tasks), fmt::format("{:.3f}", summary.correlation),
                   fmt::format("{:.3f}", summary.rank_correlation), fmt::format("{:.2f}", summary.runs_90),
                   fmt::format("{:.0f}", summary.worst_runs_90),
                   fmt::format("{:.0f}%", 100 * summary.one_run_90),
                   fmt::format("{}", fmt::join(families.at(family), " "))});
  }
  return table.text();
}

std::string redundancy_text(const std::vector<model::Redundancy>& features) {
  using enum Table::Align;
  constexpr std::size_t most = 15;
  Table table({{"feature"}, {"group"}, {"redundancy", Right}});
  for (std::size_t i = 0; i < std::min(most, features.size()); ++i)
    table.add_row({features[i].feature, features[i].group, fmt::format("{:.3f}", features[i].value)});
  return table.text();
}

std::string ablation_text(const std::vector<model::Ablation>& ablations) {
  using enum Table::Align;
  Table table({{"without"},
               {"features", Right},
               {"correlation", Right},
               {"runs to 90%", Right},
               {"runs to 95%", Right},
               {"one run", Right}});
  for (const model::Ablation& each : ablations)
    table.add_row({each.group, std::to_string(each.features), fmt::format("{:.3f}", each.summary.correlation),
                   fmt::format("{:.1f}", each.summary.runs_90), fmt::format("{:.1f}", each.summary.runs_95),
                   fmt::format("{:.0f}%", 100 * each.summary.one_run_90)});
  return table.text();
}

Status evaluate(const EvaluateOptions& options) {
  if (!options.techniques.empty())
    return judge_techniques({options.techniques, options.split, options.write, options.seed, options.json});
  if (!options.streams.empty())
    return judge_streams({options.streams, options.kinds, options.write, options.seed, options.json});
  const model::Dataset data = read_measurements(options.measurements);
  const std::string split = options.split.empty() ? "program" : options.split;
  const bool leaves_families_out = split == "family";
  const model::Families families = leaves_families_out ? families_of(options, data) : model::Families();
  const std::vector<model::Split> splits = splits_of(data, split, families);
  std::vector<std::string> kinds = options.kinds;
  if (kinds.empty()) {
    for (const model::Kind& each : model::kinds()) kinds.emplace_back(each.name);
  }
  Progress progress;
  const auto tell = [&](const std::string& what, std::size_t done, std::size_t all) {
    progress.show(fmt::format("{}, {} of {}", what, done, all));
  };
  std::vector<model::Evaluation> evaluations;
  for (const std::string& kind : kinds)
    evaluations.push_back(
        need(model::evaluate(kind, data, splits, fit_options(options, kind, data.schema), tell)));
  std::vector<model::Task> tasks;
  for (const model::TaskEvaluation& each : evaluations.front().tasks) tasks.push_back(each.task);
  const predict::SearchEvaluation searched =
      need(predict::evaluate_search(baseline_search, data, tasks, options.searches, options.seed));
  const std::vector<model::Redundancy> redundancies = model::redundancies(data);
  std::vector<model::Ablation> ablations;
  if (options.ablates)
    ablations = need(
        model::ablate(kinds.front(), data, splits, fit_options(options, kinds.front(), data.schema), tell));
  progress.end();

  nlohmann::json facts = {{"measurements", data.measurements.size()}, {"left_out", split}};
  if (leaves_families_out) facts["families"] = families;
  for (const model::Evaluation& each : evaluations) facts["models"].push_back(model::to_json(each));
  facts["searches"].push_back(predict::to_json(searched));
  facts["redundancies"] = model::to_json(redundancies);
  if (options.ablates) facts["ablations"] = model::to_json(ablations);
  if (!options.write.empty()) write_text_file(options.write, facts.dump(1) + "\n");
  if (options.json) {
    print(facts.dump(1) + "\n");
    return done;
  }
  print(
      fmt::format("{} measurements of {} tasks; models predict measurements that they have not learned from "
                  "({} left out)\n\n",
                  data.measurements.size(), data.tasks.size(), split));
  print(summary_text(evaluations, searched));
  if (leaves_families_out) {
    for (const model::Evaluation& each : evaluations)
      print("\n" + each.kind + ", family by family\n" + families_text(each, families));
  }
  print("\n" + evaluations.front().kind + ", task by task\n" + tasks_text(evaluations.front(), searched) +
        "\nWhat single features say of speed\n" + redundancy_text(redundancies));
  if (options.ablates) print("\n" + kinds.front() + " without some features\n" + ablation_text(ablations));
  return done;
}

}  // namespace

void add_evaluate(CLI::App& app, Session& session) {
  auto options = std::make_shared<EvaluateOptions>();
  CLI::App* command =
      app.add_subcommand("evaluate", "How well models predict the speed of what they have not seen");
  add_measurement_options(*command, options->measurements);
  command->add_option("--model", options->kinds, "Only these kinds of model; the first is shown task by task")
      ->option_text("KIND ...");
  command
      ->add_option(
          "--leave-out", options->split,
          "What models predict without learning from it: each program, family of programs, task or class in "
          "turn, or the largest size of each program; of techniques each stencil, pattern or dimensionality")
      ->option_text("WHAT (program)");
  command
      ->add_option(
          "--families", options->families,
          "Which programs are a family, for --leave-out family (families.json beside the data); programs "
          "with equal features are one anyway")
      ->option_text("FILE.json");
  command->add_flag("--ablate", options->ablates,
                    "Also evaluate the first kind of model without each group of features");
  command->add_option("--seed", options->seed, "The seed of the models and of the first search (1)")
      ->option_text("SEED");
  command
      ->add_option("--searches", options->searches,
                   "How many searches of each task by a genetic algorithm, for comparison, each with its own "
                   "seed (50)")
      ->check(above_zero())
      ->option_text("N");
  command
      ->add_option("--effort", options->effort, "Trees and steps of learning, as a multiple of the usual (1)")
      ->check(above_zero())
      ->option_text("X");
  command->add_option("--write", options->write, "Write the facts, with the curves, as JSON")
      ->option_text("FILE.json");
  command->add_flag("--json", options->json, "Print the facts as JSON");
  add_technique_option(*command, options->techniques,
                       {"--data", "--store", "--program", "--class", "--model", "--families", "--ablate",
                        "--searches", "--effort"});
  add_stream_tables_option(*command, options->streams,
                           {"--data", "--store", "--program", "--class", "--leave-out", "--families",
                            "--ablate", "--searches", "--effort", "--technique"});
  std::string kinds, choosers;
  for (const model::Kind& each : model::kinds()) kinds += fmt::format("  {:<12}{}\n", each.name, each.about);
  for (const predict::StreamChooserKind& each : predict::stream_chooser_kinds())
    choosers += fmt::format("  {:<12}{}\n", each.name, each.about);
  command->footer(
      "docs/model.md says what the figures mean, docs/streams-model.md those of streams.\n\nModels:\n" +
      kinds + "\nOf streams:\n" + choosers +
      "\nExamples:\n"
      "  hoist evaluate --data data/h200.csv.gz\n"
      "  hoist evaluate --store store.sqlite --model boosted --leave-out task --ablate\n"
      "  hoist evaluate --technique techniques.csv.gz --leave-out pattern\n"
      "  hoist evaluate --streams streams.csv.gz --model ours svm");
  command->callback([&session, options] { session.action = [options] { return evaluate(*options); }; });
}

}  // namespace hoist::cli
