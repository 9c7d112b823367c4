#include "cli/run_program.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/need.hpp"
#include "cli/output.hpp"

namespace hoist::cli {

std::optional<int> run_program(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  need(finish_output());
  pid_t process = 0;
  const int failure = posix_spawnp(&process, arguments[0], nullptr, nullptr, arguments.data(), environ);
  if (failure == ENOENT) return std::nullopt;
  if (failure != 0)
    throw_failure(ErrorKind::Device,
                  fmt::format("{} cannot be executed: {}", words[0], std::strerror(failure)));
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  throw_failure(ErrorKind::Bug, fmt::format("{} was ended by signal {}", words[0], WTERMSIG(status)));
}

}  // namespace hoist::cli
