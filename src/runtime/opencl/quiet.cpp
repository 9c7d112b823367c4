#include "runtime/opencl/quiet.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <mutex>

namespace hoist::runtime::opencl {

namespace {

/// The first of those that live at a time redirects, the last restores.
struct Redirection {
  std::mutex mutex;
  int living = 0;
  int saved = -1;  ///< a duplicate of the descriptor as it was
};

Redirection& redirection() {
  static Redirection one;
  return one;
}

}  // namespace

QuietStandardError::QuietStandardError() {
  Redirection& shared = redirection();
  const std::lock_guard lock(shared.mutex);
  if (shared.living++ > 0) return;
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return;
  shared.saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (shared.saved >= 0) dup2(nowhere, STDERR_FILENO);
  close(nowhere);
}

QuietStandardError::~QuietStandardError() {
  Redirection& shared = redirection();
  const std::lock_guard lock(shared.mutex);
  if (--shared.living > 0 || shared.saved < 0) return;
  dup2(shared.saved, STDERR_FILENO);
  close(shared.saved);
  shared.saved = -1;
}

}  // namespace hoist::runtime::opencl
