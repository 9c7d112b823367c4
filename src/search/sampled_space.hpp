#pragma once
// A space of which only some configurations are known: those that were drawn from it and measured.
#include "search/listed_space.hpp"

namespace hoist::search {

/// As ListedSpace; but where few configurations of many are listed, hardly two of them differ in one number
/// only, so the neighbours are the nearest: those with the least sum of differences of features(), of equally
/// near ones the first listed.
class SampledSpace : public ListedSpace {
 public:
  explicit SampledSpace(const std::vector<Configuration>& configurations);

  std::vector<Configuration> neighbours(const Configuration& configuration) const override;

 private:
  std::vector<std::vector<std::size_t>> nearest_;  ///< the ranks of each one's neighbours
};

}  // namespace hoist::search
