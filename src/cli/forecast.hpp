#pragma once
// hoist run --ranks N --dry-run: how a program would be cut for so many ranks, and what that may gain.
#include "cli/run_options.hpp"
#include "cli/session.hpp"

namespace hoist::cli {

/// Runs nothing, or the program on one device where its time is not given. Throws Failure.
Status tell_forecast(Session& session, const RunOptions& options);

}  // namespace hoist::cli
