#pragma once
// The models that ship with Hoist: the files in models/, which CMake puts into the program. Those of speed
// lie there, those of another task in a folder with the task's name.
#include <string_view>
#include <vector>

namespace hoist::predict {

struct ShippedModel {
  std::string_view name;  ///< of the file, without its endings, with its folder: "technique/nvidia-h200-cuda"
  std::string_view bytes;  ///< as packed
};
/// All of them.
const std::vector<ShippedModel>& shipped_models();
/// Those of a task, without its folder, for the most similar devices first (by_likeness of names and class).
std::vector<ShippedModel> shipped_models_for(std::string_view task, std::string_view device_class);

}  // namespace hoist::predict
