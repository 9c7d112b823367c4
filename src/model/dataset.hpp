#pragma once
// Measurements to learn from: what was measured, how it ended, and the features of each candidate.
// docs/model.md describes the file.
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/matrix.hpp"

namespace hoist::model {

/// One number of a candidate.
struct Feature {
  std::string name;
  std::string unit;   ///< empty: a plain number
  std::string group;  ///< features of one kind, that ablation leaves out together
  std::string
      per;  ///< the feature that grows as this one does with the input; the paper's model divides by it

  bool operator==(const Feature&) const = default;
};

/// What the columns of a table of features mean.
struct Schema {
  int version = 0;  ///< changes when the definition of a feature does
  std::vector<Feature> features;

  std::optional<std::size_t> index_of(std::string_view name) const;
  bool operator==(const Schema&) const = default;
};

/// What candidates compete at: only times of the same task can be compared.
struct Task {
  std::string program;
  std::string sizes;         ///< as on the command line: "H=512 W=512"
  std::string device_class;  ///< devices that one model serves, with the dialect: "h200-cuda"

  auto operator<=>(const Task&) const = default;
};

/// One candidate that was built and, where it could be, timed.
struct Measurement {
  std::uint32_t task = 0;        ///< in Dataset::tasks
  std::uint32_t derivation = 0;  ///< in Dataset::derivations
  std::string candidate;         ///< names it within the task
  /// The values of the derivation's parameters; empty where it has none, and where they are not known.
  std::map<std::string, std::int64_t> values;
  std::string outcome;  ///< how it ended, in the words of the one who measured
  double seconds = 0;   ///< the median of its runs; NaN where it failed

  bool ran() const { return seconds > 0; }
};

struct Dataset {
  Schema schema;
  std::map<std::string, std::string>
      provenance;  ///< whatever the collector says of device, driver, date, plan
  std::vector<Task> tasks;
  std::vector<std::string> derivations;
  std::vector<Measurement> measurements;
  Matrix features;  ///< a row for each measurement, a column for each feature of the schema

  /// The place of a task or derivation, which is entered when it is new.
  std::uint32_t task(const Task& task);
  std::uint32_t derivation(const std::string& text);
  /// `numbers` has as many as the schema has features.
  void add(Measurement measurement, std::span<const double> numbers);

  /// The rows of each task, in their order.
  std::vector<std::vector<std::uint32_t>> rows_by_task() const;
  /// The least time of each task; infinite where nothing ran.
  std::vector<double> best_seconds() const;
  /// The given rows alone, with the tasks and derivations that they have.
  Dataset select(std::span<const std::uint32_t> rows) const;

 private:
  std::map<Task, std::uint32_t> task_places_;
  std::map<std::string, std::uint32_t, std::less<>> derivation_places_;
};

/// All rows of several tables, whose schemas must be the same.
Result<Dataset> merge(const std::vector<Dataset>& parts);

/// Writes a table; packed by gzip when the path ends in ".gz". Features keep 6 significant digits, whole
/// numbers all of them, and times 6.
Result<void> write_dataset(const Dataset& dataset, const std::string& path);
/// Reads what write_dataset wrote. What is wrong with the file is said with its line.
Result<Dataset> read_dataset(const std::string& path);
Result<Dataset> parse_dataset(std::string_view text, const std::string& name);

}  // namespace hoist::model
