#include "model/description.hpp"

#include <algorithm>

namespace hoist::model {

std::vector<std::uint32_t> used_columns(const Description& description) {
  std::vector<std::uint32_t> used;
  for (std::uint32_t i = 0; i < description.ranges.size(); ++i) {
    const std::vector<std::string>& excluded = description.excluded;
    const bool is_excluded =
        std::find(excluded.begin(), excluded.end(), description.schema.features[i].name) != excluded.end();
    if (description.ranges[i].least < description.ranges[i].greatest && !is_excluded) used.push_back(i);
  }
  return used;
}

}  // namespace hoist::model
