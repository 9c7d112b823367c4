#include "cli/interrupt.hpp"

#include <signal.h>

#include "cli/output_file.hpp"

namespace hoist::cli {

namespace {

std::atomic<bool> is_interrupted{false};

extern "C" void set_flag(int) {
  is_interrupted.store(true);
  install_signal_handlers();
}

}  // namespace

const std::atomic<bool>& catch_interrupt() {
  struct sigaction action {};
  action.sa_handler = set_flag;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction old {};
    if (sigaction(number, nullptr, &old) == 0 && old.sa_handler != SIG_IGN)
      sigaction(number, &action, nullptr);
  }
  return is_interrupted;
}

}  // namespace hoist::cli
