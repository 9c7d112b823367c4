#include <nlohmann/json.hpp>

#include "model/evaluate.hpp"

namespace hoist::model {

using Json = nlohmann::json;

namespace {
Json reach_json(const Reach& reach) { return {{"runs", reach.runs}, {"seconds", reach.seconds}}; }
}  // namespace

Json to_json(const CostSummary& summary) {
  return {{"tasks", summary.tasks},
          {"first_run", summary.first_run},
          {"runs_90", summary.runs_90},
          {"runs_95", summary.runs_95},
          {"random_runs_90", summary.random_runs_90},
          {"random_runs_95", summary.random_runs_95},
          {"median_runs_90", summary.median_runs_90},
          {"worst_runs_90", summary.worst_runs_90},
          {"one_run_90", summary.one_run_90},
          {"fewer_runs_90", summary.fewer_runs_90},
          {"less_time_90", summary.less_time_90}};
}

Json to_json(const Summary& summary) {
  Json json = to_json(static_cast<const CostSummary&>(summary));
  json["correlation"] = summary.correlation;
  json["rank_correlation"] = summary.rank_correlation;
  json["within_deviation"] = summary.within_deviation;
  return json;
}

Json to_json(const TaskCosts& task) {
  Json curve = Json::array();
  for (const CurvePoint& point : task.curve) curve.push_back({point.runs, point.in_order, point.at_random});
  return {{"program", task.task.program},
          {"sizes", task.task.sizes},
          {"device_class", task.task.device_class},
          {"candidates", task.candidates},
          {"failed", task.failed},
          {"best_seconds", task.best_seconds},
          {"first_run", task.first_run},
          {"predicted_90", reach_json(task.predicted_90)},
          {"random_90", reach_json(task.random_90)},
          {"predicted_95", reach_json(task.predicted_95)},
          {"random_95", reach_json(task.random_95)},
          {"curve", curve}};
}

Json to_json(const TaskEvaluation& task) {
  Json json = to_json(static_cast<const TaskCosts&>(task));
  json["split"] = task.split;
  json["outside"] = task.outside;
  json["correlation"] = task.correlation;
  json["rank_correlation"] = task.rank_correlation;
  json["within_deviation"] = task.within_deviation;
  return json;
}

Json to_json(const Evaluation& evaluation) {
  Json tasks = Json::array(), programs = Json::object();
  for (const TaskEvaluation& task : evaluation.tasks) tasks.push_back(to_json(task));
  for (const auto& [program, summary] : evaluation.by_program) programs[program] = to_json(summary);
  return {{"kind", evaluation.kind},
          {"seed", evaluation.seed},
          {"summary", to_json(evaluation.summary)},
          {"by_program", programs},
          {"tasks", tasks}};
}

Json to_json(const std::vector<Redundancy>& redundancies) {
  Json list = Json::array();
  for (const Redundancy& each : redundancies)
    list.push_back({{"feature", each.feature}, {"group", each.group}, {"redundancy", each.value}});
  return list;
}

Json to_json(const std::vector<Ablation>& ablations) {
  Json list = Json::array();
  for (const Ablation& each : ablations)
    list.push_back({{"group", each.group}, {"features", each.features}, {"summary", to_json(each.summary)}});
  return list;
}

}  // namespace hoist::model
