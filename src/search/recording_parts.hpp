#pragma once
// What the readers of the formats share; only they include it.
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "search/recording.hpp"

namespace hoist::search {

using Json = nlohmann::ordered_json;

/// Configurations as they come from a file: texts of values, and what became of them.
struct RawTrials {
  std::vector<std::string> parameters;
  std::vector<std::vector<std::string>> values;  ///< by trial
  std::vector<Outcome> outcomes;
};

/// The whole of a file, unpacked where it is gzip's.
Result<std::string> read_whole(const std::string& path);
/// JSON that may lack its end, as a program leaves that was stopped while it appended: what is complete is
/// kept, and `was_cut` says so.
Result<Json> parse_json(const std::string& text, const std::string& name, bool& was_cut);

bool is_kernel_tuner(const Json& file);
RawTrials kernel_tuner_trials(const Json& file, Recording& recording);
bool is_t4(const Json& file);
RawTrials t4_trials(const Json& file, Recording& recording);

/// A parameter's value as text: 32 and 32.0 are the same.
std::string value_text(const Json& value);
/// The number at a key; 0 where there is none.
double number_at(const Json& object, const char* key);
/// A time in milliseconds that is one: finite and more than nothing.
bool is_time(const Json& value);
/// By what a file calls it: "CompilationFailedConfig", "timeout".
FailureKind failure_named(const std::string& name);
/// The standard deviation of a list of numbers; 0 of fewer than two.
double spread_of(const Json& list);

}  // namespace hoist::search
