#pragma once
// Devices as features and models speak of them.
#include <string>
#include <string_view>
#include <vector>

#include "features/target.hpp"
#include "runtime/device.hpp"
#include "store/store.hpp"

namespace hoist::predict {

/// What features need to know of a device, as JSON: store::Device::facts.
std::string facts_of(const runtime::DeviceInfo& device);
/// The device that a store speaks of. What its facts do not say is what devices of the kind have.
runtime::DeviceInfo device_of(const store::Device& stored);

/// Peaks that a device does not tell are those of the kind, for as many compute units.
features::Target target_of(const runtime::DeviceInfo& device);
/// The kind of the devices of a class, which says what features they have.
features::TargetKind target_kind(std::string_view device_class);

/// Devices that one model serves, with the language: "nvidia-h200-cuda", "pocl-cpu-opencl", "cpu-host".
std::string device_class(const runtime::DeviceInfo& device);
/// The one of `known` whose devices are most like a device of this class, if any is of its kind; itself where
/// it is among them.
std::string nearest_class(const std::string& device_class, const std::vector<std::string>& known);
/// Of names of devices or classes ("nvidia-h200", "pocl-cpu-opencl") those of its kind, the most like first.
std::vector<std::string_view> by_likeness(std::string_view device_class, std::vector<std::string_view> names);

}  // namespace hoist::predict
