#include "cli/cut_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/need.hpp"
#include "driver/inputs.hpp"
#include "driver/verify.hpp"
#include "execute/stream_order.hpp"
#include "execute/stream_simulation.hpp"
#include "runtime/limits.hpp"
#include "tasks/obligations.hpp"

namespace hoist::cli {
namespace {

std::string interval_text(const tasks::Interval& interval) {
  return interval.is_empty() ? "nothing" : fmt::format("[{}, {})", interval.from, interval.to);
}

std::string kernel_name(const tasks::Cut& cut, const tasks::TaskStep& step) {
  const auto& node = cut.plan.steps[step.step].node;
  if (const auto* launch = std::get_if<loop::LaunchStep>(&node)) return cut.plan.kernels[launch->kernel].name;
  return std::holds_alternative<loop::CopyStep>(node) ? "a copy" : "a repetition";
}

/// What a task's steps touch of an array.
tasks::Region window(const tasks::Phase& phase, std::size_t array, std::size_t task) {
  tasks::Region result;
  for (const tasks::TaskStep& step : phase.steps) {
    for (const tasks::Touch& touch : step.touches[task]) {
      if (touch.array == array) result = hull(hull(result, touch.read), touch.written);
    }
  }
  return result;
}

/// Of an array that is seen as rows the columns, of which tasks touch all rows or most.
tasks::Interval shown(const tasks::Array& array, const tasks::Region& window) {
  return array.row_length > 1 ? window.columns : window.rows;
}

std::size_t most_partitions(const CutStep& step) {
  return std::min(step.streamed.plan.tasks, step.device_partitions);
}

/// What the cut rests on, and what the order of the nodes does.
std::vector<tasks::Obligation> obligations(const execute::Streamed& streamed) {
  /// All pairs are compared.
  constexpr std::size_t most_checked = 8192;
  std::vector<tasks::Obligation> result = tasks::obligations_of(streamed.cut);
  const std::size_t nodes = streamed.plan.nodes.size();
  if (nodes > most_checked) return result;
  if (const auto missing = execute::missing_dependence(streamed.plan)) throw Bug(missing->text);
  result.push_back({"each upload, kernel and download waits for those before it that touch the same bytes",
                    fmt::format("by comparing all pairs of {}", nodes)});
  return result;
}

}  // namespace

std::string cut_text(const CutStep& cut_step) {
  const tasks::Cut& cut = cut_step.streamed.cut;
  const execute::StreamedPlan& plan = cut_step.streamed.plan;
  std::string text;
  for (std::size_t number = 0; number < cut.phases.size(); ++number) {
    const tasks::Phase& phase = cut.phases[number];
    text += fmt::format("phase {}, {}:\n", number + 1,
                        phase.is_cut ? fmt::format("{} tasks", plan.tasks) : std::string("whole"));
    for (const tasks::TaskStep& step : phase.steps) {
      text += "  " + kernel_name(cut, step);
      if (phase.is_cut && plan.tasks > 1)
        text +=
            fmt::format(": iterations {}, {}, ... {}", interval_text(step.iterations[0].rows),
                        interval_text(step.iterations[1].rows), interval_text(step.iterations.back().rows));
      text += "\n";
    }
    if (!phase.is_cut || plan.tasks == 1) continue;
    for (std::size_t at = 0; at < cut.arrays.size(); ++at) {
      const tasks::Array& array = cut.arrays[at];
      const auto of_task = [&](std::size_t task) {
        return interval_text(shown(array, window(phase, at, task)));
      };
      if (array.is_fault_flag || window(phase, at, 0).is_empty()) continue;
      const std::string what =
          array.row_length > 1 ? fmt::format("of rows of {} elements columns", array.row_length) : "elements";
      text += fmt::format("  {}{}: {} {}, {}, ... {}\n", array.name, array.is_windowed() ? " by windows" : "",
                          what, of_task(0), of_task(1), of_task(plan.tasks - 1));
    }
  }
  for (const std::string& each : cut.uncut) text += fmt::format("not cut: {}\n", each);
  text += fmt::format(
      "uploads {}, of which {} for all tasks and {} again; downloads {}; {} of the device, {} "
      "task{} in flight\n",
      runtime::bytes_text(plan.upload_bytes), runtime::bytes_text(plan.shared_bytes),
      runtime::bytes_text(plan.redundant_bytes), runtime::bytes_text(plan.download_bytes),
      runtime::bytes_text(plan.memory_bytes), plan.tasks_in_flight, plan.tasks_in_flight == 1 ? "" : "s");
  text += fmt::format("With tasks = {}, partitions = {}; tasks may be 1 to {}, partitions 1 to {}.\n",
                      plan.tasks, plan.partitions, cut_step.most_tasks, most_partitions(cut_step));
  for (const tasks::Obligation& each : obligations(cut_step.streamed))
    text += fmt::format("- {}: {}\n", each.claim, each.shown);
  return text;
}

Json cut_json(const CutStep& cut_step) {
  const tasks::Cut& cut = cut_step.streamed.cut;
  const execute::StreamedPlan& plan = cut_step.streamed.plan;
  Json phases = Json::array();
  for (const tasks::Phase& phase : cut.phases) {
    Json steps = Json::array(), arrays = Json::object(), columns = Json::object();
    const std::size_t tasks = phase.is_cut ? plan.tasks : 1;
    for (const tasks::TaskStep& step : phase.steps) {
      Json iterations = Json::array();
      for (const tasks::Region& each : step.iterations) iterations.push_back({each.rows.from, each.rows.to});
      steps.push_back({{"step", kernel_name(cut, step)}, {"iterations", std::move(iterations)}});
    }
    for (std::size_t at = 0; at < cut.arrays.size(); ++at) {
      const tasks::Array& array = cut.arrays[at];
      if (array.is_fault_flag) continue;
      Json windows = Json::array();
      for (std::size_t task = 0; task < tasks; ++task) {
        const tasks::Region all = window(phase, at, task);
        const tasks::Interval each = shown(array, all);
        if (!all.is_empty()) windows.push_back({each.from, each.to});
      }
      if (windows.empty()) continue;
      if (array.row_length > 1) {
        columns[array.name] = {{"row_length", array.row_length}, {"columns", std::move(windows)}};
      } else {
        arrays[array.name] = std::move(windows);
      }
    }
    phases.push_back({{"is_cut", phase.is_cut},
                      {"steps", std::move(steps)},
                      {"elements", std::move(arrays)},
                      {"rows", std::move(columns)}});
  }
  Json claims = Json::array();
  for (const tasks::Obligation& each : obligations(cut_step.streamed))
    claims.push_back({{"claim", each.claim}, {"shown", each.shown}});
  const auto coordinate = [](const char* name, std::size_t value, std::size_t most) {
    return Json{{"name", name}, {"value", value}, {"least", 1}, {"most", most}};
  };
  return {{"rule", cut_step_name},
          {"coordinates",
           {coordinate("tasks", plan.tasks, cut_step.most_tasks),
            coordinate("partitions", plan.partitions, most_partitions(cut_step))}},
          {"obligations", std::move(claims)},
          {"tasks", plan.tasks},
          {"partitions", plan.partitions},
          {"phases", std::move(phases)},
          {"not_cut", cut.uncut},
          {"upload_bytes", plan.upload_bytes},
          {"shared_bytes", plan.shared_bytes},
          {"redundant_bytes", plan.redundant_bytes},
          {"download_bytes", plan.download_bytes},
          {"memory_bytes", plan.memory_bytes},
          {"tasks_in_flight", plan.tasks_in_flight}};
}

std::string verified_cut(const ir::Program& sized, const loop::Plan& plan, const execute::Streamed& streamed,
                         std::uint64_t seed) {
  const std::vector<Data> inputs = need(driver::random_inputs(sized, {}, seed));
  std::vector<std::vector<std::byte>> bytes;
  for (const Data& data : inputs) {
    for (const Tensor& tensor : data) bytes.push_back(tensor.bytes);
  }
  const auto simulated = [&](const execute::Streamed& each) {
    execute::SimulatedRun run = need(execute::simulate(each, bytes, seed));
    if (!run.faults.empty()) throw Bug(run.faults.front());
    return std::move(run.outputs);
  };
  auto in_tasks = simulated(streamed);
  const bool is_same = in_tasks == simulated(need(execute::streamed_plan(plan, {})));
  Data result = need(driver::empty_leaves(sized.result()));
  for (std::size_t leaf = 0; leaf < result.size(); ++leaf) result[leaf].bytes = std::move(in_tasks[leaf]);
  const auto comparison = need(driver::verify(sized, {}, inputs, result)).comparison;
  if (!comparison.agrees())
    throw Bug("what the tasks compute is not what the program means: " + interpret::to_string(comparison));
  return fmt::format("verified by the loop interpreter: {} elements are what the program means, and {}",
                     comparison.elements,
                     is_same ? "to the bit those of the plan that is not cut"
                             : "not to the bit those of the plan that is not cut");
}

}  // namespace hoist::cli
