#include "search/listed_space.hpp"

#include <algorithm>
#include <set>

#include "base/error.hpp"

namespace hoist::search {

ListedSpace::ListedSpace(std::vector<Configuration> configurations)
    : configurations_(std::move(configurations)) {
  if (configurations_.empty()) throw Bug("a listed space needs configurations");
  std::vector<std::set<std::int64_t>> values(configurations_.front().size());
  for (const Configuration& each : configurations_) {
    if (each.size() != values.size()) throw Bug("the configurations of a listed space differ in length");
    if (!ranks_.emplace(each, ranks_.size()).second) throw Bug("a configuration is listed twice");
    for (std::size_t place = 0; place < values.size(); ++place) values[place].insert(each[place]);
  }
  for (const auto& each : values) values_.emplace_back(each.begin(), each.end());
}

std::vector<Configuration> ListedSpace::neighbours(const Configuration& configuration) const {
  std::vector<Configuration> found;
  for (std::size_t place = 0; place < values_.size(); ++place) {
    const std::vector<std::int64_t>& values = values_[place];
    const auto here = std::lower_bound(values.begin(), values.end(), configuration[place]);
    Configuration other = configuration;
    const auto is_one = [&](std::int64_t value) {
      other[place] = value;
      return contains(other);
    };
    if (const auto smaller = std::find_if(std::make_reverse_iterator(here), values.rend(), is_one);
        smaller != values.rend())
      found.push_back(other);
    const auto above = std::upper_bound(values.begin(), values.end(), configuration[place]);
    if (std::find_if(above, values.end(), is_one) != values.end()) found.push_back(other);
  }
  return found;
}

std::vector<double> ListedSpace::features(const Configuration& configuration) const {
  std::vector<double> result;
  for (std::size_t place = 0; place < values_.size(); ++place) {
    const std::vector<std::int64_t>& values = values_[place];
    if (values.size() < 2) continue;
    const auto here = std::lower_bound(values.begin(), values.end(), configuration[place]);
    result.push_back(static_cast<double>(here - values.begin()) / static_cast<double>(values.size() - 1));
  }
  return result;
}

}  // namespace hoist::search
