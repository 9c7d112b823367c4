#pragma once
// Running another program to its end, without a shell.
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace hoist::runtime::host {

struct ProcessOutcome {
  int exit_status = -1;  ///< -1 when a signal ended it
  int signal = 0;        ///< that signal, or 0
  std::string output;    ///< standard output and standard error, in the order written
  bool succeeded() const { return exit_status == 0; }
};

/// Runs arguments[0], a path, with the arguments, this process's environment and nothing to read. Device
/// error when it cannot be started.
Result<ProcessOutcome> run_process(const std::vector<std::string>& arguments);

/// The path of a program: `name` itself when it holds a slash, else the first one that PATH has.
std::optional<std::string> find_program(const std::string& name);

}  // namespace hoist::runtime::host
