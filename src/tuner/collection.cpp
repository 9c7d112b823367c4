#include "tuner/collection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/need.hpp"
#include "runtime/devices.hpp"
#include "store/stored_target.hpp"
#include "tuner/records.hpp"
#include "tuner/time_budget.hpp"

namespace hoist::tuner {

namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw_user(
      fmt::format("'{}' is no plan of measurements: {}", path, why), {},
      R"(write {"tasks": [{"program": "kernels/gemv.hoist", "sizes": {"M": 512, "N": 512}, "candidates": 100}, ...]})");
}

/// Candidates of the task that the store has measured on the device.
std::size_t known_candidates(store::Store& store, const measure::Task& task, const store::Device& device) {
  for (const store::StoredTask& each : need(store.tasks(stored_program(task.program).hash))) {
    const store::Device& on = each.task.device;
    // What tells devices apart in a store.
    const bool is_same_device =
        on.language == device.language && on.name == device.name && on.driver == device.driver;
    const bool are_same_sizes =
        each.task.sizes.size() == task.sizes.size() &&
        std::is_permutation(task.sizes.begin(), task.sizes.end(), each.task.sizes.begin());
    if (is_same_device && are_same_sizes) return static_cast<std::size_t>(each.candidates);
  }
  return 0;
}

/// Measures the candidates of one task that are not known yet.
void collect_task(const PlannedTask& planned, double seconds, const Collecting& collecting,
                  const store::Device& device, store::Store& store) {
  const ir::Arena of_this_task;
  const measure::Task task = need(collecting.prepare(planned));
  TuningOptions tuning = collecting.tuning;
  tuning.seconds = seconds;
  tuning.space = planned.space;
  tuning.evaluations =
      planned.candidates - std::min(planned.candidates, known_candidates(store, task, device));
  if (tuning.evaluations == 0) return;
  collecting.measured(planned, need(collecting.tune(task, tuning)));
}

}  // namespace

Result<std::vector<PlannedTask>> read_plan(const std::string& path) {
  return catch_failure([&] {
    std::ifstream file(path);
    if (!file) throw_user(fmt::format("the plan '{}' cannot be read", path));
    std::vector<PlannedTask> plan;
    try {
      const Json read = Json::parse(file);
      for (const Json& each : read.at("tasks")) {
        PlannedTask task{each.at("program").get<std::string>(),
                         {},
                         each.at("candidates").get<std::size_t>(),
                         variants::SpaceKind::Derived};
        for (const auto& [name, value] : each.at("sizes").items())
          task.sizes.emplace_back(name, value.get<std::int64_t>());
        if (each.contains("space")) {
          const auto name = each["space"].get<std::string>();
          const auto space = variants::space_named(name);
          if (!space) refuse(path, fmt::format("there is no set of candidates '{}'", name));
          task.space = *space;
        }
        plan.push_back(std::move(task));
      }
    } catch (const Json::exception& exception) {
      refuse(path, exception.what());
    }
    if (plan.empty()) refuse(path, "it has no tasks");
    return plan;
  });
}

Result<void> collect(const std::vector<PlannedTask>& plan, const Collecting& collecting,
                     store::Store& store) {
  return catch_failure([&] {
    const std::string& id = collecting.tuning.measuring.devices.front();
    const store::Device device = store::stored_device(need(runtime::describe_device(id)));
    std::vector<double> weights;
    for (const PlannedTask& each : plan) weights.push_back(static_cast<double>(each.candidates));
    const TimeBudget budget(collecting.tuning.seconds, weights);
    const std::atomic<bool>* is_cancelled = collecting.tuning.is_cancelled;
    for (std::size_t i = 0; i < plan.size(); ++i) {
      if (plan[i].candidates == 0) continue;
      if (budget.left() <= 0 || (is_cancelled && is_cancelled->load())) return;
      const auto done =
          catch_failure([&] { collect_task(plan[i], budget.share(i), collecting, device, store); });
      if (done) continue;
      if (done.error().kind == ErrorKind::User) throw Failure(done.error());
      collecting.failed(plan[i], done.error());
    }
  });
}

}  // namespace hoist::tuner
