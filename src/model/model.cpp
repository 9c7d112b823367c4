// What all kinds of model share, around the learner in which they differ (learner.hpp): what is learned
// from, what a prediction says beside the number, and for which features and devices the model is made.
//
// A target is relative to its task: where two candidates take 2 and 4 ms, their targets are ln(2/2) = 0 and
// ln(2/4) = -0.69. So a task in which fewer than two candidates ran tells nothing, and is left out
// (`telling_tasks`).
//
// Read `fit` first. It checks the numbers, describes the data (`describe`: the range of each feature, and
// features that are constant, which no learner sees), and makes the training set (`measured_candidates`):
// the features of candidates that ran, their targets, and the population of each task, which are all its
// candidates, those that failed among them. `Model::predict` takes the same columns of new candidates, and
// counts the features that are outside the range that was seen, where a prediction is an extrapolation.
#include "model/model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "model/learner.hpp"

namespace hoist::model {

namespace {

/// Fewer candidates than this say nothing of a space with dozens of features.
constexpr std::size_t fewest_measured = 30;
constexpr std::size_t fewest_of_a_task = 2;

void expect_finite(const Schema& schema, const Matrix& numbers) {
  for (std::size_t i = 0; i < numbers.count(); ++i) {
    for (std::size_t feature = 0; feature < numbers.width; ++feature) {
      if (std::isfinite(numbers.at(i, feature))) continue;
      throw_user(fmt::format("the feature '{}' of row {} is {}, which is no finite number",
                             schema.features[feature].name, i + 1, numbers.at(i, feature)),
                 "a model can neither learn from it nor predict with it",
                 "leave the row out, or collect it again");
    }
  }
}

void expect_names(const std::vector<std::string>& names, const Schema& schema) {
  for (const std::string& name : names) {
    if (!schema.index_of(name)) throw_user(fmt::format("there is no feature '{}' to leave out", name));
  }
}

/// Selects the columns that a learner sees.
Matrix take_columns(const Matrix& all, const std::vector<std::uint32_t>& columns) {
  Matrix some;
  some.width = columns.size();
  some.numbers.reserve(all.count() * columns.size());
  for (std::size_t i = 0; i < all.count(); ++i) {
    for (const std::uint32_t column : columns) some.numbers.push_back(all.at(i, column));
  }
  return some;
}

Population take_columns(const Population& all, const std::vector<std::uint32_t>& columns) {
  Population some;
  for (const std::uint32_t column : columns) {
    some.middle.push_back(all.middle[column]);
    some.least.push_back(all.least[column]);
  }
  return some;
}

/// Marks the tasks in which two candidates or more ran; others have nothing to compare.
std::vector<bool> telling_tasks(const Dataset& dataset) {
  std::vector<std::size_t> ran(dataset.tasks.size());
  for (const Measurement& each : dataset.measurements) ran[each.task] += each.ran() ? 1 : 0;
  std::vector<bool> telling;
  for (const std::size_t count : ran) telling.push_back(count >= fewest_of_a_task);
  return telling;
}

void describe_data(const Dataset& dataset, const std::vector<bool>& telling, Description& description) {
  std::set<std::string> programs, classes;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  description.ranges.assign(dataset.schema.features.size(), {infinity, -infinity});
  for (std::size_t i = 0; i < dataset.measurements.size(); ++i) {
    const Measurement& each = dataset.measurements[i];
    if (!each.ran()) ++description.failed;
    if (!each.ran() || !telling[each.task]) continue;
    ++description.measured;
    programs.insert(dataset.tasks[each.task].program);
    classes.insert(dataset.tasks[each.task].device_class);
    for (std::size_t feature = 0; feature < description.ranges.size(); ++feature) {
      Range& range = description.ranges[feature];
      range.least = std::min(range.least, dataset.features.at(i, feature));
      range.greatest = std::max(range.greatest, dataset.features.at(i, feature));
    }
  }
  description.tasks = static_cast<std::size_t>(std::count(telling.begin(), telling.end(), true));
  description.programs.assign(programs.begin(), programs.end());
  description.device_classes.assign(classes.begin(), classes.end());
}

Description describe(std::string_view kind, const Dataset& dataset, const FitOptions& options) {
  Description description;
  description.kind = kind;
  description.schema = dataset.schema;
  description.seed = options.seed;
  description.provenance = options.provenance;
  description.excluded = options.excluded;
  describe_data(dataset, telling_tasks(dataset), description);
  if (description.measured < fewest_measured) {
    throw_user(
        fmt::format("there is too little to learn from: only {} candidates ran in tasks with at least two of "
                    "them, and {} are needed",
                    description.measured, fewest_measured),
        fmt::format("of {} measured candidates {} failed", dataset.measurements.size(), description.failed),
        "measure more candidates, and of several programs if other programs are to be predicted");
  }
  for (std::size_t i = 0; i < description.ranges.size(); ++i) {
    if (description.ranges[i].least == description.ranges[i].greatest)
      description.constant.push_back(dataset.schema.features[i].name);
  }
  if (used_columns(description).empty())
    throw_user("there is nothing to learn from: all features are the same in all candidates, or excluded");
  return description;
}

MeasuredCandidates measured_candidates(const Dataset& dataset, const std::vector<std::uint32_t>& used) {
  MeasuredCandidates examples;
  for (const std::uint32_t column : used) examples.features.push_back(dataset.schema.features[column]);
  const std::vector<bool> telling = telling_tasks(dataset);
  const std::vector<double> best = dataset.best_seconds();
  const auto rows = dataset.rows_by_task();
  std::map<std::string, std::uint32_t> programs;
  std::vector<std::uint32_t> places;
  for (std::size_t task = 0; task < rows.size(); ++task) {
    if (!telling[task]) continue;
    Matrix all;
    const auto number = static_cast<std::uint32_t>(examples.populations.size());
    for (const std::uint32_t row : rows[task]) {
      all.add(dataset.features.row(row));
      const Measurement& measurement = dataset.measurements[row];
      if (!measurement.ran()) continue;
      places.push_back(row);
      examples.tasks.push_back(number);
      examples.speeds.push_back(std::log(best[task] / measurement.seconds));
    }
    examples.populations.push_back(take_columns(Population::of(all), used));
    const auto program = programs.try_emplace(dataset.tasks[task].program, programs.size()).first;
    examples.programs.push_back(program->second);
  }
  examples.numbers.width = used.size();
  for (const std::uint32_t row : places) {
    for (const std::uint32_t column : used)
      examples.numbers.numbers.push_back(dataset.features.at(row, column));
  }
  return examples;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += fmt::format("{}'{}'", text.empty() ? "" : ", ", name);
  return text;
}

/// Says in which point two lists of features differ first.
std::string difference(const Schema& one, const Schema& other) {
  if (one.version != other.version)
    return fmt::format("the model's features have version {}, the given features version {}", one.version,
                       other.version);
  for (const Feature& feature : one.features) {
    if (!other.index_of(feature.name))
      return fmt::format("the model needs the feature '{}', which the given features lack", feature.name);
  }
  for (const Feature& feature : other.features) {
    if (!one.index_of(feature.name))
      return fmt::format("the given features have '{}', which the model does not know", feature.name);
  }
  return "the order, units or groups of the features differ";
}

}  // namespace

Model::Model(Description description, std::unique_ptr<SpeedLearner> learner)
    : description_(std::move(description)), used_(used_columns(description_)), learner_(std::move(learner)) {}
Model::~Model() = default;
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;

Result<void> Model::check(const Schema& schema, const std::string& device_class) const {
  if (schema != description_.schema) {
    return user_error("the model was learned from other features", difference(description_.schema, schema),
                      "learn it again (hoist train) with this version of Hoist");
  }
  const auto& classes = description_.device_classes;
  if (std::find(classes.begin(), classes.end(), device_class) == classes.end()) {
    return user_error(fmt::format("the model was not learned for the class of device '{}'", device_class),
                      "it was learned for " + listed(classes),
                      "learn one from measurements on this device (hoist train)");
  }
  return {};
}

Result<std::vector<Prediction>> Model::predict(const Matrix& candidates, const Population& population) const {
  return catch_failure([&] {
    const std::size_t width = description_.schema.features.size();
    if (candidates.count() > 0 && (candidates.width != width || population.middle.size() != width))
      throw Bug(fmt::format("{} numbers of candidates for {} features", candidates.width, width));
    expect_finite(description_.schema, candidates);
    const std::vector<learn::Prediction> estimates =
        learner_->predict(take_columns(candidates, used_), take_columns(population, used_));
    std::vector<Prediction> predictions;
    for (std::size_t i = 0; i < estimates.size(); ++i) {
      Prediction prediction{estimates[i].mean, estimates[i].deviation, 0};
      for (const std::uint32_t column : used_) {
        const double number = candidates.at(i, column);
        const Range& range = description_.ranges[column];
        prediction.outside += number < range.least || number > range.greatest ? 1 : 0;
      }
      predictions.push_back(prediction);
    }
    return predictions;
  });
}

Result<std::vector<Prediction>> Model::predict(const Matrix& candidates) const {
  if (candidates.count() == 0) return std::vector<Prediction>{};
  return predict(candidates, Population::of(candidates));
}

std::vector<std::string> Model::outside(std::span<const double> row) const {
  std::vector<std::string> names;
  for (const std::uint32_t column : used_) {
    const Range& range = description_.ranges[column];
    if (row[column] < range.least || row[column] > range.greatest)
      names.push_back(description_.schema.features[column].name);
  }
  return names;
}

Result<Model> fit(std::string_view kind, const Dataset& dataset, const FitOptions& options) {
  return catch_failure([&] {
    auto learner = make_speed_learner(kind);
    expect_finite(dataset.schema, dataset.features);
    expect_names(options.excluded, dataset.schema);
    Description description = describe(kind, dataset, options);
    learner->fit(measured_candidates(dataset, used_columns(description)), options);
    return Model(std::move(description), std::move(learner));
  });
}

}  // namespace hoist::model
