#pragma once
// The devices that there are, of all backends.
#include <memory>
#include <string>
#include <vector>

#include "runtime/device.hpp"
#include "target/target.hpp"

namespace hoist::runtime {

/// Every device present, kinds by their rank: CUDA's in the driver's order ("cuda:0", ...), OpenCL's by
/// platform and device in loader order ("opencl:0", "opencl:1", ... counted over all platforms), `host` last
/// and always. Never fails: what cannot be reached is left out, and `notes`, when given, gets a line on why.
std::vector<target::Target> list_devices(std::vector<std::string>* notes = nullptr);

/// Opens what the id means (target::device_id): "host", "opencl" (the first of its kind), "opencl:1". A
/// device that is not there is a Device error that lists those that are.
Result<std::unique_ptr<Device>> open_device(const std::string& id);
/// What open_device would open; errors are the same. It takes nothing of the device, or as little as can be.
Result<target::Target> describe_device(const std::string& id);
/// A builder for a device that was described, by this process or another one; errors are those of
/// open_device. Where the compiler needs no driver (CUDA) none is started: drivers start for one process
/// after the other.
Result<std::unique_ptr<Builder>> open_builder(const target::Target& device);
/// The device used when the user names none: the first GPU, else the first device.
std::string default_device();

}  // namespace hoist::runtime
