#pragma once
#include <string_view>
#include <vector>

namespace hoist::model {

/// The kinds of model: their names, and a line about each.
struct Kind {
  std::string_view name, about;
};
const std::vector<Kind>& kinds();
/// What to use where nobody says.
inline constexpr std::string_view default_kind = "boosted";

}  // namespace hoist::model
