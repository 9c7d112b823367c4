#include "runtime/host/process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

extern char** environ;

namespace hoist::runtime::host {

namespace {

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> block;
  for (;;) {
    const ssize_t bytes = read(descriptor, block.data(), block.size());
    if (bytes > 0) text.append(block.data(), static_cast<std::size_t>(bytes));
    if (bytes == 0 || (bytes < 0 && errno != EINTR)) return text;
  }
}

bool is_program(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

Result<ProcessOutcome> run_process(const std::vector<std::string>& arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return device_error(fmt::format("{} cannot be started: {}", arguments[0], std::strerror(errno)));
  std::vector<char*> argument_pointers;
  for (const std::string& argument : arguments)
    argument_pointers.push_back(const_cast<char*>(argument.c_str()));
  argument_pointers.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  pid_t process = 0;
  const int failure =
      posix_spawn(&process, arguments[0].c_str(), &actions, nullptr, argument_pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (failure != 0) {
    close(ends[0]);
    return device_error(fmt::format("{} cannot be started: {}", arguments[0], std::strerror(failure)));
  }

  ProcessOutcome outcome;
  outcome.output = read_all(ends[0]);
  close(ends[0]);
  int status = 0;
  pid_t ended = 0;
  do {
    ended = waitpid(process, &status, 0);
  } while (ended < 0 && errno == EINTR);
  if (ended < 0)
    return device_error(fmt::format("how {} ended is unknown: {}", arguments[0], std::strerror(errno)));
  if (WIFEXITED(status)) outcome.exit_status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  return outcome;
}

std::optional<std::string> find_program(const std::string& name) {
  if (name.empty()) return std::nullopt;
  if (name.find('/') != std::string::npos) return is_program(name) ? std::optional(name) : std::nullopt;
  const char* variable = std::getenv("PATH");
  const std::string path = variable ? variable : "/usr/local/bin:/usr/bin:/bin";
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    // An empty entry means the current directory; running what happens to lie there is not wanted.
    if (end > begin) {
      std::string candidate = path.substr(begin, end - begin) + "/" + name;
      if (is_program(candidate)) return candidate;
    }
    begin = end + 1;
  }
  return std::nullopt;
}

}  // namespace hoist::runtime::host
