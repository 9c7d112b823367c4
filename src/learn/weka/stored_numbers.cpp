#include "learn/weka/stored_numbers.hpp"

#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace hoist::learn {

std::vector<double> read_numbers(const Json& json, std::size_t count) {
  auto numbers = json.get<std::vector<double>>();
  if (numbers.size() != count)
    throw_user(fmt::format("a list has {} numbers instead of {}", numbers.size(), count));
  return numbers;
}

Json json_of(const ColumnRange& range) { return {range.least, range.most}; }

ColumnRange read_range(const Json& json) {
  const std::vector<double> numbers = read_numbers(json, 2);
  return {numbers[0], numbers[1]};
}

Json json_of(const std::vector<ColumnRange>& ranges) {
  Json json = Json::array();
  for (const ColumnRange& range : ranges) json.push_back(json_of(range));
  return json;
}

std::vector<ColumnRange> read_ranges(const Json& json, std::size_t count) {
  std::vector<ColumnRange> ranges;
  for (const Json& each : json) ranges.push_back(read_range(each));
  if (ranges.size() != count)
    throw_user(fmt::format("there are {} ranges of columns instead of {}", ranges.size(), count));
  return ranges;
}

Json json_of(const Examples& examples) {
  return {{"rows", examples.rows.numbers}, {"targets", examples.targets}};
}

Examples read_examples(const Json& json, std::size_t width) {
  Examples examples;
  examples.targets = json.at("targets").get<std::vector<double>>();
  if (examples.targets.empty()) throw_user("there are no examples");
  examples.rows = {width, read_numbers(json.at("rows"), examples.targets.size() * width)};
  return examples;
}

}  // namespace hoist::learn
