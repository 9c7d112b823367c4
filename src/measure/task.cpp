#include "measure/task.hpp"

#include <algorithm>
#include <limits>

namespace hoist::measure {

double MeasuringOptions::seconds_left() const {
  if (is_cancelled && *is_cancelled) return 0;
  if (until == std::chrono::steady_clock::time_point::max()) return std::numeric_limits<double>::infinity();
  return std::max(0.0, std::chrono::duration<double>(until - std::chrono::steady_clock::now()).count());
}

}  // namespace hoist::measure
