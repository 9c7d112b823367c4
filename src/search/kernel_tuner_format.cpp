// Kernel Tuner's cache files: an object of configurations, by their values joined by commas; times in
// milliseconds, or the name of a failure in the place of the time.
#include <fmt/format.h>

#include "search/recording_parts.hpp"

namespace hoist::search {

namespace {

constexpr double seconds_of_millisecond = 1e-3;

Outcome outcome_of(const Json& entry) {
  Outcome outcome;
  for (const char* part :
       {"compile_time", "verification_time", "benchmark_time", "strategy_time", "framework_time"})
    outcome.cost += number_at(entry, part) * seconds_of_millisecond;
  outcome.build_seconds = number_at(entry, "compile_time") * seconds_of_millisecond;
  const auto time = entry.find("time");
  if (time != entry.end() && is_time(*time)) {
    outcome.seconds = time->get<double>() * seconds_of_millisecond;
    if (const auto times = entry.find("times"); times != entry.end() && times->is_array())
      outcome.spread = spread_of(*times) * seconds_of_millisecond;
  } else if (time != entry.end() && time->is_string()) {
    outcome.failure = failure_named(time->get<std::string>());
  }
  return outcome;
}

}  // namespace

bool is_kernel_tuner(const Json& file) {
  return file.is_object() && file.contains("cache") && file["cache"].is_object() &&
         file.contains("tune_params_keys") && file["tune_params_keys"].is_array();
}

RawTrials kernel_tuner_trials(const Json& file, Recording& recording) {
  const auto text_at = [&](const char* key) {
    return file.contains(key) && file[key].is_string() ? file[key].get<std::string>() : "";
  };
  recording.kernel = text_at("kernel_name");
  recording.device = text_at("device_name");
  RawTrials raw;
  for (const Json& key : file["tune_params_keys"]) raw.parameters.push_back(value_text(key));
  for (const auto& [key, entry] : file["cache"].items()) {
    std::vector<std::string> values;
    for (const std::string& parameter : raw.parameters) {
      if (!entry.is_object() || !entry.contains(parameter)) {
        throw_user(fmt::format("the configuration '{}' of '{}' has no value of '{}'", key, recording.name,
                               parameter),
                   "tune_params_keys names it");
      }
      values.push_back(value_text(entry[parameter]));
    }
    raw.values.push_back(std::move(values));
    raw.outcomes.push_back(outcome_of(entry));
  }
  return raw;
}

}  // namespace hoist::search
