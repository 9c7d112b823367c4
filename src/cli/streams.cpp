// Streams at the command line: the options of hoist run and hoist explain, and what they print.
//
// `check_streams` refuses a text that is no choice before anything is compiled; `stream_options` makes the
// choice; for `auto` a model makes it (`chosen`). `run_streamed` runs, `streams_text`,
// `streams_json` and `write_trace` tell of the median run. `cut_text` and `cut_json` show how a plan is cut,
// without a device.
#include "cli/streams.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/need.hpp"
#include "cli/stream_facts.hpp"
#include "execute/guard_zone.hpp"
#include "predict/predicted_streams.hpp"
#include "report/trace.hpp"
#include "runtime/limits.hpp"
#include "runtime/measure.hpp"
#include "store/store.hpp"

namespace hoist::cli {
namespace {

constexpr const char* streams_help =
    "--streams 1 (all at once), --streams P,T (T tasks on P partitions), or --streams auto";

std::optional<std::int64_t> number_in(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The partitions and tasks of a text; nothing: auto.
std::optional<std::pair<std::int64_t, std::int64_t>> parsed(const std::string& text) {
  if (text == "auto") return std::nullopt;
  const std::size_t comma = text.find(',');
  const auto first = number_in(text.substr(0, comma));
  const auto second = comma == std::string::npos ? first : number_in(text.substr(comma + 1));
  const bool is_one = comma == std::string::npos && first == 1;
  if (!first || !second || *first < 1 || *second < 1 || (comma == std::string::npos && !is_one))
    throw_user(fmt::format("'{}' is no choice of streams", text), {}, streams_help);
  return std::pair(*first, *second);
}

std::size_t parsed_bytes(const std::string& text) {
  std::size_t end = 0;
  while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
  const auto number = number_in(text.substr(0, end));
  static const std::vector<std::pair<std::string, int>> units{{"", 0},     {"B", 0},    {"KiB", 10},
                                                              {"MiB", 20}, {"GiB", 30}, {"TiB", 40}};
  const auto unit = std::find_if(units.begin(), units.end(),
                                 [&](const auto& each) { return each.first == text.substr(end); });
  const bool is_right =
      number && *number > 0 && unit != units.end() && *number <= (INT64_MAX >> unit->second);
  if (!is_right)
    throw_user(fmt::format("'{}' is no amount of memory", text), {},
               "write a number of bytes, or 64MiB, 2GiB");
  return static_cast<std::size_t>(*number) << unit->second;
}

/// What a model chooses, for a run as it is: nothing of the program has run.
std::pair<std::int64_t, std::int64_t> chosen(const loop::Plan& plan, const target::Target& device,
                                             std::size_t most_partitions) {
  // The user's models go before those that ship.
  auto store = store::users_store();
  if (!store) note("note: the store is not asked for a model: " + store.error().diagnostics.front().message);
  const auto found = predict::stream_model_for(device, store && *store ? &**store : nullptr);
  if (!found)
    throw_user(found.error().diagnostics.front().message, {},
               "give --streams P,T or --streams 1, or learn a model (hoist train --streams)");
  predict::StreamProgram program;
  program.features = predict::StreamFeatures(stream_facts(plan, device));
  program.most_partitions = static_cast<std::int64_t>(most_partitions);
  program.most_tasks = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(program.features.get_or(predict::StreamFeature::MostTasks, 1)));
  const predict::StreamChoice choice = predict::streams_choice(program, found->model);
  note(fmt::format("streams: P = {}, T = {}, chosen by the model {}: {}", choice.partitions, choice.tasks,
                   found->origin, choice.why));
  return {choice.partitions, choice.tasks};
}

const execute::StreamTimes& median_run(const std::vector<execute::StreamTimes>& times) {
  std::vector<std::size_t> order(times.size());
  for (std::size_t at = 0; at < order.size(); ++at) order[at] = at;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return times[a].wall < times[b].wall; });
  return times[order[(order.size() - 1) / 2]];
}

std::string interval_text(const tasks::Interval& interval) {
  return interval.is_empty() ? "nothing" : fmt::format("[{}, {})", interval.from, interval.to);
}

std::string kernel_name(const tasks::Cut& cut, const tasks::TaskStep& step) {
  const auto& node = cut.plan.steps[step.step].node;
  if (const auto* launch = std::get_if<loop::LaunchStep>(&node)) return cut.plan.kernels[launch->kernel].name;
  return std::holds_alternative<loop::CopyStep>(node) ? "a copy" : "a repetition";
}

