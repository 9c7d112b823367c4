#include "model/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "model/statistics.hpp"

namespace hoist::model {

namespace {

/// Of features and throughputs, when they have more different values.
constexpr std::size_t redundancy_bins = 32;

/// The rows of each task that has some among the given, and of these all.
std::map<std::uint32_t, std::vector<std::uint32_t>> by_task(const Dataset& dataset,
                                                            const std::vector<std::uint32_t>& rows) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> tasks;
  for (const std::uint32_t row : rows) tasks[dataset.measurements[row].task].push_back(row);
  return tasks;
}

void evaluate_split(std::string_view kind, const Dataset& dataset, const Split& split,
                    const FitOptions& options, std::vector<TaskEvaluation>& tasks) {
  const auto model = fit(kind, dataset.select(split.train), options);
  if (!model) {
    Error error = model.error();
    for (Diagnostic& each : error.diagnostics)
      each.message += fmt::format(" (when '{}' is left out)", split.name);
    throw Failure(std::move(error));
  }
  for (const auto& [task, rows] : by_task(dataset, split.test)) {
    const auto ran = [&](std::uint32_t row) { return dataset.measurements[row].ran(); };
    if (std::none_of(rows.begin(), rows.end(), ran)) continue;
    Matrix candidates;
    for (const std::uint32_t row : rows) candidates.add(dataset.features.row(row));
    auto predictions = model->predict(candidates);
    if (!predictions) throw Failure(std::move(predictions.error()));
    tasks.push_back(evaluate_task(dataset, rows, *predictions, options.seed));
    tasks.back().split = split.name;
  }
}

}  // namespace

Split split(std::string name, const Dataset& dataset, const TaskPredicate& train, const TaskPredicate& test) {
  Split result{std::move(name), {}, {}};
  for (std::uint32_t row = 0; row < dataset.measurements.size(); ++row) {
    const Task& task = dataset.tasks[dataset.measurements[row].task];
    if (train(task)) result.train.push_back(row);
    if (test(task)) result.test.push_back(row);
  }
  return result;
}

std::vector<Split> leave_out(const Dataset& dataset, const std::function<std::string(const Task&)>& key) {
  std::set<std::string> keys;
  for (const Task& task : dataset.tasks) keys.insert(key(task));
  std::vector<Split> splits;
  for (const std::string& each : keys) {
    const auto is_out = [&](const Task& task) { return key(task) == each; };
    splits.push_back(split(each, dataset, std::not_fn(is_out), is_out));
  }
  return splits;
}

std::vector<Split> leave_programs_out(const Dataset& dataset) {
  return leave_out(dataset, [](const Task& task) { return task.program; });
}

TaskEvaluation evaluate_task(const Dataset& dataset, const std::vector<std::uint32_t>& rows,
                             const std::vector<Prediction>& predictions, std::uint64_t seed) {
  TaskEvaluation result;
  result.task = dataset.tasks[dataset.measurements[rows.front()].task];
  result.candidates = rows.size();
  std::vector<double> seconds, scores;
  result.best_seconds = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Measurement& measurement = dataset.measurements[rows[i]];
    seconds.push_back(measurement.seconds);
    scores.push_back(predictions[i].mean);
    result.failed += measurement.ran() ? 0 : 1;
    result.outside += predictions[i].outside > 0 ? 1 : 0;
    if (measurement.ran()) result.best_seconds = std::min(result.best_seconds, measurement.seconds);
  }
  std::vector<double> predicted, actual;
  double within = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!(seconds[i] > 0)) continue;
    predicted.push_back(std::exp(scores[i]));
    actual.push_back(result.best_seconds / seconds[i]);
    within += std::abs(scores[i] - std::log(actual.back())) <= predictions[i].deviation ? 1 : 0;
  }
  result.within_deviation = within / static_cast<double>(actual.size());
  result.correlation = correlation(predicted, actual);
  result.rank_correlation = rank_correlation(predicted, actual);
  const std::vector<std::uint32_t> order = order_by(scores, seed);
  result.predicted_90 = reach_in_order(seconds, order, 0.90);
  result.predicted_95 = reach_in_order(seconds, order, 0.95);
  result.random_90 = reach_at_random(seconds, 0.90);
  result.random_95 = reach_at_random(seconds, 0.95);
  result.curve = best_so_far(seconds, order);
  result.first_run = result.curve.front().in_order;
  return result;
}

