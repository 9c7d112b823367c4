#pragma once
// NVIDIA's devices behind the CUDA driver.
#include <memory>
#include <string>
#include <vector>

#include "runtime/device.hpp"

namespace hoist::runtime::cuda {

/// Every device in the driver's order, none where there is no driver or no NVRTC; `notes`, when given, gets a
/// line where there is a driver but its devices cannot be used.
std::vector<DeviceInfo> list_devices(std::vector<std::string>* notes);

/// Opens "cuda:N", or the first device for "cuda". Null when the id is not of this form or N passes the
/// number of devices; a Device error that says what is missing where there is no driver, no device or no
/// NVRTC.
Result<std::unique_ptr<Device>> open_device(const std::string& id);
/// Likewise; it takes no context, and so no memory, of the device.
Result<std::unique_ptr<Builder>> open_builder(const std::string& id);

}  // namespace hoist::runtime::cuda
