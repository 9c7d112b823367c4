// Gathers what the HTML report of a tuned task shows, from the store, as one object of JSON; docs/report.md
// says what each key means.
//
// Read `Gathered::json` first, which calls a function for each part of the page:
//
// - `add_work` tells the bytes and operations that the program specifies, from which throughputs follow.
// - `add_run` tells the newest run that came to its end, with its funnel: how many candidates each stage of
//   exploration left.
// - `add_evaluations` lists every evaluation of a candidate that was explored.
// - `add_others` holds the best of other tasks on the device, where they have the same parameters, against
// this
//   task's measurements, and the other way round.
// - `add_named` puts three implementations beside each other: the default mapping, one by hand, and the best
//   candidate. The derivation of the best is replayed rule by rule, so that the page can show the program
//   after each step.
//
// A part that the store lacks is left out, and the page says so. Texts that are JSON themselves (budget,
// funnel, environment) are parsed without exceptions.
#include "tuner/report_data.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "base/named_values.hpp"
#include "base/need.hpp"
#include "driver/compile.hpp"
#include "driver/work.hpp"
#include "ir/print.hpp"
#include "lang/lang.hpp"
#include "predict/measurements.hpp"
#include "target/kinds.hpp"
#include "tuner/records.hpp"

namespace hoist::tuner {

namespace {

using Json = nlohmann::json;

Json parsed(const std::string& text) { return Json::parse(text, nullptr, false); }

Json named(const store::NamedValues& values) {
  Json object = Json::object();
  for (const auto& [name, value] : values) object[name] = value;
  return object;
}

/// Chooses the newest of the task's runs that came to its end, or else the newest.
const store::StoredRun* told_run(const std::vector<store::StoredRun>& runs) {
  const auto ended =
      std::find_if(runs.rbegin(), runs.rend(), [](const auto& run) { return !run.ended.empty(); });
  if (ended != runs.rend()) return &*ended;
  return runs.empty() ? nullptr : &runs.back();
}

Json funnel_of(const Json& facts) {
  Json funnel = Json::array();
  const auto discarded = [](const Json& counts) {
    Json list = Json::array();
    if (counts.is_object()) {
      for (const auto& [reason, count] : counts.items())
        list.push_back({{"reason", reason}, {"count", count}});
    }
    return list;
  };
  const auto add = [&](const char* stage, const char* key, Json gone = Json::array()) {
    if (facts.contains(key))
      funnel.push_back({{"stage", stage}, {"count", facts[key]}, {"discarded", std::move(gone)}});
  };
  if (!facts.is_object()) return funnel;
  add("programs after macro rules", "algorithms");
  add("mapped to the device's hierarchy", "mapped");
  add("with values placed in memory", "placed", discarded(facts.value("programs_discarded", Json())));
  add("with sizes that satisfy all constraints", "derivations");
  add("candidates, one for each choice of sizes", "points");
  add("candidates looked at", "looked_at", discarded(facts.value("discarded", Json())));
  add("measured", "measured");
  return funnel;
}

Json launches_json(const std::vector<store::Launch>& launches) {
  Json list = Json::array();
  for (const store::Launch& each : launches)
    list.push_back({{"kernel", each.kernel}, {"global", each.global}, {"local", each.local}});
  return list;
}

Json facts_json(const std::vector<store::KernelBuild>& kernels) {
  Json facts = Json::object();
  const auto most = [&](const char* key, const std::optional<std::int64_t>& value) {
    if (value) facts[key] = std::max(facts.value(key, std::int64_t{0}), *value);
  };
  for (const store::KernelBuild& each : kernels) {
    most("registers", each.registers);
    most("private_memory", each.private_memory);
    most("local_memory", each.local_memory);
    most("groups_per_unit", each.groups_per_unit);
  }
  return facts;
}

/// An implementation as JSON: the baseline, one by hand, or the best.
Json implementation(const store::StoredEvaluation& of, const std::string& language) {
  return {{"id", of.candidate.name},
          {"median_seconds", of.median.value_or(0)},
          {"source", of.candidate.source},
          {"language", language},
          {"values", named(of.candidate.parameters)},
          {"launch", launches_json(of.candidate.launches)},
          {"facts", facts_json(of.evaluation.kernels)}};
}

/// Converts "2026-01-31T23:59:59.000Z" to seconds since 1970; 0 where a text has another form.
double seconds_of(const std::string& utc) {
  std::tm time{};
  double seconds = 0;
  if (std::sscanf(utc.c_str(), "%d-%d-%dT%d:%d:%lf", &time.tm_year, &time.tm_mon, &time.tm_mday,
                  &time.tm_hour, &time.tm_min, &seconds) != 6)
    return 0;
  time.tm_year -= 1900;
  time.tm_mon -= 1;
  return static_cast<double>(timegm(&time)) + seconds;
}

/// The least time of each point that was measured; infinite where it did not work. What follows from other
/// values, as it does for each program otherwise, tells no points apart.
std::map<std::string, double> times_by_point(const std::vector<store::MeasuredPoint>& points,
                                             const std::vector<std::string>& dependent) {
  const auto is_dependent = [&](const std::string& name) {
    return std::ranges::find(dependent, name) != dependent.end();
  };
  std::map<std::string, double> times;
  for (const store::MeasuredPoint& each : points) {
    store::NamedValues chosen = each.parameters;
    std::erase_if(chosen, [&](const auto& value) { return is_dependent(value.first); });
    std::string point = assignments(chosen);
    if (!is_dependent("derivation")) point += fmt::format("; {}", fmt::join(each.rules, "; "));
    double& least = times.try_emplace(point, std::numeric_limits<double>::infinity()).first->second;
    const bool has_time = each.outcome == store::Outcome::Ok || each.outcome == store::Outcome::StoppedEarly;
    if (has_time && each.median) least = std::min(least, *each.median);
  }
  return times;
}

class Gathered {
 public:
  Gathered(store::Store& store, store::TaskId id)
      : store_(store),
        task_(need(store.task(id))),
        runs_(need(store.runs(id))),
        evaluations_(need(store.evaluations(id))) {
    if (evaluations_.empty())
      throw_user(fmt::format("nothing was measured of {} yet", task_.task.program.name), {},
                 "hoist tune measures; hoist store list shows what there is");
  }

