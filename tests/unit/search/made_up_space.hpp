#pragma once
// Spaces with names whose configurations are their values.
#include <algorithm>
#include <set>

#include "search/listed_space.hpp"
#include "search/named_space.hpp"

namespace hoist::search {

class MadeUpSpace : public NamedSpace {
 public:
  MadeUpSpace(std::vector<std::string> names, std::vector<Configuration> configurations)
      : names_(std::move(names)), space_(std::move(configurations)) {}

  const ListedSpace& space() const override { return space_; }
  const std::vector<std::string>& names() const override { return names_; }
  bool has_all_names_always() const override { return true; }
  std::optional<Configuration> find(const NamedValues& values) const override {
    Configuration configuration;
    for (const auto& value : values) configuration.push_back(value.value_or(-1));
    return space_.contains(configuration) ? std::optional(configuration) : std::nullopt;
  }
  NamedValues values(const Configuration& configuration) const override {
    return {configuration.begin(), configuration.end()};
  }
  std::vector<std::int64_t> known_values(std::size_t name) const override {
    std::set<std::int64_t> values;
    for (std::uint64_t rank = 0; rank < space_.size(); ++rank) values.insert(space_.at(rank)[name]);
    return {values.begin(), values.end()};
  }
  bool knows_all_values() const override { return true; }

 private:
  std::vector<std::string> names_;
  ListedSpace space_;
};

/// a and b of 1, 2, 4, 8 with a*b up to 8: ten configurations.
inline MadeUpSpace products_up_to_eight() {
  std::vector<Configuration> all;
  for (const std::int64_t a : {1, 2, 4, 8}) {
    for (const std::int64_t b : {1, 2, 4, 8}) {
      if (a * b <= 8) all.push_back({a, b});
    }
  }
  return {{"a", "b"}, std::move(all)};
}

}  // namespace hoist::search
