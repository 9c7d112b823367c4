#include "cli/techniques.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/output.hpp"
#include "cli/output_file.hpp"
#include "predict/technique_evaluation.hpp"
#include "predict/technique_table.hpp"

namespace hoist::cli {

namespace {

predict::TechniqueTable read_tables(const std::vector<std::string>& files) {
  std::vector<predict::TechniqueTable> tables;
  for (const std::string& file : files) tables.push_back(need(predict::read_technique_table(file)));
  return need(predict::merge_technique_tables(tables));
}

predict::LeftOut left_out_of(const std::string& name) {
  for (const predict::LeftOut each : predict::all_left_out) {
    if (predict::name_of(each) == name) return each;
  }
  throw_user(fmt::format("--leave-out {}: that cannot be left out of techniques", name), {},
             "write stencil, pattern or dimensionality");
}

std::string percent(double share) { return fmt::format("{:.1f}%", 100 * share); }

std::string judgements_text(const predict::TechniqueEvaluation& evaluation) {
  using enum Table::Align;
  Table table({{"classifier"}, {"accuracy", Right}, {"penalty-weighted", Right}, {"least", Right}});
  for (const predict::TechniqueJudgement& each : evaluation.judgements)
    table.add_row(
        {each.classifier, percent(each.accuracy), percent(each.penalty_weighted), percent(each.least)});
  return fmt::format("\n{} left out, {}: {} stencils\n{}", predict::name_of(evaluation.left_out),
                     predict::name_of(evaluation.heuristic), evaluation.stencils.size(), table.text());
}

}  // namespace

void add_technique_option(CLI::App& command, std::vector<std::string>& files,
                          const std::vector<std::string>& excluded) {
  CLI::Option* option = command.add_option("--technique", files,
                                           "Instead of speed, how stencils load their input: tables of what "
                                           "each technique reached (docs/model.md)");
  option->option_text("FILE ...");
  for (const std::string& each : excluded) option->excludes(command.get_option(each));
}

Status train_techniques(const TaskTraining& training) {
  return train_task<predict::TechniqueModel>(
      predict::technique_task, training, read_tables, [](const predict::TechniqueModel& model) {
        std::string told;
        for (const predict::Heuristic each : predict::all_heuristics)
          told += fmt::format("{}{} of '{}'", told.empty() ? "" : ", ", model.learned_from(each),
                              predict::name_of(each));
        return fmt::format("techniques learned from stencils on {}: {}", model.device_class(), told);
      });
}

Status judge_techniques(const TechniqueJudging& judging) {
  const predict::TechniqueTable table = read_tables(judging.files);
  std::vector<predict::TechniqueEvaluation> evaluations;
  for (const predict::LeftOut each : predict::all_left_out) {
    const bool is_asked = !judging.left_out.empty() && each == left_out_of(judging.left_out);
    if (!judging.left_out.empty() && !is_asked) continue;
    auto evaluated = predict::evaluate_techniques(table, each, judging.seed);
    // A table of one pattern still says something of its stencils.
    if (!evaluated && (is_asked || each == predict::LeftOut::Stencil)) throw Failure(evaluated.error());
    if (!evaluated) {
      note("note: " + evaluated.error().diagnostics.front().message);
      continue;
    }
    for (predict::TechniqueEvaluation& evaluation : *evaluated) evaluations.push_back(std::move(evaluation));
  }
  nlohmann::json facts = {{"device_class", table.device_class},
                          {"stencils", table.stencils.size()},
                          {"evaluations", nlohmann::json::array()}};
  for (const predict::TechniqueEvaluation& each : evaluations)
    facts["evaluations"].push_back(predict::to_json(each));
  if (!judging.write.empty()) write_text_file(judging.write, facts.dump(1) + "\n");
  if (judging.json) {
    print(facts.dump(1) + "\n");
    return done;
  }
  print(fmt::format(
      "{} stencils on {}; their loading technique is predicted by what has not learned from them\n",
      table.stencils.size(), table.device_class));
  for (const predict::TechniqueEvaluation& each : evaluations) print(judgements_text(each));
  return done;
}

}  // namespace hoist::cli