  Json json() {
    Json data = {{"program",
                  {{"name", task_.task.program.name},
                   {"text", task_.task.program.text},
                   {"sizes", named(task_.task.sizes)}}}};
    add_work(data["program"]);
    const store::Device& device = task_.task.device;
    data["device"] = {{"name", device.name},
                      {"backend", device.language},
                      {"driver", device.driver},
                      {"vendor", device.vendor},
                      {"platform", device.platform},
                      {"version", device.version},
                      {"compute_units", device.compute_units}};
    if (const store::StoredRun* run = told_run(runs_)) add_run(data, *run);
    add_evaluations(data);
    if (const auto dependent = dependent_values(); !dependent.empty()) data["dependent_values"] = dependent;
    add_others(data);
    add_named(data);
    return data;
  }

 private:
  void add_work(Json& program) const {
    const auto read = lang::parse_program(Source{"<store>", task_.task.program.text});
    if (!read) return;
    const auto sized = driver::with_sizes(*read, task_.task.sizes);
    const auto work = sized ? driver::work_of(*sized) : tl::unexpected(sized.error());
    if (!work) return;
    program["bytes"] = work->bytes;
    program["flops"] = work->flops;
  }

  static void add_run(Json& data, const store::StoredRun& run) {
    const Json budget = parsed(run.run.budget), funnel = parsed(run.funnel);
    Json& told =
        data["run"] = {{"strategy", run.run.strategy}, {"seed", run.run.seed}, {"started", run.run.started}};
    if (budget.is_object() && budget.contains("seconds")) told["budget_seconds"] = budget["seconds"];
    if (!run.ended.empty()) {
      told["ended"] = run.ended;
      told["wall_seconds"] = seconds_of(run.ended) - seconds_of(run.run.started);
    }
    data["made"] = run.ended.empty() ? run.run.started : run.ended;
    data["hoist"] = {{"version", run.run.hoist}};
    const Json environment = parsed(run.run.environment);
    if (environment.is_object()) data["environment"] = environment;
    data["funnel"] = funnel_of(funnel);
    if (funnel.is_object() && funnel.contains("ceilings")) data["ceilings"] = funnel["ceilings"];
  }

  void add_evaluations(Json& data) const {
    Json& list = data["evaluations"] = Json::array();
    const double start = runs_.empty() ? 0 : seconds_of(runs_.front().run.started);
    for (const store::StoredEvaluation& each : evaluations_) {
      if (each.evaluation.origin != store::Origin::Explored) continue;
      Json row = {{"id", each.candidate.name},
                  {"order", list.size() + 1},
                  {"when_seconds", seconds_of(each.evaluation.recorded) - start},
                  {"outcome", store::name_of(each.evaluation.outcome)},
                  {"values", named(each.candidate.parameters)},
                  {"derivation", predict::derivation_text(each.candidate.derivation)},
                  {"facts", facts_json(each.evaluation.kernels)}};
      if (!each.evaluation.message.empty()) row["message"] = each.evaluation.message;
      if (each.median) row["median_seconds"] = *each.median;
      list.push_back(std::move(row));
    }
  }

  std::vector<std::string> dependent_values() const {
    for (auto run = runs_.rbegin(); run != runs_.rend(); ++run) {
      const Json funnel = parsed(run->funnel);
      if (funnel.is_object() && funnel.contains("dependent_values")) return funnel["dependent_values"];
    }
    return {};
  }

