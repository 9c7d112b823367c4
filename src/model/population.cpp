#include "model/population.hpp"

#include <algorithm>

namespace hoist::model {

Population Population::of(const Matrix& candidates) {
  Population population;
  std::vector<double> column(candidates.count());
  for (std::size_t feature = 0; feature < candidates.width; ++feature) {
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = candidates.at(i, feature);
    const auto middle = column.begin() + static_cast<std::ptrdiff_t>(column.size() / 2);
    std::nth_element(column.begin(), middle, column.end());
    population.middle.push_back(*middle);
    population.least.push_back(*std::min_element(column.begin(), middle + 1));
  }
  return population;
}

}  // namespace hoist::model
