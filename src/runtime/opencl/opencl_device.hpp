#pragma once
// Devices behind OpenCL 1.2.
#include <memory>
#include <string>
#include <vector>

#include "runtime/device.hpp"

namespace hoist::runtime::opencl {

/// Every usable device in loader order; `notes`, when given, gets a line for each that is not.
std::vector<DeviceInfo> list_devices(std::vector<std::string>* notes);

/// Opens "opencl:N", or the first device for "opencl". Null when there is none of that id; a Device error
/// when it is there and cannot be opened.
Result<std::unique_ptr<Device>> open_device(const std::string& id);
/// Likewise; it takes a context of the device too, which OpenCL's compilers need.
Result<std::unique_ptr<Builder>> open_builder(const std::string& id);

}  // namespace hoist::runtime::opencl
