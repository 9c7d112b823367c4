#include "learn/learners.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace hoist::learn {

double shortest(float number) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, number);
  double value = 0;
  std::from_chars(text, end, value);
  return value;
}

Examples Examples::select(const std::vector<std::uint32_t>& places) const {
  Examples some;
  some.rows.width = rows.width;
  some.rows.numbers.reserve(places.size() * rows.width);
  for (const std::uint32_t place : places) {
    some.rows.add(rows.row(place));
    some.targets.push_back(targets[place]);
    if (!weights.empty()) some.weights.push_back(weights[place]);
    if (!groups.empty()) some.groups.push_back(groups[place]);
  }
  return some;
}

std::vector<std::uint32_t> Classifier::classify(const Matrix& rows) const {
  const Matrix likely = probabilities(rows);
  std::vector<std::uint32_t> classes;
  for (std::size_t i = 0; i < likely.count(); ++i) {
    const auto row = likely.row(i);
    classes.push_back(static_cast<std::uint32_t>(std::max_element(row.begin(), row.end()) - row.begin()));
  }
  return classes;
}

Result<void> Stored::from_json(const Json& learned, std::size_t width) {
  return catch_failure([&] {
    try {
      read(learned, width);
    } catch (const Json::exception& error) {
      throw_user("what was learned cannot be read", error.what());
    }
  });
}

void expect_no_weights(const Examples& examples, const char* learner) {
  if (!examples.weights.empty()) throw Bug(std::string(learner) + " cannot weigh its examples");
}

}  // namespace hoist::learn