/// The window of an array that a task's steps touch.
tasks::Interval window(const tasks::Phase& phase, std::size_t array, std::size_t task) {
  tasks::Interval result;
  for (const tasks::TaskStep& step : phase.steps) {
    for (const tasks::Touch& touch : step.touches[task]) {
      if (touch.array == array) result = hull(hull(result, touch.read), touch.written);
    }
  }
  return result;
}

}  // namespace

std::string cut_text(const execute::Streamed& streamed) {
  const tasks::Cut& cut = streamed.cut;
  const execute::StreamedPlan& plan = streamed.plan;
  std::string text = fmt::format("cutTasks: tasks = {}, partitions = {}\n", plan.tasks, plan.partitions);
  for (std::size_t number = 0; number < cut.phases.size(); ++number) {
    const tasks::Phase& phase = cut.phases[number];
    text += fmt::format("phase {}, {}:\n", number + 1,
                        phase.is_cut ? fmt::format("{} tasks", plan.tasks) : std::string("whole"));
    for (const tasks::TaskStep& step : phase.steps) {
      text += "  " + kernel_name(cut, step);
      if (phase.is_cut && plan.tasks > 1)
        text += fmt::format(": iterations {}, {}, ... {}", interval_text(step.iterations[0]),
                            interval_text(step.iterations[1]), interval_text(step.iterations.back()));
      text += "\n";
    }
    if (!phase.is_cut || plan.tasks == 1) continue;
    for (std::size_t at = 0; at < cut.arrays.size(); ++at) {
      const tasks::Interval first = window(phase, at, 0);
      if (cut.arrays[at].is_fault_flag || first.is_empty()) continue;
      text +=
          fmt::format("  {}{}: elements {}, {}, ... {}\n", cut.arrays[at].name,
                      cut.arrays[at].is_windowed() ? " by windows" : "", interval_text(first),
                      interval_text(window(phase, at, 1)), interval_text(window(phase, at, plan.tasks - 1)));
    }
  }
  for (const std::string& each : cut.uncut) text += fmt::format("not cut: {}\n", each);
  text += fmt::format(
      "uploads {}, of which {} for all tasks and {} again; downloads {}; {} of the device, {} "
      "task{} in flight\n",
      runtime::bytes_text(plan.upload_bytes), runtime::bytes_text(plan.shared_bytes),
      runtime::bytes_text(plan.redundant_bytes), runtime::bytes_text(plan.download_bytes),
      runtime::bytes_text(plan.memory_bytes), plan.tasks_in_flight, plan.tasks_in_flight == 1 ? "" : "s");
  return text;
}

