#include "search/recorded_names.hpp"

#include <algorithm>
#include <charconv>

namespace hoist::search {

namespace {

std::optional<std::int64_t> whole_number(const std::string& text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc() && read.ptr == end ? std::optional(number) : std::nullopt;
}

}  // namespace

RecordedNames::RecordedNames(const Recording& recording, const ListedSpace& space)
    : recording_(recording), space_(space) {
  for (const std::vector<std::string>& values : recording.values) {
    const bool are_numbers =
        std::ranges::all_of(values, [](const std::string& each) { return whole_number(each).has_value(); });
    auto& numbers = numbers_.emplace_back();
    auto& places = places_.emplace_back();
    for (std::size_t place = 0; place < values.size(); ++place) {
      numbers.push_back(are_numbers ? *whole_number(values[place]) : static_cast<std::int64_t>(place));
      places.emplace(numbers.back(), static_cast<std::int64_t>(place));
    }
  }
}

std::optional<Configuration> RecordedNames::find(const NamedValues& values) const {
  Configuration configuration;
  for (std::size_t name = 0; name < places_.size(); ++name) {
    if (!values[name]) return std::nullopt;
    const auto place = places_[name].find(*values[name]);
    if (place == places_[name].end()) return std::nullopt;
    configuration.push_back(place->second);
  }
  return space_.contains(configuration) ? std::optional(std::move(configuration)) : std::nullopt;
}

NamedValues RecordedNames::values(const Configuration& configuration) const {
  NamedValues values;
  for (std::size_t name = 0; name < configuration.size(); ++name)
    values.emplace_back(numbers_[name][static_cast<std::size_t>(configuration[name])]);
  return values;
}

std::vector<std::int64_t> RecordedNames::known_values(std::size_t name) const {
  std::vector<std::int64_t> values = numbers_[name];
  std::ranges::sort(values);
  return values;
}

}  // namespace hoist::search
