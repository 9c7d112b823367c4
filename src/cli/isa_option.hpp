#pragma once
// --isa: the instruction set of the kernels of device host.
#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "target/target.hpp"

namespace hoist::cli {

/// Adds --isa to a command.
void add_isa_option(CLI::App& command, std::string& name);
/// Restricts what is built for the host from now on, before anything is opened. `devices` are those that are
/// named. Throws Failure: another device than the host, or a processor that lacks the instruction set.
void choose_isa(const std::string& name, const std::vector<std::string>& devices);
/// The target of kernels that need not run here. Throws Failure: a target that is not the host.
target::Target restricted_to_isa(target::Target target, const std::string& name);

}  // namespace hoist::cli
