// What `hoist store list` and `hoist store show` print of the tasks in a store: as text for people, as JSON
// for programs.
//
// Read the functions behind the anonymous namespace first. `task_table` is the list: a line for each task
// (program, sizes, device), with how many evaluations there were, the best median time, and its speed-up
// over the default mapping. `show_task` is one task: its runs, how many evaluations had which outcome, and
// the fastest candidates. `show_candidate` is one candidate: its derivation, its launches, its source, and
// everything that was measured of it.
//
// What they are put together from comes in two kinds: functions that end in `_text` make text, `facts` and
// functions that end in `_facts` make objects of JSON, with times in seconds and memory in bytes.
#include "cli/store_show.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/session.hpp"

namespace hoist::cli {

namespace {

using store::StoredEvaluation;
using store::StoredTask;

std::int64_t number(auto id) { return static_cast<std::int64_t>(id); }
std::string optional_time(const std::optional<double>& seconds) { return seconds ? time_text(*seconds) : ""; }
Json optional_json(const auto& value) { return value ? Json(*value) : Json(nullptr); }

Json object_of(const store::NamedValues& values) {
  Json json = Json::object();
  for (const auto& [name, value] : values) json[name] = value;
  return json;
}

std::string speed_up(const StoredTask& stored) {
  return stored.best && stored.baseline && *stored.best > 0
             ? fmt::format("{:.2f}", *stored.baseline / *stored.best)
             : "";
}

Json device_facts(const store::Device& device) {
  return {{"language", device.language},
          {"name", device.name},
          {"driver", device.driver},
          {"vendor", device.vendor},
          {"platform", device.platform},
          {"version", device.version},
          {"compute_units", device.compute_units},
          {"facts", Json::parse(device.facts, nullptr, false)}};
}

Json run_facts(const store::StoredRun& stored) {
  return {{"run", number(stored.id)},
          {"strategy", stored.run.strategy},
          {"seed", stored.run.seed},
          {"budget", Json::parse(stored.run.budget, nullptr, false)},
          {"funnel", Json::parse(stored.funnel, nullptr, false)},
          {"environment", Json::parse(stored.run.environment, nullptr, false)},
          {"hoist", stored.run.hoist},
          {"started", stored.run.started},
          {"ended", stored.ended.empty() ? Json(nullptr) : Json(stored.ended)}};
}

/// Nodes that are slower than others of their kind: only times of one Hoist, the newest run's, are held
/// against each other, for what another version makes of a term may differ.
std::vector<tuner::NodePace> slow_nodes_of(const std::vector<store::StoredRun>& runs,
                                           const std::vector<StoredEvaluation>& all) {
  std::map<store::RunId, std::string> environments;
  for (const store::StoredRun& each : runs) {
    if (each.run.hoist == runs.back().run.hoist) environments.emplace(each.id, each.run.environment);
  }
  std::vector<store::TimeOnNode> times;
  for (const StoredEvaluation& each : all) {
    const auto run = each.run ? environments.find(*each.run) : environments.end();
    if (run != environments.end() && each.median && each.evaluation.outcome == store::Outcome::Ok)
      times.push_back({each.candidate_id, run->second, *each.median});
  }
  return tuner::slow_nodes(times);
}

Json kernel_facts(const store::KernelBuild& kernel) {
  return {{"kernel", kernel.kernel},
          {"registers", optional_json(kernel.registers)},
          {"private_memory", optional_json(kernel.private_memory)},
          {"local_memory", optional_json(kernel.local_memory)},
          {"max_group_size", optional_json(kernel.max_group_size)},
          {"groups_per_unit", optional_json(kernel.groups_per_unit)}};
}

/// An evaluation as JSON. Times are in seconds and memory is in bytes, as everywhere.
Json facts(const StoredEvaluation& stored) {
  const store::Evaluation& evaluation = stored.evaluation;
  Json kernels = Json::array();
  for (const store::KernelBuild& kernel : evaluation.kernels) kernels.push_back(kernel_facts(kernel));
  return {{"evaluation", number(stored.id)},
          {"candidate", stored.candidate.name},
          {"run", stored.run ? Json(number(*stored.run)) : Json(nullptr)},
          {"origin", store::name_of(evaluation.origin)},
          {"outcome", store::name_of(evaluation.outcome)},
          {"message", evaluation.message},
          {"median", optional_json(stored.median)},
          {"times", evaluation.times},
          {"build_seconds", optional_json(evaluation.build_seconds)},
          {"kernels", std::move(kernels)},
          {"clock_mhz", optional_json(evaluation.conditions.clock_mhz)},
          {"memory_clock_mhz", optional_json(evaluation.conditions.memory_clock_mhz)},
          {"temperature_celsius", optional_json(evaluation.conditions.temperature_celsius)},
          {"power_watts", optional_json(evaluation.conditions.power_watts)},
          {"wall_seconds", evaluation.wall_seconds},
          {"recorded", evaluation.recorded},
          {"hoist", evaluation.hoist},
          {"seed", evaluation.seed}};
}

Json facts(const store::Candidate& candidate) {
  Json derivation = Json::array(), launches = Json::array();
  for (const store::Step& step : candidate.derivation)
    derivation.push_back({{"rule", step.rule}, {"at", step.place}});
  for (const store::Launch& launch : candidate.launches)
    launches.push_back({{"kernel", launch.kernel}, {"global", launch.global}, {"local", launch.local}});
  return {{"name", candidate.name},
          {"hash", candidate.hash},
          {"derivation", std::move(derivation)},
          {"parameters", object_of(candidate.parameters)},
          {"term", candidate.term},
          {"launches", std::move(launches)},
          {"source", candidate.source}};
}

/// Keeps the evaluations that are ok, and puts the fastest first.
std::vector<StoredEvaluation> ranked(std::vector<StoredEvaluation> all) {
  std::erase_if(all,
                [](const StoredEvaluation& each) { return each.evaluation.outcome != store::Outcome::Ok; });
  std::stable_sort(all.begin(), all.end(),
                   [](const StoredEvaluation& a, const StoredEvaluation& b) { return a.median < b.median; });
  return all;
}

std::vector<std::pair<std::string, int>> outcomes_of(const std::vector<StoredEvaluation>& all) {
  std::map<store::Outcome, int> counts;
  for (const StoredEvaluation& each : all) ++counts[each.evaluation.outcome];
  std::vector<std::pair<std::string, int>> named;
  for (const auto& [outcome, count] : counts) named.emplace_back(store::name_of(outcome), count);
  return named;
}

std::string runs_text(const std::vector<store::StoredRun>& runs) {
  if (runs.empty()) return "";
  using enum Table::Align;
  Table table({{"run", Right},
               {"strategy", Left},
               {"seed", Right},
               {"started", Left},
               {"ended", Left},
               {"Hoist", Left},
               {"node", Left}});
  for (const store::StoredRun& each : runs)
    table.add_row({fmt::format("{}", number(each.id)), each.run.strategy, fmt::format("{}", each.run.seed),
                   each.run.started, each.ended.empty() ? "not ended" : each.ended, each.run.hoist,
                   tuner::node_of(each.run.environment)});
  return "\n" + table.text();
}

std::string best_text(const std::vector<StoredEvaluation>& best, std::size_t most) {
  if (best.empty()) return "";
  using enum Table::Align;
  Table table(
      {{"candidate", Left}, {"median", Right}, {"times", Right}, {"origin", Left}, {"parameters", Left}});
  for (std::size_t i = 0; i < std::min(best.size(), most); ++i)
    table.add_row({best[i].candidate.name, optional_time(best[i].median),
                   fmt::format("{}", best[i].evaluation.times.size()),
                   std::string(store::name_of(best[i].evaluation.origin)),
                   named_values_text(best[i].candidate.parameters)});
  return "\n" + table.text();
}

std::string heading(const StoredTask& stored) {
  const store::Task& task = stored.task;
  return fmt::format("task {}: {}({}) on {} ({}, driver {})\nprogram {}\n\n{}", number(stored.id),
                     task.program.name, named_values_text(task.sizes), task.device.name, task.device.language,
                     task.device.driver, task.program.hash, task.program.text);
}

std::string evaluation_text(const StoredEvaluation& each) {
  const store::Evaluation& evaluation = each.evaluation;
  std::string text = fmt::format("\nevaluation {}, {}: {}{}{}\n", number(each.id), evaluation.recorded,
                                 store::name_of(evaluation.outcome), evaluation.message.empty() ? "" : ": ",
                                 evaluation.message);
  if (each.median) {
    std::vector<std::string> times;
    for (const double seconds : evaluation.times) times.push_back(time_text(seconds));
    text += fmt::format("  median {} of {}\n", time_text(*each.median), joined(times));
  }
  for (const store::KernelBuild& kernel : evaluation.kernels) {
    text += fmt::format("  {}:", kernel.kernel);
    const std::pair<const char*, std::optional<std::int64_t>> known[] = {
        {"registers", kernel.registers},
        {"bytes private", kernel.private_memory},
        {"bytes local", kernel.local_memory},
        {"work-items a group at most", kernel.max_group_size},
        {"groups a unit", kernel.groups_per_unit}};
    std::vector<std::string> parts;
    for (const auto& [name, value] : known)
      if (value) parts.push_back(fmt::format("{} {}", *value, name));
    text += " " + joined(parts) + "\n";
  }
  return text;
}

std::string candidate_text(const store::Candidate& candidate) {
  std::string text = fmt::format("candidate {} ({})\n", candidate.name, candidate.hash);
  for (std::size_t i = 0; i < candidate.derivation.size(); ++i)
    text += fmt::format("{}. {} at {}\n", i + 1, candidate.derivation[i].rule, candidate.derivation[i].place);
  if (!candidate.parameters.empty())
    text += fmt::format("with {}\n", named_values_text(candidate.parameters));
  for (const store::Launch& launch : candidate.launches)
    text += fmt::format("{}: {} work-items in groups of {}\n", launch.kernel, fmt::join(launch.global, " x "),
                        fmt::join(launch.local, " x "));
  if (!candidate.term.empty()) text += fmt::format("\n{}\n", candidate.term);
  if (!candidate.source.empty()) text += fmt::format("\n{}\n", candidate.source);
  return text;
}

}  // namespace

Table task_table(const std::vector<StoredTask>& tasks) {
  using enum Table::Align;
  Table table({{"task", Right},
               {"program", Left},
               {"sizes", Left},
               {"device", Left},
               {"driver", Left},
               {"tried", Right},
               {"ok", Right},
               {"best", Right},
               {"speed-up", Right},
               {"last", Left}});
  for (const StoredTask& each : tasks) {
    const store::Task& task = each.task;
    table.add_row({fmt::format("{}", number(each.id)), task.program.name, named_values_text(task.sizes),
                   fmt::format("{} ({})", task.device.name, task.device.language), task.device.driver,
                   fmt::format("{}", each.evaluations), fmt::format("{}", each.ok), optional_time(each.best),
                   speed_up(each), each.last.substr(0, 10)});
  }
  return table;
}

Json facts(const StoredTask& stored) {
  return {{"task", number(stored.id)},
          {"program", stored.task.program.name},
          {"hash", stored.task.program.hash},
          {"sizes", object_of(stored.task.sizes)},
          {"device", device_facts(stored.task.device)},
          {"candidates", stored.candidates},
          {"evaluations", stored.evaluations},
          {"ok", stored.ok},
          {"best", optional_json(stored.best)},
          {"baseline", optional_json(stored.baseline)},
          {"last", stored.last.empty() ? Json(nullptr) : Json(stored.last)}};
}

Json facts(const tuner::NodePace& pace) {
  return {{"node", pace.node}, {"slowdown", pace.slowdown}, {"candidates", pace.candidates}};
}

void show_task(store::Store& store, store::TaskId id, std::size_t best, bool json) {
  const StoredTask stored = need(store.task(id));
  const std::vector<store::StoredRun> runs = need(store.runs(id));
  const std::vector<StoredEvaluation> all = need(store.evaluations(id));
  const std::vector<StoredEvaluation> order = ranked(all);
  if (!json) {
    std::vector<std::string> outcomes;
    for (const auto& [name, count] : outcomes_of(all)) outcomes.push_back(fmt::format("{} {}", count, name));
    std::string slow;
    for (const tuner::NodePace& each : slow_nodes_of(runs, all)) slow += "\n" + to_string(each) + "\n";
    print(fmt::format("{}\n{} candidates{}{}\n{}{}{}", heading(stored), stored.candidates,
                      outcomes.empty() ? "" : ": ", joined(outcomes), runs_text(runs), slow,
                      best_text(order, best)));
    return;
  }
  Json result = facts(stored), run_list = Json::array(), best_list = Json::array(), outcomes = Json::object();
  for (const store::StoredRun& each : runs) run_list.push_back(run_facts(each));
  for (std::size_t i = 0; i < std::min(order.size(), best); ++i) {
    Json each = facts(order[i]);
    each["parameters"] = object_of(order[i].candidate.parameters);
    best_list.push_back(std::move(each));
  }
  for (const auto& [name, count] : outcomes_of(all)) outcomes[name] = count;
  for (const tuner::NodePace& each : slow_nodes_of(runs, all)) result["slow_nodes"].push_back(facts(each));
  result["text"] = stored.task.program.text;
  result["outcomes"] = std::move(outcomes);
  result["runs"] = std::move(run_list);
  result["fastest"] = std::move(best_list);
  print_json(result);
}

void show_candidate(store::Store& store, store::TaskId id, const std::string& name, bool json) {
  std::vector<StoredEvaluation> all = need(store.evaluations(id));
  std::vector<std::string> names;
  for (const StoredEvaluation& each : all) names.push_back(each.candidate.name);
  std::erase_if(all, [&](const StoredEvaluation& each) { return each.candidate.name != name; });
  if (all.empty())
    throw_user(fmt::format("task {} has no candidate '{}'{}", number(id), name, did_you_mean(name, names)),
               {}, fmt::format("hoist store show {} lists the fastest", number(id)));
  // One name may stand for several candidates, when what is explored has changed between runs.
  std::map<store::CandidateId, std::vector<StoredEvaluation>> by_candidate;
  for (StoredEvaluation& each : all) by_candidate[each.candidate_id].push_back(std::move(each));
  Json list = Json::array();
  std::string text;
  for (const auto& [candidate, evaluations] : by_candidate) {
    Json each = facts(evaluations.front().candidate);
    each["evaluations"] = Json::array();
    text += (text.empty() ? "" : "\n") + candidate_text(evaluations.front().candidate);
    for (const StoredEvaluation& evaluation : evaluations) {
      each["evaluations"].push_back(facts(evaluation));
      text += evaluation_text(evaluation);
    }
    list.push_back(std::move(each));
  }
  if (json)
    print_json(list);
  else
    print(text);
}

}  // namespace hoist::cli
