#pragma once
// Devices behind OpenCL 1.2.
#include <memory>
#include <optional>
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
/// Likewise what is there of it. Empty when there is none.
Result<std::optional<target::Target>> describe_device(const target::DeviceId& id);
/// Takes a context of the device, which OpenCL's compilers need; null when it is no longer there.
Result<std::unique_ptr<Builder>> open_builder(const target::Target& device);

}  // namespace hoist::runtime::opencl
