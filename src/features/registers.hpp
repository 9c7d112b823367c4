#pragma once
// How many values a work-item keeps at once.
#include "loop/kernel.hpp"

namespace hoist::features {

/// Estimates: what a device's compiler makes of them is its own decision.
struct Registers {
  double live = 0;  ///< 32-bit values of variables, counters and intermediate results, the most at a time
  double array_bytes = 0;  ///< of private arrays
};
Registers registers_of(const loop::Kernel& kernel);

/// A loop's body, as far as its operations wait for one another.
struct InnerLoop {
  double operations = 0;  ///< of one iteration; one on a vector counts once
  double loads = 0;       ///< from global and local memory
  double depth = 0;       ///< of those, on the longest chain inside one iteration
  double carried = 0;     ///< on the longest chain from what one iteration leaves to what the next one does
};
InnerLoop inner_loop(const loop::For& loop);

}  // namespace hoist::features
