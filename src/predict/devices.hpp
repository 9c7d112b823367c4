#pragma once
// Devices as models speak of them: in classes.
#include <string>
#include <string_view>
#include <vector>

#include "target/target.hpp"

namespace hoist::predict {

/// Devices that one model serves, with the language: "nvidia-h200-cuda", "pocl-cpu-opencl", "cpu-host".
std::string device_class(const target::Target& device);
/// What the devices of a class are, which says what features they have.
target::Processor processor_of(std::string_view device_class);
/// The one of `known` whose devices are most like a device of this class, if any is of its kind; itself where
/// it is among them.
std::string nearest_class(const std::string& device_class, const std::vector<std::string>& known);
/// The names of devices or classes ("nvidia-h200", "pocl-cpu-opencl") of the same kind, the most similar
/// first.
std::vector<std::string_view> by_likeness(std::string_view device_class, std::vector<std::string_view> names);

}  // namespace hoist::predict
