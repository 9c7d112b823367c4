#include "model/dataset.hpp"

#include <algorithm>
#include <limits>

namespace hoist::model {

std::optional<std::size_t> Schema::index_of(std::string_view name) const {
  const auto found = std::find_if(features.begin(), features.end(),
                                  [&](const Feature& feature) { return feature.name == name; });
  if (found == features.end()) return std::nullopt;
  return static_cast<std::size_t>(found - features.begin());
}

std::uint32_t Dataset::task(const Task& task) {
  const auto [place, is_new] = task_places_.try_emplace(task, static_cast<std::uint32_t>(tasks.size()));
  if (is_new) tasks.push_back(task);
  return place->second;
}

std::uint32_t Dataset::derivation(const std::string& text) {
  const auto [place, is_new] =
      derivation_places_.try_emplace(text, static_cast<std::uint32_t>(derivations.size()));
  if (is_new) derivations.push_back(text);
  return place->second;
}

void Dataset::add(Measurement measurement, std::span<const double> numbers) {
  if (numbers.size() != schema.features.size())
    throw Bug(fmt::format("{} numbers for {} features", numbers.size(), schema.features.size()));
  measurements.push_back(std::move(measurement));
  features.add(numbers);
}

std::vector<std::vector<std::uint32_t>> Dataset::rows_by_task() const {
  std::vector<std::vector<std::uint32_t>> rows(tasks.size());
  for (std::uint32_t i = 0; i < measurements.size(); ++i) rows[measurements[i].task].push_back(i);
  return rows;
}

std::vector<double> Dataset::best_seconds() const {
  std::vector<double> best(tasks.size(), std::numeric_limits<double>::infinity());
  for (const Measurement& each : measurements) {
    if (each.ran()) best[each.task] = std::min(best[each.task], each.seconds);
  }
  return best;
}

Dataset Dataset::select(std::span<const std::uint32_t> rows) const {
  Dataset selected;
  selected.schema = schema;
  selected.provenance = provenance;
  selected.features.numbers.reserve(rows.size() * features.width);
  for (const std::uint32_t row : rows) {
    Measurement measurement = measurements[row];
    measurement.task = selected.task(tasks[measurement.task]);
    measurement.derivation = selected.derivation(derivations[measurement.derivation]);
    selected.add(std::move(measurement), features.row(row));
  }
  return selected;
}

Result<Dataset> merge(const std::vector<Dataset>& parts) {
  Dataset whole;
  for (const Dataset& part : parts) {
    if (&part == &parts.front()) whole.schema = part.schema;
    if (part.schema != whole.schema) {
      return user_error(
          "tables of measurements have different features, so they cannot be learned from together",
          fmt::format("one has version {} with {} features, another version {} with {}", whole.schema.version,
                      whole.schema.features.size(), part.schema.version, part.schema.features.size()),
          "collect again with one version of Hoist, for devices of one kind");
    }
    whole.provenance.insert(part.provenance.begin(), part.provenance.end());
    for (const Task& task : part.tasks) whole.task(task);  // those without rows, too
    for (std::size_t row = 0; row < part.measurements.size(); ++row) {
      Measurement measurement = part.measurements[row];
      measurement.task = whole.task(part.tasks[measurement.task]);
      measurement.derivation = whole.derivation(part.derivations[measurement.derivation]);
      whole.add(std::move(measurement), part.features.row(row));
    }
  }
  return whole;
}

}  // namespace hoist::model
