// Streams at the command line: the options of hoist run and hoist explain, and what they print.
//
// `check_streams` refuses a text that is no choice before anything is compiled; `stream_options` makes the
// choice; for `auto` a model makes it (`chosen`). `run_streamed` runs, `streams_text`, `streams_json` and
// `trace_records` tell what came of it.
#include "cli/streams.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/need.hpp"
#include "base/stopwatch.hpp"
#include "execute/guard_zone.hpp"
#include "predict/predicted_streams.hpp"
#include "report/trace.hpp"
#include "runtime/limits.hpp"
#include "runtime/measure.hpp"
#include "runtime/queue.hpp"
#include "store/store.hpp"
#include "tuner/streamed_run.hpp"

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

/// The user's limit; 0 where there is none.
std::size_t memory_of(const StreamsOption& option) {
  return option.memory.empty() ? 0 : parsed_bytes(option.memory);
}

/// What `choose` makes of the user's store; its models go before those that ship.
template <class Choose>
auto with_users_models(Choose&& choose) {
  auto store = store::users_store();
  if (!store) note("note: the store is not asked for a model: " + store.error().diagnostics.front().message);
  auto chosen = choose(store && *store ? &**store : nullptr);
  if (!chosen)
    throw_user(chosen.error().diagnostics.front().message, {},
               "give --streams P,T or --streams 1, or learn a model (hoist train --streams)");
  return *std::move(chosen);
}

/// What a model chooses, for a run as it is: nothing of the program has run.
std::pair<std::int64_t, std::int64_t> chosen(const loop::Plan& plan, const target::Target& device,
                                             std::size_t most_partitions) {
  const auto start = std::chrono::steady_clock::now();
  const auto [choice, origin] = with_users_models(
      [&](store::Store* store) { return predict::chosen_streams(plan, device, most_partitions, store); });
  note(fmt::format("streams: P = {}, T = {}, chosen in {} by the model {}: {}", choice.partitions,
                   choice.tasks, time_text(seconds_since(start)), origin, choice.why));
  return {choice.partitions, choice.tasks};
}

std::vector<double> wall_seconds(const std::vector<execute::StreamTimes>& runs) {
  std::vector<double> seconds;
  for (const execute::StreamTimes& each : runs) seconds.push_back(each.wall);
  return seconds;
}

}  // namespace

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
  if (!option.is_given() && !option.trace.empty())
    throw_user("--trace needs --streams, or several devices or ranks", {}, streams_help);
  if (!option.is_given() && !option.memory.empty()) throw_user("--memory needs --streams", {}, streams_help);
  if (option.is_given()) parsed(option.streams);
  if (!option.memory.empty()) parsed_bytes(option.memory);
}

execute::StreamOptions stream_options(const StreamsOption& option, const loop::Plan& plan,
                                      const target::Target& device, std::size_t most_partitions) {
  if (const auto given = parsed(option.streams)) return {given->first, given->second, memory_of(option)};
  const auto [partitions, tasks] = chosen(plan, device, most_partitions);
  return execute::chosen_streams(partitions, tasks, memory_of(option));
}

std::optional<execute::StreamedExecutable> executable_after_run(const execute::StreamedExecutable& executable,
                                                                const driver::Compiled& compiled,
                                                                const execute::StreamOptions& options,
                                                                runtime::Device& device,
                                                                const predict::StreamedRun& run) {
  auto again = catch_failure([&]() -> std::optional<execute::StreamedExecutable> {
    const predict::StreamProgram program =
        predict::stream_program(compiled.plan, device.info(), device.stream_facts().most_partitions);
    const auto [choice, origin] = with_users_models(
        [&](store::Store* store) { return predict::chosen_after(program, run, device.info(), store); });
    if (choice.partitions == options.partitions && choice.tasks == options.tasks) return std::nullopt;
    execute::StreamOptions other = options;
    other.partitions = choice.partitions;
    other.tasks = choice.tasks;
    auto prepared = need(executable.prepare_again(compiled, other));
    note(fmt::format("streams: P = {}, T = {}, since a run has told what transfers and kernels take: {}",
                     choice.partitions, choice.tasks, choice.why));
    return prepared;
  });
  if (again) return *std::move(again);
  note("note: streams are not chosen again after a run: " + again.error().diagnostics.front().message);
  return std::nullopt;
}

std::vector<std::pair<std::size_t, execute::StreamOptions>> streams_by_units(const StreamsOption& option,
                                                                             const loop::Plan& plan,
                                                                             runtime::Device* device) {
  if (const auto given = parsed(option.streams))
    return {{1, {given->first, given->second, memory_of(option)}}};
  if (device == nullptr)
    throw_user("there is no such device here", "a model chooses for devices of the kind of one that is here",
               "give --streams P,T");
  const runtime::StreamFacts facts = device->stream_facts();
  const auto choices = with_users_models([&](store::Store* store) {
    return predict::chosen_by_partitions(plan, device->info(), facts.most_partitions, store);
  });
  std::vector<std::pair<std::size_t, execute::StreamOptions>> result;
  for (const auto& [partitions, choice] : choices) {
    const std::size_t units = partitions == 1 ? 1 : partitions * facts.partition_granularity;
    result.push_back({units, execute::chosen_streams(choice.partitions, choice.tasks, memory_of(option))});
  }
  return result;
}

