#pragma once
// How well a kind of model predicts what it has not seen. docs/model.md says what the figures mean.
#include <functional>
#include <nlohmann/json_fwd.hpp>

#include "model/model.hpp"
#include "model/order.hpp"

namespace hoist::model {

/// Rows to learn from and rows to predict; whole tasks each.
struct Split {
  std::string name;
  std::vector<std::uint32_t> train, test;
};

using TaskPredicate = std::function<bool(const Task&)>;
Split split(std::string name, const Dataset& dataset, const TaskPredicate& train, const TaskPredicate& test);
/// For each value of `key` in turn: those tasks are predicted, learned is from all others.
std::vector<Split> leave_out(const Dataset& dataset, const std::function<std::string(const Task&)>& key);
std::vector<Split> leave_programs_out(const Dataset& dataset);
/// For each program and class of devices of which several sizes were measured: the largest is predicted,
/// learned is from its smaller sizes and from all other programs. A size is as large as the product of its
/// numbers ("H=512 W=512"); what is as large, or larger, of the same program is not learned from on other
/// devices either. User errors: sizes that are not of that form, no program with several.
Result<std::vector<Split>> leave_largest_out(const Dataset& dataset);

/// What trying the candidates of a task in some order costs: the order that a model predicts, or in which a
/// search goes, where all numbers are means over its runs.
struct TaskCosts {
  Task task;
  std::size_t candidates = 0, failed = 0;
  double best_seconds = 0;
  Reach predicted_90, random_90;  ///< until 90% of the best throughput, in that order and at random
  Reach predicted_95, random_95;
  double first_run = 0;  ///< the throughput of the first in that order, over the best
  std::vector<CurvePoint> curve;
};
/// The costs of measuring candidates in this order. `seconds` are their times, NaN where they failed; one ran
/// at least.
TaskCosts costs_in_order(const Task& task, const std::vector<double>& seconds,
                         const std::vector<std::uint32_t>& order);
/// The mean of one task's costs in several orders, of which there is at least one.
TaskCosts mean_of(const std::vector<TaskCosts>& costs);
/// The same candidates at random: the exact expectation over all orders.
TaskCosts at_random(TaskCosts costs);

/// One task that was predicted by a model that has not seen it.
struct TaskEvaluation : TaskCosts {
  std::string split = {};
  std::size_t outside = 0;      ///< candidates with a feature outside the range that the model has seen
  double correlation = 0;       ///< Pearson's, of predicted and actual throughput of those that ran
  double rank_correlation = 0;  ///< Spearman's
  double within_deviation = 0;  ///< the share of candidates whose error is at most one predicted deviation
};

/// Means over tasks.
struct CostSummary {
  std::size_t tasks = 0;
  double first_run = 0;
  double runs_90 = 0, runs_95 = 0, random_runs_90 = 0, random_runs_95 = 0;
  double median_runs_90 = 0, worst_runs_90 = 0;
  double one_run_90 = 0;                       ///< the share of tasks in which the first run reached 90%
  double fewer_runs_90 = 0, less_time_90 = 0;  ///< geometric means of how many times less than at random
};
CostSummary summarize_costs(const std::vector<TaskCosts>& tasks);
struct Summary : CostSummary {
  double correlation = 0, rank_correlation = 0, within_deviation = 0;
};
Summary summarize(const std::vector<TaskEvaluation>& tasks);
/// The costs alone.
std::vector<TaskCosts> costs_of(const std::vector<TaskEvaluation>& tasks);

struct Evaluation {
  std::string kind;
  std::uint64_t seed = 0;
  std::vector<TaskEvaluation> tasks;
  Summary summary;
  std::map<std::string, Summary> by_program;
};

using Progress = std::function<void(const std::string& what, std::size_t done, std::size_t all)>;

/// Learns from each split's rows and predicts its others. Tasks in which nothing ran are left out.
Result<Evaluation> evaluate(std::string_view kind, const Dataset& dataset, const std::vector<Split>& splits,
                            const FitOptions& options, const Progress& progress = {});

/// What one task's candidates, with these predictions, would have cost.
TaskEvaluation evaluate_task(const Dataset& dataset, const std::vector<std::uint32_t>& rows,
                             const std::vector<Prediction>& predictions, std::uint64_t seed);

/// How much each feature says of the throughput over the best of the task, of all rows that ran
/// (statistics.hpp).
struct Redundancy {
  std::string feature, group;
  double value = 0;  ///< from 0 to 0.5
};
/// By falling value.
std::vector<Redundancy> redundancies(const Dataset& dataset);

/// The evaluation without the features of one group.
struct Ablation {
  std::string group;
  std::size_t features = 0;
  Summary summary;
};
/// For each group of the schema, evaluated without it.
Result<std::vector<Ablation>> ablate(std::string_view kind, const Dataset& dataset,
                                     const std::vector<Split>& splits, const FitOptions& options,
                                     const Progress& progress = {});

nlohmann::json to_json(const CostSummary& summary);
nlohmann::json to_json(const Summary& summary);
nlohmann::json to_json(const TaskCosts& task);
nlohmann::json to_json(const TaskEvaluation& task);
nlohmann::json to_json(const Evaluation& evaluation);
nlohmann::json to_json(const std::vector<Redundancy>& redundancies);
nlohmann::json to_json(const std::vector<Ablation>& ablations);

}  // namespace hoist::model
