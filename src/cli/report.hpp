#pragma once
// The page about a tuned task, for the commands that write it.
#include <string>

#include "store/store.hpp"

namespace hoist::cli {

/// Throws Failure.
void write_report(const std::string& path, store::Store& store, store::TaskId task);

}  // namespace hoist::cli