StreamedRuns run_streamed(execute::StreamedExecutable& executable, const ir::Program& sized,
                          const std::vector<Data>& inputs, std::size_t repetitions, std::size_t warm_ups,
                          Data memory) {
  if (memory.empty()) memory = need(driver::empty_leaves(sized.result()));
  StreamedRuns runs{std::move(memory), {}, {}};
  execute::Transfers transfers;
  for (const Data& data : inputs) {
    for (const Tensor& tensor : data) transfers.inputs.emplace_back(tensor.bytes);
  }
  for (Tensor& tensor : runs.result) {
    tensor.bytes.resize(static_cast<std::size_t>(tensor.elements()) * size_of(tensor.scalar));
    transfers.outputs.emplace_back(tensor.bytes);
  }
  const auto run = [&](execute::CommandTimes times) {
    // What a run fails to write must not look right because an earlier one left it there.
    for (Tensor& tensor : runs.result)
      std::fill(tensor.bytes.begin(), tensor.bytes.end(), std::byte{execute::poison_byte});
    return need(executable.run(transfers, {}, times));
  };
  using enum execute::CommandTimes;
  for (std::size_t warm_up = 0; warm_up < warm_ups; ++warm_up) run(NotKept);
  if (repetitions > 1) {
    for (std::size_t each = 0; each < repetitions; ++each) runs.times.push_back(run(NotKept));
  }
  runs.of_commands = run(KeptAndCounted);
  if (repetitions <= 1) runs.times.push_back(runs.of_commands);
  return runs;
}

void write_trace(const std::string& path, const Trace& trace) {
  std::ofstream file(path, std::ios::binary);
  file << report::trace_json(trace);
  if (!file.flush()) throw_user("the trace cannot be written to " + path);
  note("wrote " + path);
}

std::vector<TraceRecord> trace_records(const execute::StreamedExecutable& executable,
                                       const StreamedRuns& runs) {
  return executable.trace(runs.of_commands).records;
}

std::string streams_text(const execute::StreamedExecutable& executable, const StreamedRuns& runs) {
  const execute::StreamedPlan& plan = executable.plan();
  const execute::StreamTimes& times = runs.of_commands;
  const std::vector<double> seconds = wall_seconds(runs.times);
  std::string text = fmt::format("{} task{} on {} partition{}, {} in flight, {} of the device\n", plan.tasks,
                                 plan.tasks == 1 ? "" : "s", plan.partitions, plan.partitions == 1 ? "" : "s",
                                 plan.tasks_in_flight, runtime::bytes_text(plan.memory_bytes));
  if (plan.all_steps() > 1)
    text += fmt::format("{} steps; results {} between them\n", plan.all_steps(),
                        plan.results_stay() ? "stay on the device" : "pass through the host's memory");
  text += fmt::format(
      "uploads {} ({}), kernels {}, downloads {} ({}), all {}{}\n", time_text(times.uploads),
      runtime::bytes_text(plan.upload_bytes), time_text(times.kernels), time_text(times.downloads),
      runtime::bytes_text(plan.download_bytes), time_text(runtime::summarize(seconds).median),
      seconds.size() == 1 ? "" : " (the median; the others of a run whose commands were timed)");
  text += fmt::format("{} of them overlapped\n", time_text(times.overlapped()));
  if (plan.redundant_bytes > 0)
    text += fmt::format("{} uploaded more than once\n", runtime::bytes_text(plan.redundant_bytes));
  return text;
}

Json streams_json(const execute::StreamedExecutable& executable,
                  const std::vector<execute::StreamTimes>& runs) {
  const execute::StreamedPlan& plan = executable.plan();
  Json result = {{"partitions", plan.partitions},         {"tasks", plan.tasks},
                 {"seconds", wall_seconds(runs)},         {"tasks_in_flight", plan.tasks_in_flight},
                 {"memory_bytes", plan.memory_bytes},     {"upload_bytes", plan.upload_bytes},
                 {"download_bytes", plan.download_bytes}, {"redundant_bytes", plan.redundant_bytes},
                 {"shared_bytes", plan.shared_bytes},     {"notes", executable.notes()}};
  if (plan.all_steps() > 1) result["results_stay"] = plan.results_stay();
  return result;
}

Json stream_times_json(const execute::StreamTimes& times) {
  Json result = {{"upload_seconds", times.uploads},
                 {"kernel_seconds", times.kernels},
                 {"download_seconds", times.downloads},
                 {"overlapped_seconds", times.overlapped()},
                 {"busy_seconds", times.busy}};
  for (const auto& [feature, rate] : tuner::counted_features(times.counters))
    result[std::string(predict::name_of(feature))] = rate;
  return result;
}

}  // namespace hoist::cli
