// What tuning found, as text and as JSON.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/named_values.hpp"
#include "cli/specification_option.hpp"
#include "cli/store_show.hpp"
#include "cli/tune.hpp"

namespace hoist::cli {

std::string duration_text(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  return seconds < 5400 ? fmt::format("{:.1f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

std::string progress_text(const tuner::TuningProgress& progress) {
  std::string text = fmt::format("{:>4.0f} s  {}", progress.seconds, progress.phase);
  if (progress.evaluated > 0)
    text += fmt::format(", {} tried, {} failed, {:.1f} a second", progress.evaluated, progress.failed,
                        static_cast<double>(progress.evaluated) / std::max(progress.seconds, 1e-3));
  if (progress.best > 0) text += ", best " + time_text(progress.best);
  if (progress.best > 0 && progress.baseline > 0)
    text += fmt::format(" ({:.2f} times the default's speed)", progress.baseline / progress.best);
  if (progress.seconds_left > 0 && std::isfinite(progress.seconds_left))
    text += ", " + duration_text(progress.seconds_left) + " left";
  return text;
}

namespace {

Json json_of(const tuner::Ceilings& ceilings) {
  return {{"copy_gb_s", ceilings.copy_bytes * 1e-9}, {"flops_f32", ceilings.f32_flops}};
}
tuner::Ceilings ceilings_of(const Json& json) {
  return {json["copy_gb_s"].get<double>() * 1e9, json["flops_f32"]};
}

}  // namespace

std::optional<tuner::Ceilings> CeilingsOfDevices::of(const std::string& device, double patience) {
  const auto known = known_.find(device);
  if (known != known_.end()) return known->second;
  const auto measured = tuner::measure_ceilings(device, patience);
  if (measured) return known_.emplace(device, *measured).first->second;
  note("note: the device's bandwidth and arithmetic speed were not measured: " +
       measured.error().diagnostics.front().message);
  return std::nullopt;
}

std::optional<tuner::Ceilings> CeilingsOfDevices::add_to(store::Store& store,
                                                         const tuner::TuningResult& result,
                                                         const std::string& device, double budget) {
  // Two short kernels, which need a budget no room for; but where other searches have the device, waiting for
  // them would.
  constexpr double late = 1.05, longest = 10;
  const double patience = std::min(late * budget - result.seconds, longest);
  if (!result.has_begun) return std::nullopt;
  if (!known_.contains(device)) {
    const std::string earlier = need(store.latest_funnel_with("ceilings", result.run));
    if (!earlier.empty())
      known_.emplace(device, ceilings_of(Json::parse(earlier).at("ceilings")));
    else if (patience <= 0)
      return std::nullopt;
  }
  const std::optional<tuner::Ceilings> ceilings = of(device, patience);
  if (!ceilings) return std::nullopt;
  for (const store::StoredRun& run : need(store.runs(result.task))) {
    if (run.id != result.run) continue;
    Json funnel = Json::parse(run.funnel);
    funnel["ceilings"] = json_of(*ceilings);
    need(store.end_run(run.id, funnel.dump()));
  }
  return ceilings;
}

Json result_json(const tuner::TuningResult& result, const driver::Work& work,
                 const std::optional<tuner::Ceilings>& ceilings) {
  const auto tried = [&](const tuner::Tried& each) {
    Json values = Json::object();
    for (const auto& [name, value] : each.values) values[name] = value;
    return Json{{"id", each.name},
                {"median_seconds", each.median},
                {"derivation", each.derivation},
                {"values", std::move(values)},
                {"gb_s", work.bytes / each.median * 1e-9},
                {"gflop_s", work.flops / each.median * 1e-9}};
  };
  Json best = Json::array();
  for (const tuner::Tried& each : result.best) best.push_back(tried(each));
  Json json = {{"best", std::move(best)},       {"baseline_seconds", result.baseline},
               {"evaluated", result.evaluated}, {"known", result.known},
               {"ranked", result.ranked},       {"device_share", result.device_share},
               {"outcomes", result.outcomes},   {"seconds", result.seconds},
               {"ended_by", result.ended_by}};
  for (const auto& [phase, seconds] : result.phases) json["phases"][phase] = seconds;
  if (result.first && result.first->median > 0) json["first"] = tried(*result.first);
  if (result.of_known_terms > 0) json["of_known_terms"] = result.of_known_terms;
  if (result.specified) {
    json["specification"] = tuner::to_json(*result.specified);
    json["specification"]["tried"] = tuner::tried_json(*result.specified);
  }
  if (result.technique) {
    Json shares = Json::object();
    for (const predict::Technique each : predict::all_techniques)
      shares[std::string(predict::name_of(each))] = result.technique->shares[static_cast<std::size_t>(each)];
    json["technique"] = {{"name", predict::name_of(result.technique->technique)},
                         {"explanation", result.technique->explanation},
                         {"expected_shares", std::move(shares)},
                         {"model_of", result.technique->device_class},
                         {"origin", result.technique->origin}};
  }
  for (const tuner::NodePace& each : result.slow_nodes) json["slow_nodes"].push_back(facts(each));
  if (result.known_elsewhere > 0) json["known_elsewhere"] = result.known_elsewhere;
  if (result.elsewhere_held) json["elsewhere_held"] = *result.elsewhere_held;
  if (ceilings) json["ceilings"] = json_of(*ceilings);
  return json;
}

std::string result_text(const tuner::TuningResult& result, const driver::Work& work,
                        const std::optional<tuner::Ceilings>& ceilings) {
  using enum Table::Align;
  Table table({{"id", Right},
               {"median", Right},
               {"GB/s", Right},
               {"GFLOP/s", Right},
               {"default's speed", Right},
               {"how"}});
  for (const tuner::Tried& each : result.best) {
    table.add_row({each.name, time_text(each.median), rate_text(work.bytes / each.median * 1e-9),
                   rate_text(work.flops / each.median * 1e-9),
                   result.baseline > 0 ? fmt::format("{:.2f}", result.baseline / each.median) : "",
                   each.values.empty() && each.derivation == "no macro rule"
                       ? ""
                       : fmt::format("{}{}{}", each.derivation, each.values.empty() ? "" : "  ",
                                     assignments(each.values))});
  }
  std::vector<std::string> outcomes;
  for (const auto& [name, count] : result.outcomes) outcomes.push_back(fmt::format("{} {}", count, name));
  std::string text = result.best.empty() ? "" : table.text();
  if (ceilings)
    text += fmt::format("the device copies {:.0f} GB/s and does {:.0f} GFLOP/s in f32\n",
                        ceilings->copy_bytes * 1e-9, ceilings->f32_flops * 1e-9);
  text += fmt::format(
      "tried {} candidates in {} ({}); {} more were known from the store; the search ended because {}\n",
      result.evaluated, duration_text(result.seconds), joined(outcomes), result.known, result.ended_by);
  if (result.specified) text += tally_text(result.specified->tally);
  return text;
}

}  // namespace hoist::cli
