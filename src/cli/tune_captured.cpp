// hoist tune DIR: every program that an application ran, with the inputs that it had.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "capture/cases.hpp"
#include "cli/interrupt.hpp"
#include "cli/store_option.hpp"
#include "cli/tune.hpp"
#include "driver/work.hpp"
#include "runtime/devices.hpp"
#include "target/kinds.hpp"
#include "tuner/time_budget.hpp"

namespace hoist::cli {

namespace {

/// What belongs to one program and cannot be meant of several.
void check_options(const TuneOptions& options) {
  const auto refuse = [&](const std::string& what, const std::string& help) {
    throw_user(
        fmt::format("{} is a directory of captured cases, which take no {}", options.program.file, what), {},
        help);
  };
  const std::string as_it_ran =
      "each case is tuned with the program, sizes and inputs that it was captured with";
  if (!options.program.values.empty())
    refuse("sizes or inputs: " + joined(options.program.values, " "), as_it_ran);
  if (!options.program.entry.empty()) refuse("--entry", as_it_ran);
  if (options.random_seed) refuse("--random", as_it_ran);
  if (!options.by_hand.empty())
    refuse("--by-hand",
           "to compare with a hand-written kernel, name one program's file instead of the directory");
  if (!options.report.empty())
    refuse("--report", "hoist report CASE/program.hoist NAME=SIZE ... writes the page about one case");
}

/// Where programs that ran there are tuned. Device error where there is no such device here.
std::vector<std::string> devices_for(const capture::CapturedCase& captured, const TuneOptions& options) {
  if (!options.devices.empty()) return options.devices;
  std::vector<std::string> same;
  for (const target::Target& each : runtime::list_devices()) {
    if (each.name != captured.device_name || target::name_of(each.language) != captured.language) continue;
    if (each.id == captured.device) return {each.id};
    same.push_back(each.id);
  }
  if (same.empty())
    throw_failure(
        ErrorKind::Device,
        fmt::format("the case ran on {} ({}), and this machine has no such device", captured.device,
                    captured.device_name),
        {},
        "name another device to tune it for with --device; hoist devices lists the devices of this machine");
  return {same.front()};
}

/// One call of the command.
class CapturedTuning {
 public:
  CapturedTuning(Session& session, const TuneOptions& options)
      : options_(options),
        tuning_(tuning_options(session, options)),
        cases_(need(capture::read_cases(options.program.file))),
        store_(open_store(options.store)),
        budget_(tuning_.seconds, capture::tuning_shares(cases_)) {
    choose_search(session, options, tuning_);
    if (tuning_.specification)
      throw_user(fmt::format("{} is a directory of captured cases, which take no specification",
                             options.program.file),
                 {}, "a specification names the parameters of one program: tune that one's file");
    tuning_.is_cancelled = &catch_interrupt();
  }

  Status run() {
    std::size_t next = 0;
    for (; next < cases_.size() && !tuning_.is_cancelled->load(); ++next) tune_or_tell(next);
    if (next < cases_.size())
      note(fmt::format("{} of {} cases were not tuned; the same command goes on with them",
                       cases_.size() - next, cases_.size()));
    if (options_.json) print_json({{"cases", std::move(tuned_)}, {"store", store_.place()}});
    if (!options_.json) print("stored in " + store_.place() + "\n");
    return status_;
  }

 private:
  std::string title(std::size_t index) const {
    const capture::CapturedCase& each = cases_[index];
    return fmt::format("{} of {}: {}{}, {} run{} in {}", index + 1, cases_.size(), each.program,
                       each.sizes.empty() ? "" : ", " + named_values_text(each.sizes), each.runs,
                       each.runs == 1 ? "" : "s", time_text(each.seconds));
  }

  /// What is wrong with one case leaves the others.
  void tune_or_tell(std::size_t index) {
    try {
      tune_case(index);
    } catch (const Failure& failure) {
      note(fmt::format("{} ({}) is not tuned:", title(index), cases_[index].place));
      report(failure.error(), nullptr);
      status_ = std::max(status_, status_of(failure.error().kind));
    }
  }

  void tune_case(std::size_t index) {
    const capture::CapturedCase& captured = cases_[index];
    const ir::Arena of_this_case;
    const ir::Program program = need(capture::program_of(captured));
    const driver::Work work = need(driver::work_of(need(driver::with_sizes(program, captured.sizes))));
    tuner::TuningOptions tuning = tuning_;
    tuning.measuring.devices = devices_for(captured, options_);
    // With no time left the default mapping is measured, as with a budget that is too small.
    constexpr double least = 1e-3;
    tuning.seconds = std::max(budget_.share(index), least);
    note(fmt::format("{}; for {}", title(index), duration_text(tuning.seconds)));
    const measure::Task task{program, captured.sizes, need(capture::inputs_of(captured, program))};
    const tuner::TuningResult result = tune_task(task, tuning, store_);
    std::optional<tuner::Ceilings> ceilings;
    if (!tuning.is_cancelled->load())
      ceilings = ceilings_.add_to(store_, result, tuning.measuring.devices.front(),
                                  std::max(tuning.seconds, tuner::least_seconds));
    if (options_.json) {
      tuned_.push_back(case_json(captured, tuning.measuring.devices, result_json(result, work, ceilings)));
    } else {
      print(fmt::format("{} on {}\n{}\n", title(index), joined(tuning.measuring.devices),
                        result_text(result, work, ceilings)));
    }
  }

  static Json case_json(const capture::CapturedCase& captured, const std::vector<std::string>& devices,
                        Json result) {
    Json sizes = Json::object();
    for (const auto& [name, value] : captured.sizes) sizes[name] = value;
    Json json = {{"place", captured.place}, {"program", captured.program}, {"sizes", std::move(sizes)},
                 {"devices", devices},      {"runs", captured.runs},       {"seconds_run", captured.seconds}};
    json.update(result);
    return json;
  }

  const TuneOptions& options_;
  tuner::TuningOptions tuning_;
  const std::vector<capture::CapturedCase> cases_;
  store::Store store_;
  const tuner::TimeBudget budget_;
  CeilingsOfDevices ceilings_;
  Json tuned_ = Json::array();
  Status status_ = done;
};

}  // namespace

Status tune_captured(Session& session, const TuneOptions& options) {
  check_options(options);
  return CapturedTuning(session, options).run();
}

}  // namespace hoist::cli
