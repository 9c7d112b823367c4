#pragma once
// Keeps a driver's chatter off standard error.
#include <mutex>

namespace hoist::runtime::opencl {

/// While it lives, what this process writes to file descriptor 2 is dropped. One at a time in the process; a
/// second waits for the first. Where redirecting fails it does nothing.
class QuietStandardError {
 public:
  QuietStandardError();
  ~QuietStandardError();
  QuietStandardError(const QuietStandardError&) = delete;
  QuietStandardError& operator=(const QuietStandardError&) = delete;

 private:
  std::unique_lock<std::mutex> lock_;
  int saved_ = -1;  ///< a duplicate of the descriptor as it was
};

}  // namespace hoist::runtime::opencl
