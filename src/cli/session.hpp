#pragma once
// What one call of `hoist` carries: how it was called, what it reads, what it is about to do.
#include <functional>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/need.hpp"
#include "ir/term.hpp"

namespace hoist::cli {

/// The exit status of `hoist`.
enum Status : int {
  done = 0,
  users_error = 1,
  device_failure = 2,  ///< or another resource: memory, a disk
  bug = 3,             ///< a wrong result too
};
Status status_of(ErrorKind kind);

struct Session {
  ir::Arena arena;           ///< first: everything below may refer to what it owns
  std::string command_line;  ///< quoted for a shell, for bug reports
  /// What the spans of errors refer to: the text that is being read.
  std::optional<Source> source;
  std::optional<ir::Program> program;  ///< for bug reports
  std::function<Status()> action;      ///< of the command that was given
};

}  // namespace hoist::cli
