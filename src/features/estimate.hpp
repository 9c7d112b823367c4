#pragma once
// How a launch fits a device, and an analytic estimate of its time.
#include "features/profile.hpp"
#include "features/registers.hpp"
#include "features/traffic.hpp"

namespace hoist::features {

/// What of a launch a device runs at once.
struct Residency {
  double groups_per_unit = 1;
  double occupancy = 0;  ///< work-items at once over the most that a compute unit can have
  double groups = 1;     ///< at once on the whole device
  double waves = 1;      ///< times that so many groups start; a part of one counts as such
  double filled = 1;     ///< of the waves, the last of which may be a part
  double registers = 0;  ///< of a work-item, that the estimate reckons with
  double spilled = 0;    ///< 32-bit values that find none
};
Residency residency_of(const Profile& profile, const Registers& registers, double local_bytes,
                       const target::Machine& machine);

/// The groups of a wave in each dimension: dimension 0 is counted first.
std::array<double, 3> wave_shape(const Profile& profile, double groups);

/// Bytes that each level must move, seconds that each part of the device would need for its share alone.
struct Estimate {
  double memory_bytes = 0, l2_bytes = 0;
  double memory = 0, l2 = 0, l1 = 0, local = 0, arithmetic = 0, launch = 0;
  double total = 0;  ///< the longest of them, and the launch
};

/// All that is known of one launch of a kernel.
struct Launch {
  const loop::Kernel* kernel = nullptr;
  double times = 1;  ///< that the plan launches it
  double local_bytes = 0;
  Profile profile;
  Traffic traffic;
  Registers registers;
  InnerLoop inner;
  Residency residency;
  Footprint group, wave, whole;
  Estimate estimate;
};
Launch launch_of(const loop::Kernel& kernel, const target::Machine& machine);

}  // namespace hoist::features
