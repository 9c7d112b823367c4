#include "cli/collect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/stopwatch.hpp"
#include "cli/arguments.hpp"
#include "cli/interrupt.hpp"
#include "cli/tune.hpp"
#include "runtime/device.hpp"
#include "store/stored_target.hpp"

namespace hoist::cli {

namespace {

/// One of a plan's tasks.
struct Wanted {
  std::string program;
  std::vector<std::string> sizes;  ///< "N=1024"
  std::size_t candidates = 0;

  std::string text() const { return program + " " + joined(sizes, " "); }
};

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw_user(
      fmt::format("'{}' is no plan: {}", path, why), {},
      R"(write {"tasks": [{"program": "kernels/gemv.hoist", "sizes": {"M": 512, "N": 512}, "candidates": 100}, ...]})");
}

std::vector<Wanted> read_plan(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw_user(fmt::format("the plan '{}' cannot be read", path));
  std::vector<Wanted> plan;
  try {
    const Json read = Json::parse(file);
    for (const Json& each : read.at("tasks")) {
      Wanted wanted{each.at("program").get<std::string>(), {}, each.at("candidates").get<std::size_t>()};
      for (const auto& [name, value] : each.at("sizes").items())
        wanted.sizes.push_back(fmt::format("{}={}", name, value.get<std::int64_t>()));
      plan.push_back(std::move(wanted));
    }
  } catch (const Json::exception& exception) {
    refuse(path, exception.what());
  }
  if (plan.empty()) refuse(path, "it has no tasks");
  return plan;
}

class Collector {
 public:
  Collector(Session& session, const CollectOptions& options, store::Store& store)
      : session_(session), store_(store), seconds_(read_duration(options.budget)) {
    TuneOptions tuning;
    tuning.strategy = "random";
    tuning_ = tuning_options(session, tuning);
    const std::string device = options.device.empty() ? runtime::default_device() : options.device;
    tuning_.measuring.devices = {device};
    device_ = store::stored_device(need(runtime::open_device(device))->info());
    tuning_.is_cancelled = &catch_interrupt();
  }

  void run(const std::vector<Wanted>& plan) {
    double wanted = 0;
    for (const Wanted& each : plan) wanted += static_cast<double>(each.candidates);
    for (const Wanted& each : plan) {
      if (left() <= 0 || tuning_.is_cancelled->load()) return;
      // What the others need is left to them; what one does not use they get.
      const auto candidates = static_cast<double>(each.candidates);
      const double share = left() * candidates / std::max(wanted, 1.0);
      wanted -= candidates;
      try {
        measure(each, share);
      } catch (const Failure& failure) {
        if (failure.error().kind == ErrorKind::User) throw;
        note(fmt::format("{}: {}", each.text(), failure.error().diagnostics.front().message));
      }
    }
  }

 private:
  double left() const {
    return seconds_ - seconds_since(start_);
  }

  void measure(const Wanted& wanted, double seconds) {
    const ir::Arena of_this_task;
    const ir::Program program =
        read_program(session_, {.file = wanted.program, .entry = {}, .values = wanted.sizes});
    Arguments arguments = read_arguments(program, wanted.sizes, 1);
    tuner::TuningOptions tuning = tuning_;
    tuning.seconds = seconds;
    tuning.evaluations = wanted.candidates - std::min(wanted.candidates, known(program, arguments.sizes));
    if (tuning.evaluations == 0) return;
    const measure::Task task{program, arguments.sizes, std::move(arguments.inputs)};
    const tuner::TuningResult result = tune_task(task, tuning, store_);
    note(fmt::format("{}: {} measured, {} were known, {}", wanted.text(), result.evaluated, result.known,
                     result.ended_by));
  }

  /// Candidates of the task that were measured on this device.
  std::size_t known(const ir::Program& program, const driver::NamedSizes& sizes) {
    for (const store::StoredTask& each : need(store_.tasks(tuner::stored_program(program).hash))) {
      const store::Device& on = each.task.device;
      // What tells devices apart in a store.
      const bool is_same_device =
          on.language == device_.language && on.name == device_.name && on.driver == device_.driver;
      const bool are_same_sizes = each.task.sizes.size() == sizes.size() &&
                                  std::is_permutation(sizes.begin(), sizes.end(), each.task.sizes.begin());
      if (is_same_device && are_same_sizes) return static_cast<std::size_t>(each.candidates);
    }
    return 0;
  }

  Session& session_;
  store::Store& store_;
  tuner::TuningOptions tuning_;
  store::Device device_;
  double seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

void collect(Session& session, const CollectOptions& options, store::Store& store) {
  const std::vector<Wanted> plan = read_plan(options.plan);
  Collector(session, options, store).run(plan);
}

}  // namespace hoist::cli
