// How well a kind of model predicts what it has not seen: cross-validation over whole tasks. A fold
// (`Split`) leaves out all tasks of one program, or the largest size of one: candidates of one task are so
// much alike that a model which has seen some of them would know the others.
//
// Read `evaluate` first: it learns from each fold's other tasks and predicts the tasks that were left out.
// `evaluate_task` scores one task in two ways. `costs_in_order` asks what the order of the predictions
// saves: how many candidates must be run until one has 90% of the best throughput, against the expectation
// over all orders (model/order.hpp). Pearson's and Spearman's correlation compare the numbers themselves.
//
// `summarize` takes means over tasks. Two functions say what features are worth: `redundancies` by the
// mutual information of each with the throughput, and `ablate` by an evaluation without each group of them
// (an ablation study).
#include "model/evaluate.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include "base/need.hpp"
#include "learn/statistics.hpp"

namespace hoist::model {

namespace {

/// Features and throughputs that have more different values are cut into so many bins.
constexpr std::size_t redundancy_bins = 32;

/// Sorts the given rows by their tasks.
std::map<std::uint32_t, std::vector<std::uint32_t>> by_task(const Dataset& dataset,
                                                            const std::vector<std::uint32_t>& rows) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> tasks;
  for (const std::uint32_t row : rows) tasks[dataset.measurements[row].task].push_back(row);
  return tasks;
}

/// Multiplies the numbers in "H=512 W=512".
double extent_of(const Task& task) {
  double product = 1;
  std::string_view left = task.sizes;
  while (!left.empty()) {
    const std::string_view word = left.substr(0, left.find(' '));
    left.remove_prefix(std::min(word.size() + 1, left.size()));
    const std::size_t equals = word.find('=');
    const std::string_view number = equals == std::string_view::npos ? "" : word.substr(equals + 1);
    double value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc() || end != number.data() + number.size() || !(value > 0)) {
      throw_user(fmt::format("the sizes '{}' cannot be read: '{}' is not a size", task.sizes, word), {},
                 fmt::format("write the sizes of '{}' as N=1024", task.program));
    }
    product *= value;
  }
  return product;
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
    tasks.push_back(evaluate_task(dataset, rows, need(model->predict(candidates)), options.seed));
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

Result<std::vector<Split>> leave_largest_out(const Dataset& dataset) {
  return catch_failure([&] {
    std::map<std::pair<std::string, std::string>, std::set<double>> extents;
    for (const Task& task : dataset.tasks) extents[{task.program, task.device_class}].insert(extent_of(task));
    std::vector<Split> splits;
    for (const auto& [key, different] : extents) {
      if (different.size() < 2) continue;
      const auto& [program, device_class] = key;
      const double largest = *different.rbegin();
      const auto is_predicted = [&](const Task& task) {
        return task.program == program && task.device_class == device_class && extent_of(task) == largest;
      };
      const auto is_learned = [&](const Task& task) {
        return task.program != program || extent_of(task) < largest;
      };
      splits.push_back(split(program + " " + device_class, dataset, is_learned, is_predicted));
    }
    if (splits.empty())
      throw_user(
          "the largest sizes cannot be left out: no program was measured at several sizes on one class of "
          "devices",
          {},
          "measure a program at another size (hoist train --plan), or leave out programs, tasks or classes");
    return splits;
  });
}

TaskCosts costs_in_order(const Task& task, const std::vector<double>& seconds,
                         const std::vector<std::uint32_t>& order) {
  TaskCosts costs;
  costs.task = task;
  costs.candidates = seconds.size();
  costs.best_seconds = std::numeric_limits<double>::infinity();
  for (const double each : seconds) {
    costs.failed += each > 0 ? 0 : 1;
    if (each > 0) costs.best_seconds = std::min(costs.best_seconds, each);
  }
  costs.predicted_90 = reach_in_order(seconds, order, 0.90);
  costs.predicted_95 = reach_in_order(seconds, order, 0.95);
  costs.random_90 = reach_at_random(seconds, 0.90);
  costs.random_95 = reach_at_random(seconds, 0.95);
  costs.curve = best_so_far(seconds, order);
  costs.first_run = costs.curve.front().in_order;
  return costs;
}

TaskCosts mean_of(const std::vector<TaskCosts>& costs) {
  TaskCosts result = costs.front();
  result.predicted_90 = result.predicted_95 = {};
  result.first_run = 0;
  for (CurvePoint& point : result.curve) point.in_order = 0;
  const double share = 1 / static_cast<double>(costs.size());
  const auto add = [&](const Reach& reach, Reach& sum) {
    sum.runs += share * reach.runs;
    sum.seconds += share * reach.seconds;
  };
  for (const TaskCosts& each : costs) {
    add(each.predicted_90, result.predicted_90);
    add(each.predicted_95, result.predicted_95);
    result.first_run += share * each.first_run;
    for (std::size_t i = 0; i < result.curve.size(); ++i)
      result.curve[i].in_order += share * each.curve[i].in_order;
  }
  return result;
}

TaskCosts at_random(TaskCosts costs) {
  costs.predicted_90 = costs.random_90;
  costs.predicted_95 = costs.random_95;
  for (CurvePoint& point : costs.curve) point.in_order = point.at_random;
  costs.first_run = costs.curve.front().at_random;
  return costs;
}

TaskEvaluation evaluate_task(const Dataset& dataset, const std::vector<std::uint32_t>& rows,
                             const std::vector<Prediction>& predictions, std::uint64_t seed) {
  std::vector<double> seconds, scores;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    seconds.push_back(dataset.measurements[rows[i]].seconds);
    scores.push_back(predictions[i].mean);
  }
  const Task& task = dataset.tasks[dataset.measurements[rows.front()].task];
  TaskEvaluation result{costs_in_order(task, seconds, order_by(scores, seed))};
  std::vector<double> predicted, actual;
  double within = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    result.outside += predictions[i].outside > 0 ? 1 : 0;
    if (!(seconds[i] > 0)) continue;
    predicted.push_back(std::exp(scores[i]));
    actual.push_back(result.best_seconds / seconds[i]);
    within += std::abs(scores[i] - std::log(actual.back())) <= predictions[i].deviation ? 1 : 0;
  }
  result.within_deviation = within / static_cast<double>(actual.size());
  result.correlation = learn::correlation(predicted, actual);
  result.rank_correlation = learn::rank_correlation(predicted, actual);
  return result;
}

