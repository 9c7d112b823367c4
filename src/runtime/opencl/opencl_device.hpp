#pragma once
// Devices behind OpenCL 1.2.
#include <memory>
#include <string>
#include <vector>

#include "runtime/device.hpp"
#include "target/kinds.hpp"

namespace hoist::runtime::opencl {

/// Every usable device in loader order; `notes`, when given, gets a line for each that is not.
std::vector<target::Target> list_devices(std::vector<std::string>* notes);

/// Opens the device of that number, or the first one. Null when there is none; a Device error when it is
/// there and cannot be opened.
Result<std::unique_ptr<Device>> open_device(const target::DeviceId& id);
/// Likewise; it takes a context of the device too, which OpenCL's compilers need.
Result<std::unique_ptr<Builder>> open_builder(const target::DeviceId& id);

}  // namespace hoist::runtime::opencl
