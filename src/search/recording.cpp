#include "search/recording.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <unordered_set>

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
    recording.notes.push_back(fmt::format("{} configurations are there twice; the first counts", twice));
}

}  // namespace

std::string Recording::text(const Configuration& configuration) const {
  std::vector<std::string> texts;
  for (std::size_t p = 0; p < configuration.size(); ++p)
    texts.push_back(values[p][static_cast<std::size_t>(configuration[p])]);
  return fmt::format("{}", fmt::join(texts, ","));
}

Result<Recording> parse_recording(const std::string& text, const std::string& name) {
  return catch_failure([&] {
    bool was_cut = false;
    auto file = parse_json(text, name, was_cut);
    if (!file) throw Failure(std::move(file.error()));
    Recording recording;
    recording.name = name.substr(0, name.find('.'));
    if (was_cut) recording.notes.push_back("the file is cut at its end; what is complete was read");
    if (!is_kernel_tuner(*file) && !is_t4(*file)) {
      throw_user(fmt::format("'{}' is no recorded space", name),
                 "it has neither 'cache' and 'tune_params_keys', as Kernel Tuner's cache files, nor "
                 "'results', as T4 files");
    }
    enter(is_t4(*file) ? t4_trials(*file, recording) : kernel_tuner_trials(*file, recording), recording);
    const auto is_valid = [](const Trial& trial) { return trial.outcome.seconds.has_value(); };
    if (std::none_of(recording.trials.begin(), recording.trials.end(), is_valid)) {
      throw_user(fmt::format("nothing of '{}' is valid: all of its {} configurations failed", name,
                             recording.trials.size()),
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

Result<std::string> read_whole(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return user_error(fmt::format("there is no file '{}'", path));
  if (std::filesystem::is_directory(path, error))
    return user_error(fmt::format("'{}' is a directory", path), {}, "name its files");
  // gzopen reads files that are not packed as they are.
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return user_error(fmt::format("'{}' cannot be read", path));
  std::string text;
  std::array<char, 1 << 16> buffer;
  int count = 0;
  while ((count = gzread(file, buffer.data(), buffer.size())) > 0)
    text.append(buffer.data(), static_cast<std::size_t>(count));
  int code = Z_OK;
  const std::string why = gzerror(file, &code);
  gzclose(file);
  // A packed file that is cut gives what it holds; the reader of JSON mends the rest.
  if (count < 0 && code != Z_BUF_ERROR) return user_error(fmt::format("'{}' cannot be unpacked", path), why);
  return text;
}

Result<Json> parse_json(const std::string& text, const std::string& name, bool& was_cut) {
  Json file = Json::parse(text, nullptr, false);
  if (!file.is_discarded()) return file;
  // Cut behind the last entry that is complete, which is in a list or object of the outermost object.
  constexpr std::size_t depth_of_entries = 2;
  std::string open, open_at_cut;
  std::size_t cut = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (in_string) {
      if (letter == '\\') {
        ++i;
      } else if (letter == '"') {
        in_string = false;
      }
    } else if (letter == '"') {
      in_string = true;
    } else if (letter == '{' || letter == '[') {
      open += letter == '{' ? '}' : ']';
    } else if (letter == '}' || letter == ']') {
      if (open.empty() || open.back() != letter) break;
      open.pop_back();
      if (open.size() == depth_of_entries) {
        cut = i + 1;
        open_at_cut = open;
      }
    }
  }
  std::string mended = text.substr(0, cut);
  mended.append(open_at_cut.rbegin(), open_at_cut.rend());
  file = Json::parse(mended, nullptr, false);
  if (cut == 0 || file.is_discarded()) {
    return user_error(fmt::format("'{}' is no JSON", name), {},
                      "recorded spaces are JSON, packed by gzip or not");
  }
  was_cut = true;
  return file;
}

std::string value_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) {
    const double number = value.get<double>();
    if (number == std::floor(number) && std::abs(number) < 1e15)
      return fmt::format("{}", static_cast<std::int64_t>(number));
    return fmt::format("{}", number);
  }
  return value.dump();
}

double number_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return 0;
  const double number = found->get<double>();
  return std::isfinite(number) && number > 0 ? number : 0;
}

bool is_time(const Json& value) {
  return value.is_number() && std::isfinite(value.get<double>()) && value.get<double>() > 0;
}

FailureKind failure_named(const std::string& name) {
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto has = [&](const char* part) { return lower.find(part) != std::string::npos; };
  if (has("compil")) return FailureKind::Compile;
  if (has("timeout") || has("timed")) return FailureKind::Timeout;
  if (has("correct") || has("verif")) return FailureKind::WrongResult;
  if (has("constraint") || has("invalid")) return FailureKind::DoesNotFit;
  return FailureKind::Run;
}

double spread_of(const Json& list) {
  std::vector<double> numbers;
  for (const Json& each : list) {
    if (is_time(each)) numbers.push_back(each.get<double>());
  }
  if (numbers.size() < 2) return 0;
  const double count = static_cast<double>(numbers.size());
  const double mean = std::accumulate(numbers.begin(), numbers.end(), 0.0) / count;
  double squares = 0;
  for (const double each : numbers) squares += (each - mean) * (each - mean);
  return std::sqrt(squares / (count - 1));
}

}  // namespace hoist::search
