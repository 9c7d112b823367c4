// A worker for the tests of runtime/guard: does what it is asked to, however bad.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "runtime/guard.hpp"

using namespace hoist::runtime;

namespace {

std::string shared_text(std::size_t bytes) {
  std::string text(bytes, ' ');
  static const SharedMemory memory = shared_by_parent();
  if (!memory.read(0, std::as_writable_bytes(std::span(text)))) return "nothing is shared";
  return text;
}

[[noreturn]] void take_all_memory() {
  std::vector<std::vector<char>> taken;
  for (;;) taken.emplace_back(1 << 20, 'x');
}

[[noreturn]] void sleep_forever() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

/// What a process that this one starts, and that it waits for, has as its number.
std::string start_another() {
  const pid_t child = fork();
  if (child == 0) {
    execlp("sleep", "sleep", "1000", nullptr);
    _exit(127);
  }
  return std::to_string(child);
}

std::string answer(const std::string& request) {
  if (request == "crash") std::raise(SIGSEGV);
  if (request == "abort") {
    std::cerr << "a wheel came off" << std::endl;
    std::abort();
  }
  if (request == "exit") std::_Exit(3);
  if (request == "killed") std::raise(SIGKILL);
  if (request == "hang") sleep_forever();
  if (request == "spin") {
    for (std::atomic<int> turns = 0;; ++turns) {
    }
  }
  if (request == "memory") take_all_memory();
  if (request == "another") return start_another();
  if (request == "pid") return std::to_string(getpid());
  if (request == "shared") return shared_text(5);
  return "echo " + request;
}

/// A parent that starts a worker and another process through it, tells their numbers and waits to be killed.
int be_parent(const std::string& program) {
  WorkerOptions options;
  options.program = program;
  auto worker = Worker::start(options);
  if (!worker) return 1;
  const Reply another = worker->ask("another", 10);
  std::cout << worker->process() << " " << another.text << std::endl;
  worker->ask("hang", 1000);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1 && std::strcmp(arguments[1], "parent") == 0) return be_parent(arguments[0]);
  return serve(answer);
}
