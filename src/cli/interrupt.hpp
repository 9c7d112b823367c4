#pragma once
// Ctrl-C for work that can stop half-way and keep what it has.
#include <atomic>

namespace hoist::cli {

/// From now on the first SIGINT, SIGTERM or SIGHUP sets the flag; the second ends the process as ever.
const std::atomic<bool>& catch_interrupt();

}  // namespace hoist::cli