  void add_others(Json& data) const {
    const auto by_time = [](const auto& a, const auto& b) { return a.second < b.second; };
    /// The share of the best's speed that a point has; nothing where it was not measured.
    const auto share = [](const std::map<std::string, double>& times, double least,
                          const std::string& point) -> std::optional<double> {
      const auto found = times.find(point);
      return found == times.end() ? std::nullopt : std::optional(least / found->second);
    };
    const std::vector<std::string> dependent = dependent_values();
    const auto here = times_by_point(need(store_.points(task_.id)), dependent);
    const auto best_here = std::ranges::min_element(here, by_time);
    if (best_here == here.end() || !std::isfinite(best_here->second)) return;
    Json others = Json::array();
    for (const store::StoredTask& each : need(store_.tasks())) {
      const store::Device &device = each.task.device, &own = task_.task.device;
      if (each.id == task_.id || device.language != own.language || device.name != own.name) continue;
      const auto there = times_by_point(need(store_.points(each.id)), dependent);
      const auto best_there = std::ranges::min_element(there, by_time);
      if (best_there == there.end() || !std::isfinite(best_there->second)) continue;
      const auto theirs_here = share(here, best_here->second, best_there->first);
      const auto ours_there = share(there, best_there->second, best_here->first);
      if (!theirs_here && !ours_there) continue;
      Json row = {{"program", each.task.program.name}, {"sizes", named(each.task.sizes)}};
      if (theirs_here) row["their_best_here"] = *theirs_here;
      if (ours_there) row["best_there"] = *ours_there;
      others.push_back(std::move(row));
    }
    if (!others.empty()) data["others"] = std::move(others);
  }

  /// The newest measurement counts: it was taken beside the others, at the end of a run.
  const store::StoredEvaluation* newest(store::Origin origin) const {
    const auto found = std::find_if(evaluations_.rbegin(), evaluations_.rend(), [&](const auto& each) {
      return each.evaluation.origin == origin && each.evaluation.outcome == store::Outcome::Ok;
    });
    return found == evaluations_.rend() ? nullptr : &*found;
  }
  const store::StoredEvaluation* fastest() const {
    const store::StoredEvaluation* best = nullptr;
    for (const store::StoredEvaluation& each : evaluations_) {
      if (each.evaluation.origin != store::Origin::Explored || each.evaluation.outcome != store::Outcome::Ok)
        continue;
      if (best == nullptr || *each.median < *best->median) best = &each;
    }
    return best;
  }

  std::vector<ir::Program> programs_of(const store::StoredEvaluation& of) const {
    const auto read = lang::parse_program(Source{"<store>", task_.task.program.text});
    const auto sized = read ? driver::with_sizes(*read, task_.task.sizes) : tl::unexpected(read.error());
    return sized ? programs_after(*sized, of.candidate.derivation) : std::vector<ir::Program>();
  }

  void add_named(Json& data) const {
    const std::string& language = task_.task.device.language;
    if (const auto* baseline = newest(store::Origin::Baseline))
      data["baseline"] = implementation(*baseline, language);
    if (const auto* hand = newest(store::Origin::Hand)) data["by_hand"] = implementation(*hand, language);
    const store::StoredEvaluation* best = fastest();
    if (best == nullptr) return;
    data["best"] = implementation(*best, language);
    const std::vector<ir::Program> programs = programs_of(*best);
    Json& steps = data["best"]["derivation"] =
        Json::array({{{"rule", "program"}, {"term", task_.task.program.text}}});
    for (std::size_t i = 0; i < best->candidate.derivation.size(); ++i) {
      const store::Step& step = best->candidate.derivation[i];
      Json row = {{"rule", step.rule}, {"place", step.place}};
      if (i < programs.size()) row["term"] = ir::to_string(programs[i]);
      steps.push_back(std::move(row));
    }
  }

  store::Store& store_;
  store::StoredTask task_;
  std::vector<store::StoredRun> runs_;
  std::vector<store::StoredEvaluation> evaluations_;
};

}  // namespace

Result<std::optional<store::TaskId>> last_measured(store::Store& store, const ir::Program& program,
                                                   const driver::NamedSizes& sizes,
                                                   std::optional<target::Language> language) {
  auto tasks = store.tasks(stored_program(program).hash);
  if (!tasks) return tl::unexpected(tasks.error());
  const store::StoredTask* found = nullptr;
  for (const store::StoredTask& each : *tasks) {
    const bool has_sizes = std::all_of(sizes.begin(), sizes.end(), [&](const auto& size) {
      return std::find(each.task.sizes.begin(), each.task.sizes.end(), size) != each.task.sizes.end();
    });
    const bool is_device = !language || each.task.device.language == target::name_of(*language);
    if (has_sizes && is_device && each.evaluations > 0 && (found == nullptr || found->last < each.last))
      found = &each;
  }
  return found == nullptr ? std::nullopt : std::optional(found->id);
}

Result<nlohmann::json> report_data(store::Store& store, store::TaskId task) {
  return catch_failure([&] {
    const ir::Arena arena;
    return Gathered(store, task).json();
  });
}

}  // namespace hoist::tuner
