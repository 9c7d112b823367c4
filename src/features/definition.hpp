#pragma once
// What is told of a feature, wherever it is read from.
#include <string_view>

namespace hoist::features {

/// One feature.
struct Definition {
  std::string_view name;     ///< "global_loads"
  std::string_view unit;     ///< "accesses / work-item"
  std::string_view group;    ///< "paper", "launch", "memory"
  std::string_view source;   ///< where it comes from: "table 6.1", "Hoist"
  std::string_view meaning;  ///< one sentence
};

}  // namespace hoist::features
