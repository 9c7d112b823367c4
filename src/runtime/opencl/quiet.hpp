#pragma once
// Keeps drivers' chatter off standard error.

namespace hoist::runtime::opencl {

/// While one lives, what this process writes to file descriptor 2 is dropped, by every thread. Where
/// redirecting fails it does nothing.
class QuietStandardError {
 public:
  QuietStandardError();
  ~QuietStandardError();
  QuietStandardError(const QuietStandardError&) = delete;
  QuietStandardError& operator=(const QuietStandardError&) = delete;
};

}  // namespace hoist::runtime::opencl
