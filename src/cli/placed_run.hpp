#pragma once
// hoist run on several devices, or as one of several ranks.
#include "cli/job.hpp"
#include "cli/run_options.hpp"
#include "cli/session.hpp"

namespace hoist::cli {

/// Runs the program on all devices that the options name, or of several ranks on one device each; writes and
/// tells its result as a run on one device does.
Status run_placed(Session& session, const RunOptions& options, Job& job);

}  // namespace hoist::cli
