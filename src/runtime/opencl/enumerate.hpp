#pragma once
// What OpenCL devices there are.
#include <algorithm>
#include <string>
#include <vector>

#include "runtime/device.hpp"
#include "runtime/opencl/loader.hpp"
#include "target/kinds.hpp"

namespace hoist::runtime::opencl {

struct FoundDevice {
  cl_device_id device = nullptr;
  target::Target info;
  std::string build_options;  ///< for its compiler
  std::string pci_address;    ///< empty where it does not tell
};

struct Enumeration {
  Functions functions;
  std::vector<FoundDevice> devices;  ///< in loader order
  std::vector<std::string> notes;    ///< what could not be reached, and why

  /// The end of `devices` where there is none of that id.
  std::vector<FoundDevice>::iterator device_of(const target::DeviceId& id) {
    return std::find_if(devices.begin(), devices.end(),
                        [&](const FoundDevice& candidate) { return id.means(candidate.info); });
  }
};

/// Asks every platform for its devices. Never fails: without a loader there are no devices and one note. A
/// device that cannot be used is left out, but keeps its number, so that the ids of the others stay.
Enumeration enumerate();

}  // namespace hoist::runtime::opencl