CostSummary summarize_costs(const std::vector<TaskCosts>& tasks) {
  CostSummary summary;
  summary.tasks = tasks.size();
  if (tasks.empty()) return summary;
  std::vector<double> runs, fewer, less;
  const double share = 1 / static_cast<double>(tasks.size());
  for (const TaskCosts& task : tasks) {
    summary.first_run += share * task.first_run;
    summary.runs_90 += share * task.predicted_90.runs;
    summary.runs_95 += share * task.predicted_95.runs;
    summary.random_runs_90 += share * task.random_90.runs;
    summary.random_runs_95 += share * task.random_95.runs;
    summary.one_run_90 += task.predicted_90.runs == 1 ? share : 0;
    runs.push_back(task.predicted_90.runs);
    fewer.push_back(task.random_90.runs / task.predicted_90.runs);
    less.push_back(task.random_90.seconds / task.predicted_90.seconds);
  }
  summary.median_runs_90 = learn::median(runs);
  summary.worst_runs_90 = *std::max_element(runs.begin(), runs.end());
  summary.fewer_runs_90 = learn::geometric_mean(fewer);
  summary.less_time_90 = learn::geometric_mean(less);
  return summary;
}

std::vector<TaskCosts> costs_of(const std::vector<TaskEvaluation>& tasks) {
  return {tasks.begin(), tasks.end()};
}

Summary summarize(const std::vector<TaskEvaluation>& tasks) {
  Summary summary{summarize_costs(costs_of(tasks))};
  for (const TaskEvaluation& task : tasks) {
    const double share = 1 / static_cast<double>(tasks.size());
    summary.correlation += share * task.correlation;
    summary.rank_correlation += share * task.rank_correlation;
    summary.within_deviation += share * task.within_deviation;
  }
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
    result.push_back(
        {described.name, described.group, learn::redundancy(numbers, throughput, redundancy_bins)});
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
