#pragma once
// A space whose configurations are told by values with names, as specification files tell them.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "search/space.hpp"

namespace hoist::search {

/// A value for each of a space's names, in their order; nothing where a configuration has no such number.
using NamedValues = std::vector<std::optional<std::int64_t>>;

class NamedSpace {
 public:
  virtual ~NamedSpace() = default;

  virtual const Space& space() const = 0;
  /// Those of all configurations, each once.
  virtual const std::vector<std::string>& names() const = 0;
  /// Whether every configuration has a number for each of the names.
  virtual bool has_all_names_always() const = 0;
  /// The configuration that has these values, as far as it has numbers of these names; nothing where there is
  /// none, or where it needs a value that is not given.
  virtual std::optional<Configuration> find(const NamedValues& values) const = 0;
  /// Precondition: the space contains the configuration.
  virtual NamedValues values(const Configuration& configuration) const = 0;
  /// The values of a name (its place among the names) in rising order: all, or those that are easily found.
  virtual std::vector<std::int64_t> known_values(std::size_t name) const = 0;
  /// Whether those are all values that configurations have.
  virtual bool knows_all_values() const = 0;
};

}  // namespace hoist::search
