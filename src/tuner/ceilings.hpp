#pragma once
// What a device can do at the best, measured: what a program's speed is held against.
#include <string>

#include "base/error.hpp"

namespace hoist::tuner {

struct Ceilings {
  double copy_bytes = 0;  ///< bytes read and written a second, by a copy of arrays larger than the caches
  double f32_flops = 0;   ///< floating-point operations a second, by chains of multiply-adds in registers
};

/// Runs two kernels of our own on the device, in this process. Device errors: it cannot be opened, is too
/// small, or other searches have it for so many seconds.
Result<Ceilings> measure_ceilings(const std::string& device, double patience);

}  // namespace hoist::tuner
