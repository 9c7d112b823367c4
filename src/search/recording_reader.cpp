#include "search/recording_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <unordered_set>

#include "base/need.hpp"
#include "search/recording_parts.hpp"

namespace hoist::search {

namespace {

/// Numbers by value, before other texts in the order of their letters.
bool is_before(const std::string& a, const std::string& b) {
  const auto number = [](const std::string& text) -> std::optional<double> {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
  };
  const auto first = number(a), second = number(b);
  if (first && second) return *first < *second;
  return first.has_value() != second.has_value() ? first.has_value() : a < b;
}

/// The texts become places among their parameter's values.
void enter(const RawTrials& raw, Recording& recording) {
  recording.parameters = raw.parameters;
  recording.values.resize(raw.parameters.size());
  for (std::size_t p = 0; p < raw.parameters.size(); ++p) {
    std::unordered_set<std::string> different;
    for (const auto& values : raw.values) different.insert(values[p]);
    recording.values[p].assign(different.begin(), different.end());
    std::sort(recording.values[p].begin(), recording.values[p].end(), is_before);
  }
  std::unordered_set<Configuration, ConfigurationHash> seen;
  for (std::size_t trial = 0; trial < raw.values.size(); ++trial) {
    Configuration configuration;
    for (std::size_t p = 0; p < raw.parameters.size(); ++p) {
      const auto& values = recording.values[p];
      configuration.push_back(
          std::lower_bound(values.begin(), values.end(), raw.values[trial][p], is_before) - values.begin());
    }
    if (seen.insert(configuration).second)
      recording.trials.push_back({std::move(configuration), raw.outcomes[trial]});
  }
  if (const std::size_t twice = raw.values.size() - recording.trials.size(); twice > 0)
    recording.notes.push_back(
        fmt::format("{} configurations are recorded more than once; the first record of each counts", twice));
}

}  // namespace

Result<Recording> parse_recording(const std::string& text, const std::string& name) {
  return catch_failure([&] {
    bool was_cut = false;
    const Json file = need(parse_json(text, name, was_cut));
    Recording recording;
    recording.name = name.substr(0, name.find('.'));
    if (was_cut) recording.notes.push_back("the file is cut off; its complete entries were read");
    if (!is_kernel_tuner(file) && !is_t4(file)) {
      throw_user(fmt::format("'{}' is no recorded tuning space", name),
                 "it has neither 'cache' and 'tune_params_keys', as Kernel Tuner's cache files have, nor "
                 "'results', as T4 files have");
    }
    enter(is_t4(file) ? t4_trials(file, recording) : kernel_tuner_trials(file, recording), recording);
    const auto is_valid = [](const Trial& trial) { return trial.outcome.seconds.has_value(); };
    if (std::none_of(recording.trials.begin(), recording.trials.end(), is_valid)) {
      throw_user(fmt::format("'{}' has no valid configuration among its {}", name, recording.trials.size()),
                 "there is nothing to search for");
    }
    return recording;
  });
}

Result<Recording> read_recording(const std::string& path) {
  auto text = read_whole(path);
  if (!text) return tl::unexpected(text.error());
  return parse_recording(*text, std::filesystem::path(path).filename().string());
}

}  // namespace hoist::search
