#pragma once
// The specification files that ship with Hoist: those in searches/, which CMake puts into the program.
#include <string_view>
#include <vector>

namespace hoist::search {

struct ShippedSpecification {
  std::string_view name;  ///< of the file, without its ending
  std::string_view text;
};
/// In the order of their names.
const std::vector<ShippedSpecification>& shipped_specifications();

}  // namespace hoist::search
