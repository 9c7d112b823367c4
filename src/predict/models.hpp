#pragma once
// Which model predicts for a device.
#include <optional>
#include <string>

#include "model/model.hpp"
#include "predict/devices.hpp"
#include "store/store.hpp"

namespace hoist::predict {

/// The names that a store's models of speed, of loading techniques and of streams have; and the tasks of
/// those that ship.
inline constexpr const char* speed_model = "speed";
inline constexpr const char* technique_model = "technique";
inline constexpr const char* stream_model = "streams";

struct ChosenModel {
  model::Model model;
  std::string device_class;  ///< that it was learned on
  std::string origin;        ///< "shipped with Hoist", "from the store", a file's name
};
/// The model of a device's class, or of the nearest class; a model of the store is preferred to one that
/// ships with Hoist. Nothing where there is none for devices of the kind, with the features that this Hoist
/// computes. Errors: the store's.
Result<std::optional<ChosenModel>> model_for(const target::Target& device, store::Store* store);
/// The model of a file; `device` must be of the kind of the devices that it was learned on.
Result<ChosenModel> model_of_file(const std::string& path, const target::Target& device);
/// The processors that a model has learned on, where that is told and this one is not among them: what is
/// fast on one need not be on another. Empty elsewhere.
std::string other_processors(const ChosenModel& chosen, const target::Target& device);

}  // namespace hoist::predict
