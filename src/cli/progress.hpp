#pragma once
// How far long work has got, on standard error: a line that is written anew on a terminal, lines of text now
// and then elsewhere.
#include <chrono>
#include <string>

namespace hoist::cli {

class Progress {
 public:
  ~Progress() { end(); }
  /// Shows the text, unless the last was shown a moment ago.
  void show(const std::string& text);
  /// Ends the line: what follows begins a new one.
  void end();

 private:
  std::chrono::steady_clock::time_point last_{};
  bool has_line_ = false;
};

}  // namespace hoist::cli
