#pragma once
// Devices that are not there, for what depends on what they are alone.
#include <utility>

#include "target/target.hpp"

namespace hoist::testing_support {

inline target::Target h200(target::Language language) {
  target::Target device;
  device.name = "NVIDIA H200";
  device.vendor = "NVIDIA";
  device.language = language;
  device.type = target::Type::Gpu;
  device.compute_units = 132;
  device.max_group_size = 1024;
  device.preferred_group_multiple = 32;
  device.sub_group_sizes = {32};
  device.cache_line = 128;
  device.local_memory = 232448;
  return completed(std::move(device));
}

}  // namespace hoist::testing_support
