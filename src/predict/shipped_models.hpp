#pragma once
// The models that ship with Hoist: the files in models/, which CMake puts into the program.
#include <string_view>
#include <vector>

namespace hoist::predict {

struct ShippedModel {
  std::string_view name;   ///< of the file, without its endings
  std::string_view bytes;  ///< as packed
};
const std::vector<ShippedModel>& shipped_models();

}  // namespace hoist::predict
