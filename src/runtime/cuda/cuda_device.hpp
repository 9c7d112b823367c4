#pragma once
// NVIDIA's devices behind the CUDA driver.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/device.hpp"
#include "target/kinds.hpp"

namespace hoist::runtime::cuda {

/// Every device in the driver's order, none where there is no driver or no NVRTC; `notes`, when given, gets a
/// line where there is a driver but its devices cannot be used.
std::vector<target::Target> list_devices(std::vector<std::string>* notes);

/// Opens the device of that number, or the first one. Null when there are fewer devices; a Device error that
/// says what is missing where there is no driver, no device or no NVRTC.
Result<std::unique_ptr<Device>> open_device(const target::DeviceId& id);
/// Likewise what is there of the device; it takes no context, and so no memory, of it. Empty when there are
/// fewer.
Result<std::optional<target::Target>> describe_device(const target::DeviceId& id);
/// Needs NVRTC and no driver. A Device error where NVRTC is missing.
Result<std::unique_ptr<Builder>> open_builder(const target::Target& device);

}  // namespace hoist::runtime::cuda
