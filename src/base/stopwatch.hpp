#pragma once
// Time that passes.
#include <time.h>

#include <chrono>

namespace hoist {

/// On a clock that nobody sets.
inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// What the calling thread has had of a processor, whatever else runs on the machine.
inline double processor_seconds_of_thread() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace hoist
