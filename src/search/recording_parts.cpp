#include "search/recording_parts.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <vector>

namespace hoist::search {

Result<std::string> read_whole(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return user_error(fmt::format("there is no file '{}'", path));
  if (std::filesystem::is_directory(path, error))
    return user_error(fmt::format("'{}' is a directory", path), {}, "name the files in it");
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
                      "recorded tuning spaces are JSON files, which gzip may have packed");
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