Json cut_json(const execute::Streamed& streamed) {
  const tasks::Cut& cut = streamed.cut;
  const execute::StreamedPlan& plan = streamed.plan;
  Json phases = Json::array();
  for (const tasks::Phase& phase : cut.phases) {
    Json steps = Json::array(), arrays = Json::object();
    const std::size_t tasks = phase.is_cut ? plan.tasks : 1;
    for (const tasks::TaskStep& step : phase.steps) {
      Json iterations = Json::array();
      for (const tasks::Interval& each : step.iterations) iterations.push_back({each.from, each.to});
      steps.push_back({{"step", kernel_name(cut, step)}, {"iterations", std::move(iterations)}});
    }
    for (std::size_t at = 0; at < cut.arrays.size(); ++at) {
      if (cut.arrays[at].is_fault_flag) continue;
      Json windows = Json::array();
      for (std::size_t task = 0; task < tasks; ++task) {
        const tasks::Interval each = window(phase, at, task);
        if (!each.is_empty()) windows.push_back({each.from, each.to});
      }
      if (!windows.empty()) arrays[cut.arrays[at].name] = std::move(windows);
    }
    phases.push_back(
        {{"is_cut", phase.is_cut}, {"steps", std::move(steps)}, {"elements", std::move(arrays)}});
  }
  return {{"tasks", plan.tasks},
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

void add_streams_options(CLI::App& command, StreamsOption& option) {
  command
      .add_option("--streams", option.streams,
                  "Run as tasks whose transfers and kernels overlap: P,T for T tasks on P partitions of the "
                  "device; 1: all at once, with transfers timed; auto: as a model chooses")
      ->option_text("1|P,T|auto");
  command
      .add_option("--memory", option.memory,
                  "Take no more than this of the device in --streams; larger data pass through it")
      ->option_text("BYTES");
}

void check_streams(const StreamsOption& option) {
  if (!option.is_given() && !option.trace.empty()) throw_user("--trace needs --streams", {}, streams_help);
  if (!option.is_given() && !option.memory.empty()) throw_user("--memory needs --streams", {}, streams_help);
  if (option.is_given()) parsed(option.streams);
  if (!option.memory.empty()) parsed_bytes(option.memory);
}

execute::StreamOptions stream_options(const StreamsOption& option, const loop::Plan& plan,
                                      const target::Target& device, std::size_t most_partitions) {
  auto choice = parsed(option.streams);
  if (!choice) choice = chosen(plan, device, most_partitions);
  return {choice->first, choice->second, option.memory.empty() ? 0 : parsed_bytes(option.memory)};
}

StreamedRuns run_streamed(execute::StreamedExecutable& executable, const ir::Program& sized,
                          const std::vector<Data>& inputs, std::size_t repetitions, std::size_t warm_ups) {
  StreamedRuns runs{need(driver::empty_leaves(sized.result())), {}};
  execute::Transfers transfers;
  for (const Data& data : inputs) {
    for (const Tensor& tensor : data) transfers.inputs.emplace_back(tensor.bytes);
  }
  for (Tensor& tensor : runs.result) {
    tensor.bytes.resize(static_cast<std::size_t>(tensor.elements()) * size_of(tensor.scalar));
    transfers.outputs.emplace_back(tensor.bytes);
  }
  for (std::size_t run = 0; run < warm_ups + repetitions; ++run) {
    // What a run fails to write must not look right because an earlier one left it there.
    for (Tensor& tensor : runs.result)
      std::fill(tensor.bytes.begin(), tensor.bytes.end(), std::byte{execute::poison_byte});
    execute::StreamTimes times = need(executable.run(transfers));
    if (run >= warm_ups) runs.times.push_back(std::move(times));
  }
  return runs;
}

void write_trace(const StreamsOption& option, const execute::StreamedExecutable& executable,
                 const StreamedRuns& runs, Trace facts) {
  facts.records = executable.trace(median_run(runs.times)).records;
  std::ofstream file(option.trace, std::ios::binary);
  file << report::trace_json(facts);
  if (!file.flush()) throw_user("the trace cannot be written to " + option.trace);
}

std::string streams_text(const execute::StreamedExecutable& executable, const StreamedRuns& runs) {
  const execute::StreamedPlan& plan = executable.plan();
  const execute::StreamTimes& times = median_run(runs.times);
  std::string text = fmt::format("{} task{} on {} partition{}, {} in flight, {} of the device\n", plan.tasks,
                                 plan.tasks == 1 ? "" : "s", plan.partitions, plan.partitions == 1 ? "" : "s",
                                 plan.tasks_in_flight, runtime::bytes_text(plan.memory_bytes));
  text += fmt::format("uploads {} ({}), kernels {}, downloads {} ({}), all {}{}\n", time_text(times.uploads),
                      runtime::bytes_text(plan.upload_bytes), time_text(times.kernels),
                      time_text(times.downloads), runtime::bytes_text(plan.download_bytes),
                      time_text(times.wall), runs.times.size() == 1 ? "" : " (the median run)");
  text += fmt::format("{} of them overlapped\n", time_text(times.overlapped()));
  if (plan.redundant_bytes > 0)
    text += fmt::format("{} uploaded more than once\n", runtime::bytes_text(plan.redundant_bytes));
  return text;
}

Json streams_json(const execute::StreamedExecutable& executable,
                  const std::vector<execute::StreamTimes>& runs) {
  const execute::StreamedPlan& plan = executable.plan();
  const execute::StreamTimes& times = median_run(runs);
  std::vector<double> seconds;
  for (const execute::StreamTimes& each : runs) seconds.push_back(each.wall);
  return {{"partitions", plan.partitions},
          {"tasks", plan.tasks},
          {"seconds", seconds},
          {"upload_seconds", times.uploads},
          {"kernel_seconds", times.kernels},
          {"download_seconds", times.downloads},
          {"overlapped_seconds", times.overlapped()},
          {"busy_seconds", times.busy},
          {"tasks_in_flight", plan.tasks_in_flight},
          {"memory_bytes", plan.memory_bytes},
          {"upload_bytes", plan.upload_bytes},
          {"download_bytes", plan.download_bytes},
          {"redundant_bytes", plan.redundant_bytes},
          {"shared_bytes", plan.shared_bytes},
          {"notes", executable.notes()}};
}

}  // namespace hoist::cli
