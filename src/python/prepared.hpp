#pragma once
// A call that can be run.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "python/arguments.hpp"

namespace hoist::python {

/// A call whose inputs were read.
struct Prepared {
  std::vector<Given> given;
  Sizes sizes;
  std::map<std::string, py::object> options;
  DevicePtr device;

  std::vector<std::unique_ptr<OnDevice<Buffer>>> borrowed;  ///< other libraries' arrays
  std::vector<Input> inputs;

  /// Whether an input is on the device.
  bool is_on_device() const {
    return std::ranges::any_of(given, [](const Given& each) { return each.on_device || each.foreign; });
  }
};

}  // namespace hoist::python
