#pragma once
// The configurations that a search chooses from, as far as a strategy has to know them. Spaces may be too
// large to be listed (2^60 and more), so strategies draw from them and walk through neighbours; small ones
// they may list by rank.
#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "search/configuration.hpp"

namespace hoist::search {

/// A strategy keeps a reference: the space lives longer. Constant: several searches may use one at a time.
class Space {
 public:
  virtual ~Space() = default;

  /// How many configurations; 2^64 - 1 stands for all that is more.
  virtual std::uint64_t size() const = 0;
  /// The configuration of a rank below size(); the same in every run.
  virtual Configuration at(std::uint64_t rank) const = 0;
  virtual bool contains(const Configuration& configuration) const = 0;
  /// One at random. A space whose derivations differ in their number of points may draw derivations alike.
  virtual Configuration draw(Random& random) const { return at(random.below(size())); }
  /// What differs in one choice: a parameter that takes its next smaller or larger value, or one other rule.
  virtual std::vector<Configuration> neighbours(const Configuration& configuration) const = 0;
  /// Numbers for surrogate models, as many for every configuration. Equal steps should be about equal
  /// changes: the logarithm of a size rather than the size, one number of 0 or 1 for each alternative without
  /// an order.
  virtual std::vector<double> features(const Configuration& configuration) const = 0;
};

}  // namespace hoist::search
