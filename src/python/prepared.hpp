#pragma once
// A call that can be run.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "python/arguments.hpp"

namespace hoist::python {

/// A call whose inputs were read.
struct Prepared {
  std::vector<Given> given;
  Sizes sizes;
  std::map<std::string, py::object> options;
  DevicePtr device;                   ///< of several the first
  std::vector<DevicePtr> devices;     ///< those that a call names by `devices`, each as often as it is named
  std::optional<Communicator> ranks;  ///< that a call names
  std::vector<double> shares;         ///< of several devices; of this rank
  PlaceGrid grid;                     ///< of several devices, or of ranks

  std::vector<std::unique_ptr<OnDevice<Buffer>>> borrowed;  ///< other libraries' arrays
  std::vector<Input> inputs;

  /// Whether several devices, or ranks, run a part each.
  bool is_placed() const { return !devices.empty() || ranks; }
  /// Whether an input is on the device.
  bool is_on_device() const {
    return std::ranges::any_of(given, [](const Given& each) { return each.on_device || each.foreign; });
  }
};

}  // namespace hoist::python
