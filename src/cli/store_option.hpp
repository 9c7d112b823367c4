#pragma once
// --store: where the results of tuning are.
#include <CLI/App.hpp>
#include <string>

#include "store/store.hpp"

namespace hoist::cli {

/// Adds --store to a command.
void add_store_option(CLI::App& command, std::string& place);
/// Opens the store of that place, or the user's own for an empty one. Throws Failure.
store::Store open_store(const std::string& place, const store::OpenOptions& options = {});

}  // namespace hoist::cli
