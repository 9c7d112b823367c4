// hoist train: learns a model of speed, of the loading techniques of stencils, or of the streams of programs,
// from what was measured.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/collect.hpp"
#include "cli/commands.hpp"
#include "cli/measurement_options.hpp"
#include "cli/numbers.hpp"
#include "cli/output.hpp"
#include "cli/store_option.hpp"
#include "cli/stream_models.hpp"
#include "cli/techniques.hpp"
#include "features/features.hpp"
#include "model/model.hpp"
#include "predict/measurements.hpp"
#include "predict/models.hpp"

namespace hoist::cli {

namespace {

struct TrainOptions {
  MeasurementOptions measurements;
  CollectOptions collecting;
  std::vector<std::string> techniques, streams;
  std::string kind = std::string(model::default_kind), output, table;
  std::uint64_t seed = 1;
  double effort = 1;
  bool keeps = false;
};

/// For hoist tune to find, under each class of devices.
void keep(const model::Model& learned, store::Store& store) {
  for (const std::string& each : learned.description().device_classes)
    need(store.add_model({.name = predict::speed_model,
                          .device_class = each,
                          .schema = std::string(features::schema(predict::processor_of(each)).name),
                          .content = learned.to_json().dump(),
                          .provenance = nlohmann::json(learned.description().provenance).dump()}));
  note(fmt::format("the model is kept in {} for {}", store.place(),
                   joined(learned.description().device_classes)));
}

Status train(Session& session, const TrainOptions& options) {
  if (!options.techniques.empty())
    return train_techniques(
        {options.techniques, options.output, options.measurements.store, options.seed, options.keeps});
  if (!options.streams.empty())
    return train_streams(
        {options.streams, options.output, options.measurements.store, options.seed, options.keeps});
  if (!options.collecting.plan.empty()) {
    store::Store store = open_store(options.measurements.store);
    collect(session, options.collecting, store);
    if (options.output.empty() && options.table.empty() && !options.keeps) return done;
  }
  if (options.output.empty() && options.table.empty() && !options.keeps)
    throw_user("no option says what to write", {},
               "--keep puts the model into the store, --output MODEL.json.gz into a file, --write "
               "TABLE.csv.gz the measurements");
  const model::Dataset data = read_measurements(options.measurements);
  if (!options.table.empty()) {
    need(model::write_dataset(data, options.table));
    note(fmt::format("wrote {}: {} measurements of {} tasks", options.table, data.measurements.size(),
                     data.tasks.size()));
  }
  if (options.output.empty() && !options.keeps) return done;
  model::FitOptions fit;
  fit.seed = options.seed;
  fit.effort = options.effort;
  fit.roofline = {"roofline_seconds"};
  fit.provenance = {{"date", today()}, {"hoist", HOIST_VERSION}};
  if (const auto told = data.provenance.find(predict::measured_devices); told != data.provenance.end())
    fit.provenance.insert(*told);
  const model::Model learned = need(model::fit(options.kind, data, fit));
  if (!options.output.empty()) need(model::save(learned, options.output));
  const model::Description& of = learned.description();
  note(fmt::format("{} learned from {} candidates of {} programs on {}", of.kind, of.measured,
                   of.programs.size(), joined(of.device_classes)));
  for (const std::string& each : of.constant)
    note("note: the feature " + each + " is the same in all measurements, and not used");
  if (!options.output.empty()) note("wrote " + options.output);
  if (options.keeps) {
    store::Store store = open_store(options.measurements.store);
    keep(learned, store);
  }
  return done;
}

}  // namespace

void add_train(CLI::App& app, Session& session) {
  auto options = std::make_shared<TrainOptions>();
  CLI::App* command = app.add_subcommand("train", "Learn to predict speed from what was measured");
  add_measurement_options(*command, options->measurements);
  std::string kinds;
  for (const model::Kind& each : model::kinds()) kinds += fmt::format("  {:<12}{}\n", each.name, each.about);
  command->add_option("--model", options->kind, "The kind of model")
      ->option_text(fmt::format("KIND ({})", options->kind));
  command->add_option("-o,--output", options->output, "Write the model to this file")
      ->option_text("MODEL.json.gz");
  command->add_flag("--keep", options->keeps, "Keep the model in the store, where hoist tune finds it");
  command->add_option("--write", options->table, "Write the measurements to this file, as a table")
      ->option_text("TABLE.csv.gz");
  command
      ->add_option("--plan", options->collecting.plan,
                   "First measure what this plan asks for and the store does not have")
      ->option_text("PLAN.json");
  command->add_option("--device", options->collecting.device, "Where to measure: cuda:0, ...")
      ->option_text("ID");
  command->add_option("--budget", options->collecting.budget, "How long to measure: 90, 10m, 2h (10m)")
      ->option_text("TIME");
  command->add_option("--seed", options->seed, "The seed of learning (1)")->option_text("SEED");
  command
      ->add_option("--effort", options->effort, "Trees and steps of learning, as a multiple of the usual (1)")
      ->check(above_zero())
      ->option_text("X");
  add_technique_option(
      *command, options->techniques,
      {"--data", "--program", "--class", "--model", "--write", "--plan", "--device", "--budget", "--effort"});
  add_stream_tables_option(*command, options->streams,
                           {"--data", "--program", "--class", "--model", "--write", "--plan", "--device",
                            "--budget", "--effort", "--technique"});
  command->footer("Models:\n" + kinds +
                  "\nA plan lists programs with their sizes, and how many candidates of each to measure; "
                  "candidates are drawn at random.\n"
                  "The same command goes on where an earlier one ended. data/h200-plan.json is one.\n"
                  "\nExamples:\n"
                  "  hoist train --plan data/h200-plan.json --device cuda:0 --budget 2h\n"
                  "  hoist train --keep\n"
                  "  hoist train --store store.sqlite --class nvidia-h200-cuda -o h200-cuda.json.gz\n"
                  "  hoist train --store store.sqlite --write measurements.csv.gz\n"
                  "  hoist train --technique techniques.csv.gz -o nvidia-h200-cuda.json.gz\n"
                  "  hoist train --streams streams.csv.gz -o nvidia-h200-cuda.json.gz");
  command->callback(
      [&session, options] { session.action = [&session, options] { return train(session, *options); }; });
}

}  // namespace hoist::cli