Summary summarize(const std::vector<TaskEvaluation>& tasks) {
  Summary summary;
  summary.tasks = tasks.size();
  if (tasks.empty()) return summary;
  std::vector<double> runs, fewer, less;
  const double share = 1 / static_cast<double>(tasks.size());
  for (const TaskEvaluation& task : tasks) {
    summary.correlation += share * task.correlation;
    summary.rank_correlation += share * task.rank_correlation;
    summary.within_deviation += share * task.within_deviation;
    summary.first_run += share * task.first_run;
    summary.runs_90 += share * task.predicted_90.runs;
    summary.runs_95 += share * task.predicted_95.runs;
    summary.random_runs_90 += share * task.random_90.runs;
    summary.one_run_90 += task.predicted_90.runs == 1 ? share : 0;
    runs.push_back(task.predicted_90.runs);
    fewer.push_back(task.random_90.runs / task.predicted_90.runs);
    less.push_back(task.random_90.seconds / task.predicted_90.seconds);
  }
  summary.median_runs_90 = median(runs);
  summary.worst_runs_90 = *std::max_element(runs.begin(), runs.end());
  summary.fewer_runs_90 = geometric_mean(fewer);
  summary.less_time_90 = geometric_mean(less);
  return summary;
}

Result<Evaluation> evaluate(std::string_view kind, const Dataset& dataset, const std::vector<Split>& splits,
                            const FitOptions& options, const Progress& progress) {
  return catch_failure([&] {
    Evaluation evaluation;
    evaluation.kind = kind;
    evaluation.seed = options.seed;
    for (std::size_t i = 0; i < splits.size(); ++i) {
      if (progress) progress(splits[i].name, i, splits.size());
      evaluate_split(kind, dataset, splits[i], options, evaluation.tasks);
    }
    evaluation.summary = summarize(evaluation.tasks);
    std::map<std::string, std::vector<TaskEvaluation>> programs;
    for (const TaskEvaluation& task : evaluation.tasks) programs[task.task.program].push_back(task);
    for (const auto& [program, tasks] : programs) evaluation.by_program[program] = summarize(tasks);
    return evaluation;
  });
}

std::vector<Redundancy> redundancies(const Dataset& dataset) {
  const std::vector<double> best = dataset.best_seconds();
  std::vector<double> throughput;
  for (const Measurement& each : dataset.measurements) {
    if (each.ran()) throughput.push_back(best[each.task] / each.seconds);
  }
  std::vector<Redundancy> result;
  for (std::size_t feature = 0; feature < dataset.schema.features.size(); ++feature) {
    std::vector<double> numbers;
    for (std::size_t i = 0; i < dataset.measurements.size(); ++i) {
      if (dataset.measurements[i].ran()) numbers.push_back(dataset.features.at(i, feature));
    }
    const Feature& described = dataset.schema.features[feature];
    result.push_back({described.name, described.group, redundancy(numbers, throughput, redundancy_bins)});
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& a, const auto& b) { return a.value > b.value; });
  return result;
}

Result<std::vector<Ablation>> ablate(std::string_view kind, const Dataset& dataset,
                                     const std::vector<Split>& splits, const FitOptions& options,
                                     const Progress& progress) {
  std::map<std::string, std::vector<std::string>> groups;
  for (const Feature& feature : dataset.schema.features) groups[feature.group].push_back(feature.name);
  std::vector<Ablation> ablations;
  for (const auto& [group, names] : groups) {
    FitOptions without = options;
    without.excluded.insert(without.excluded.end(), names.begin(), names.end());
    const auto told = [&](const std::string& what, std::size_t done, std::size_t all) {
      progress(group + ", " + what, ablations.size() * all + done, groups.size() * all);
    };
    const auto evaluation = evaluate(kind, dataset, splits, without, progress ? Progress(told) : Progress());
    if (!evaluation) return tl::unexpected(evaluation.error());
    ablations.push_back({group, names.size(), evaluation->summary});
  }
  return ablations;
}

}  // namespace hoist::model
