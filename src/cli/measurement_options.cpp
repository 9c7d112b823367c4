#include "cli/measurement_options.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "cli/store_option.hpp"
#include "predict/measurements.hpp"

namespace hoist::cli {

namespace {

model::Dataset from_store(const MeasurementOptions& options) {
  store::Store store = open_store(options.store);
  Progress progress;
  predict::MeasurementsOptions wanted{options.programs, options.device_class, {}};
  wanted.progress = [&](std::size_t done, std::size_t all) {
    progress.show(fmt::format("reading features, {} of {} measurements", done, all));
  };
  return need(predict::measurements_of(store, wanted));
}

model::Dataset from_files(const MeasurementOptions& options) {
  std::vector<model::Dataset> parts;
  for (const std::string& file : options.files) parts.push_back(need(model::read_dataset(file)));
  const model::Dataset all = need(model::merge(parts));
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < all.measurements.size(); ++i) {
    const model::Task& task = all.tasks[all.measurements[i].task];
    const bool is_program =
        options.programs.empty() ||
        std::find(options.programs.begin(), options.programs.end(), task.program) != options.programs.end();
    if (is_program && (options.device_class.empty() || task.device_class == options.device_class))
      rows.push_back(i);
  }
  return rows.size() == all.measurements.size() ? all : all.select(rows);
}

}  // namespace

void add_measurement_options(CLI::App& command, MeasurementOptions& options) {
  command
      .add_option("--data", options.files,
                  "Tables of measurements (hoist train --write); otherwise the store's measurements")
      ->option_text("FILE ...");
  add_store_option(command, options.store);
  command.add_option("--program", options.programs, "Only measurements of these programs")
      ->option_text("NAME ...");
  command
      .add_option("--class", options.device_class,
                  "Only measurements on devices of this class: nvidia-h200-cuda")
      ->option_text("CLASS");
}

model::Dataset read_measurements(const MeasurementOptions& options) {
  model::Dataset dataset = options.files.empty() ? from_store(options) : from_files(options);
  if (dataset.measurements.empty())
    throw_user(
        "there are no measurements of such programs and devices", {},
        "hoist tune and hoist train --plan measure candidates; hoist store list shows what was measured");
  return dataset;
}

std::string today() { return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))); }

}  // namespace hoist::cli
