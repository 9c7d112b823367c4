#pragma once
// Time that passes.
#include <chrono>

namespace hoist {

/// On a clock that nobody sets.
inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace hoist
