#include "cli/progress.hpp"

#include <unistd.h>

#include <cstdio>

#include "cli/output.hpp"

namespace hoist::cli {

namespace {

bool is_terminal() {
  static const bool is = isatty(STDERR_FILENO) == 1;
  return is;
}

}  // namespace

void Progress::end() {
  if (has_line_) std::fputs("\n", stderr);
  has_line_ = false;
}

void Progress::show(const std::string& text) {
  constexpr std::chrono::milliseconds on_terminal{200}, elsewhere{10'000};
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < (is_terminal() ? on_terminal : elsewhere)) return;
  last_ = now;
  if (!is_terminal()) return note(text);
  // Back to the line's beginning; what was longer is erased.
  std::fputs(("\r" + text + "\x1b[K").c_str(), stderr);
  std::fflush(stderr);
  has_line_ = true;
}

}  // namespace hoist::cli
