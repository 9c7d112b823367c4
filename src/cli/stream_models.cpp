#include "cli/stream_models.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "cli/output.hpp"
#include "cli/output_file.hpp"
#include "cli/progress.hpp"
#include "learn/statistics.hpp"
#include "predict/stream_evaluation.hpp"
#include "predict/stream_model.hpp"

namespace hoist::cli {

namespace {

predict::StreamTable read_stream_tables(const std::vector<std::string>& files) {
  std::vector<predict::StreamTable> tables;
  for (const std::string& file : files) tables.push_back(need(predict::read_stream_table(file)));
  return need(predict::merge_stream_tables(tables));
}

std::string share_text(double share) { return fmt::format("{:.3f}", share); }
std::string speedup_text(double speedup) { return fmt::format("{:.2f}", speedup); }

std::string judgements_text(const predict::StreamEvaluation& evaluation) {
  using enum Table::Align;
  Table table({{"chosen by"},
               {"of the best", Right},
               {"least", Right},
               {"over one stream", Right},
               {"least", Right},
               {"slower than it", Right}});
  for (const predict::StreamJudgement& each : evaluation.judgements)
    table.add_row({each.chooser, share_text(each.mean_share()), share_text(each.least_share()),
                   speedup_text(each.mean_speedup()), speedup_text(each.least_speedup()),
                   std::to_string(each.slower_than_single())});
  return table.text();
}

/// The first chooser, program by program: over a single stream, the range over its sizes, and of the best.
std::string stream_programs_text(const predict::StreamEvaluation& evaluation,
                                 const predict::StreamTable& table) {
  using enum Table::Align;
  Table text({{"program"},
              {"sizes", Right},
              {"over one stream", Right},
              {"from", Right},
              {"to", Right},
              {"best", Right},
              {"of the best", Right},
              {"least", Right}});
  const predict::StreamJudgement &first = evaluation.judgements.front(), &best = evaluation.judgements.back();
  std::map<std::string, std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < table.records.size(); ++i) places[table.records[i].program].push_back(i);
  for (const auto& [program, own] : places) {
    std::vector<double> speedups, best_speedups, shares;
    for (const std::size_t i : own) {
      speedups.push_back(first.speedups[i]);
      best_speedups.push_back(best.speedups[i]);
      shares.push_back(first.shares[i]);
    }
    const auto [least, most] = std::minmax_element(speedups.begin(), speedups.end());
    text.add_row({program, std::to_string(own.size()), speedup_text(learn::geometric_mean(speedups)),
                  speedup_text(*least), speedup_text(*most),
                  speedup_text(learn::geometric_mean(best_speedups)), share_text(learn::mean(shares)),
                  share_text(*std::min_element(shares.begin(), shares.end()))});
  }
  return text.text();
}

std::string importances_text(const predict::StreamEvaluation& evaluation) {
  Table table({{"feature"}, {"share of the variance", Table::Align::Right}});
  for (const auto& [feature, share] : evaluation.importances) table.add_row({feature, share_text(share)});
  return table.text();
}

}  // namespace

void add_stream_tables_option(CLI::App& command, std::vector<std::string>& files,
                              const std::vector<std::string>& excluded) {
  CLI::Option* option =
      command.add_option("--streams", files,
                         "Instead of speed, the streams of programs: tables of their times by "
                         "partitions and tasks (docs/streams-model.md)");
  option->option_text("FILE ...");
  for (const std::string& each : excluded) option->excludes(command.get_option(each));
}

Status train_streams(const TaskTraining& training) {
  return train_task<predict::StreamModel>(
      predict::stream_task, training, read_stream_tables, [](const predict::StreamModel& model) {
        return fmt::format(
            "streams learned from {} programs at sizes on {}; of what was learned of the analytic model's "
            "errors {:.0f}% is believed where it makes them faster, {:.0f}% of programs that "
            "never ran",
            model.learned_from(), model.device_class(), 100 * model.cautions().measured.trust,
            100 * model.cautions().not_measured.trust);
      });
}

Status judge_streams(const StreamJudging& judging) {
  const predict::StreamTable table = read_stream_tables(judging.files);
  Progress progress;
  const predict::StreamEvaluation evaluation = need(predict::evaluate_streams(
      table, judging.choosers, judging.seed, [&](std::size_t done, std::size_t all) {
        progress.show(fmt::format("{} of {} programs left out", done, all));
      }));
  progress.end();
  const nlohmann::json facts = predict::to_json(evaluation, table);
  if (!judging.write.empty()) write_text_file(judging.write, facts.dump(1) + "\n");
  if (judging.json) {
    print(facts.dump(1) + "\n");
    return done;
  }
  print(fmt::format(
      "{} programs at sizes on {}; their streams are chosen by what has not learned from them\n\n{}"
      "\n{}, program by program\n{}\nFeatures that tell programs apart\n{}",
      table.records.size(), table.device_class, judgements_text(evaluation),
      evaluation.judgements.front().chooser, stream_programs_text(evaluation, table),
      importances_text(evaluation)));
  return done;
}

}  // namespace hoist::cli
