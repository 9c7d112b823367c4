// The T4 results format: a list of configurations, each with the times of its stages, whether it was valid,
// and what was measured.
#include <fmt/format.h>

#include "search/recording_parts.hpp"

namespace hoist::search {

namespace {

/// How many seconds one of a unit is; nothing where that is not known. Files spell "miliseconds", too.
std::optional<double> seconds_of(const std::string& unit) {
  if (unit == "s" || unit == "seconds" || unit == "sec") return 1;
  if (unit == "ms" || unit == "milliseconds" || unit == "miliseconds" || unit == "millisecond") return 1e-3;
  if (unit == "us" || unit == "microseconds" || unit == "microsecond") return 1e-6;
  if (unit == "ns" || unit == "nanoseconds" || unit == "nanosecond") return 1e-9;
  return std::nullopt;
}

std::string text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

/// The unit of times that name none themselves.
double unit_of_file(const Json& file, Recording& recording) {
  std::string unit;
  if (const auto metadata = file.find("metadata"); metadata != file.end() && metadata->is_object()) {
    unit = text_at(*metadata, "timeunit");
    if (unit.empty()) unit = text_at(*metadata, "time_unit");
  }
  if (const auto known = seconds_of(unit)) return *known;
  recording.notes.push_back(unit.empty()
                                ? "the file names no unit of time; milliseconds are assumed"
                                : fmt::format("'{}' is no unit of time; milliseconds are assumed", unit));
  return 1e-3;
}

/// The measurement of time: that of the objective, or the one called "time".
const Json* time_measured(const Json& entry) {
  const auto list = entry.find("measurements");
  if (list == entry.end() || !list->is_array()) return nullptr;
  for (const Json& measurement : *list) {
    if (measurement.is_object() && text_at(measurement, "name") == "time") return &measurement;
  }
  return nullptr;
}

double cost_of(const Json& entry, double unit) {
  const auto times = entry.find("times");
  if (times == entry.end() || !times->is_object()) return 0;
  double cost = 0;
  for (const char* part : {"compilation", "compilation_time", "framework", "search_algorithm", "validation"})
    cost += number_at(*times, part) * unit;
  if (const auto runs = times->find("runtimes"); runs != times->end() && runs->is_array()) {
    for (const Json& run : *runs) cost += is_time(run) ? run.get<double>() * unit : 0;
  }
  return cost;
}

double build_seconds_of(const Json& entry, double unit) {
  const auto times = entry.find("times");
  if (times == entry.end() || !times->is_object()) return 0;
  return (number_at(*times, "compilation") + number_at(*times, "compilation_time")) * unit;
}

Outcome outcome_of(const Json& entry, double unit) {
  Outcome outcome;
  outcome.cost = cost_of(entry, unit);
  outcome.build_seconds = build_seconds_of(entry, unit);
  const std::string invalidity = text_at(entry, "invalidity");
  const Json* time = time_measured(entry);
  if ((invalidity.empty() || invalidity == "correct") && time != nullptr && time->contains("value") &&
      is_time((*time)["value"])) {
    outcome.seconds = (*time)["value"].get<double>() * seconds_of(text_at(*time, "unit")).value_or(unit);
    if (entry.contains("times") && entry["times"].is_object() && entry["times"].contains("runtimes"))
      outcome.spread = spread_of(entry["times"]["runtimes"]) * unit;
  } else {
    outcome.failure = failure_named(invalidity);
  }
  return outcome;
}

}  // namespace

bool is_t4(const Json& file) {
  return file.is_object() && file.contains("results") && file["results"].is_array();
}

RawTrials t4_trials(const Json& file, Recording& recording) {
  const double unit = unit_of_file(file, recording);
  RawTrials raw;
  std::size_t number = 0;
  for (const Json& entry : file["results"]) {
    ++number;
    const auto configuration = entry.is_object() ? entry.find("configuration") : entry.end();
    if (!entry.is_object() || configuration == entry.end() || !configuration->is_object()) {
      throw_user(fmt::format("result {} of '{}' has no configuration", number, recording.name));
    }
    if (raw.parameters.empty()) {
      for (const auto& [parameter, value] : configuration->items()) raw.parameters.push_back(parameter);
    }
    std::vector<std::string> values;
    for (const std::string& parameter : raw.parameters) {
      if (!configuration->contains(parameter)) {
        throw_user(fmt::format("result {} of '{}' has no value of '{}'", number, recording.name, parameter),
                   "every result must have the parameters of the first one");
      }
      values.push_back(value_text((*configuration)[parameter]));
    }
    raw.values.push_back(std::move(values));
    raw.outcomes.push_back(outcome_of(entry, unit));
  }
  return raw;
}

}  // namespace hoist::search
