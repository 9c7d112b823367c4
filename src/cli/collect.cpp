#include "cli/collect.hpp"

#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/interrupt.hpp"
#include "cli/tune.hpp"
#include "runtime/devices.hpp"
#include "tuner/collection.hpp"

namespace hoist::cli {

namespace {

/// "N=1024", as the command line has it.
std::vector<std::string> assignments(const driver::NamedSizes& sizes) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : sizes) texts.push_back(fmt::format("{}={}", name, value));
  return texts;
}

std::string title(const tuner::PlannedTask& planned) {
  return planned.program + " " + joined(assignments(planned.sizes), " ");
}

}  // namespace

void collect(Session& session, const CollectOptions& options, store::Store& store) {
  const std::vector<tuner::PlannedTask> plan = need(tuner::read_plan(options.plan));
  tuner::Collecting collecting{.tuning = tuning_options(session, TuneOptions()), .prepare = {}, .tune = {}};
  collecting.tuning.strategy = "random";
  collecting.tuning.seconds = read_duration(options.budget);
  collecting.tuning.measuring.devices = {options.device.empty() ? runtime::default_device() : options.device};
  collecting.tuning.is_cancelled = &catch_interrupt();
  collecting.prepare = [&](const tuner::PlannedTask& planned) {
    return catch_failure([&] {
      const std::vector<std::string> sizes = assignments(planned.sizes);
      const ir::Program program =
          read_program(session, {.file = planned.program, .entry = {}, .values = sizes});
      Arguments arguments = read_arguments(program, sizes, 1);
      return measure::Task{program, arguments.sizes, std::move(arguments.inputs)};
    });
  };
  collecting.tune = [&](const measure::Task& task, const tuner::TuningOptions& of_task) {
    return catch_failure([&] { return tune_task(task, of_task, store); });
  };
  collecting.measured = [](const tuner::PlannedTask& planned, const tuner::TuningResult& result) {
    note(fmt::format("{}: {} measured, {} known from the store; ended because {}", title(planned),
                     result.evaluated, result.known, result.ended_by));
  };
  collecting.failed = [](const tuner::PlannedTask& planned, const Error& error) {
    note(fmt::format("{}: {}", title(planned), error.diagnostics.front().message));
  };
  need(tuner::collect(plan, collecting, store));
}

}  // namespace hoist::cli
