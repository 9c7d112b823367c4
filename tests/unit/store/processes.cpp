#include "unit/store/processes.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <stdexcept>

namespace hoist::store {

Child::Child(const std::function<void(int pipe)>& body) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  process_ = fork();
  if (process_ == 0) {
    close(ends[0]);
    try {
      body(ends[1]);
    } catch (const std::exception& failure) {
      const std::string text = failure.what();
      write_all(ends[1], text);
      _exit(1);
    }
    _exit(0);
  }
  close(ends[1]);
  pipe_ = ends[0];
}

Child::~Child() {
  kill();
  status();
  close(pipe_);
}

void Child::kill() {
  if (status_ == -2) ::kill(process_, SIGKILL);
}

std::string Child::all() {
  std::string text;
  char buffer[4096];
  for (ssize_t count; (count = read(pipe_, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(count));
  return text;
}

std::string Child::first(std::size_t bytes) {
  std::string text(bytes, '\0');
  std::size_t have = 0;
  for (ssize_t count; have < bytes && (count = read(pipe_, text.data() + have, bytes - have)) > 0;)
    have += static_cast<std::size_t>(count);
  text.resize(have);
  return text;
}

int Child::status() {
  if (status_ == -2) {
    int status = 0;
    waitpid(process_, &status, 0);
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  return status_;
}

bool write_all(int pipe, const std::string& text) {
  return write(pipe, text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

}  // namespace hoist::store
