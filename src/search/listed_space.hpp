#pragma once
// A space whose configurations are known one by one: what a recording holds, or what a test makes.
#include <unordered_map>
#include <vector>

#include "search/space.hpp"

namespace hoist::search {

/// All configurations have the same length. A neighbour differs in one number, which is the next smaller or
/// larger one with which the space has a configuration.
class ListedSpace : public Space {
 public:
  explicit ListedSpace(std::vector<Configuration> configurations);

  std::uint64_t size() const override { return configurations_.size(); }
  Configuration at(std::uint64_t rank) const override { return configurations_[rank]; }
  bool contains(const Configuration& configuration) const override {
    return ranks_.count(configuration) != 0;
  }
  std::vector<Configuration> neighbours(const Configuration& configuration) const override;
  /// Where each number stands among its values, from 0 to 1; without the numbers that never change.
  std::vector<double> features(const Configuration& configuration) const override;
  /// The rank of a configuration that is contained.
  std::size_t rank(const Configuration& configuration) const { return ranks_.at(configuration); }

 private:
  std::vector<Configuration> configurations_;
  std::unordered_map<Configuration, std::size_t, ConfigurationHash> ranks_;
  std::vector<std::vector<std::int64_t>> values_;  ///< of each place, in order
};

}  // namespace hoist::search
