#pragma once
// How long a step of a program on many places may take, before it runs on them: from its plan, the time of
// one device, and what the network is said to do. docs/devices.md lists what the model assumes.
#include <cstddef>

#include "execute/placed_plan.hpp"

namespace hoist::execute {

/// Between any two places, in both directions at once.
struct Interconnect {
  double bytes_per_second = 12.5e9;
  double latency = 2e-6;  ///< seconds of each message
};

/// The machines that ranks run on.
struct Machines {
  Interconnect interconnect = {};
  /// How many places compute at the same time, where they share fewer devices or cores; 0: all.
  std::size_t at_once = 0;
};

struct Forecast {
  std::size_t moved_bytes = 0;  ///< in a step, between all places
  /// Of the place that has most to do with the network: what it sends or receives in a step, whichever is
  /// more.
  std::size_t bytes_of_place = 0, messages_of_place = 0;
  double compute = 0;     ///< seconds of a step's kernels, each phase as long as its slowest place
  double transfer = 0;    ///< seconds of the messages of that place
  double step = 0;        ///< of both, as far as they do not overlap
  double efficiency = 0;  ///< the time of one device over that of all devices together
};

/// `alone` is the plan of the same program on one place, a step of which takes its kernels so many seconds.
Forecast forecast(const PlacedPlan& plan, const PlacedPlan& alone, double kernel_seconds,
                  const Machines& machines);

}  // namespace hoist::execute
