#pragma once
// Runs that were started and that nobody has waited for yet: what an array or an executable must outlive, and
// what others who use it are ordered behind.
#include <memory>
#include <string>
#include <vector>

#include "runtime/queue.hpp"

namespace hoist::execute {

class StartedWork {
 public:
  enum class AtEnd : std::uint8_t { Waits, Leaves };

  explicit StartedWork(AtEnd at_end = AtEnd::Waits) : at_end_(at_end) {}
  StartedWork(StartedWork&&) noexcept = default;
  StartedWork& operator=(StartedWork&&) = delete;
  StartedWork(const StartedWork&) = delete;
  StartedWork& operator=(const StartedWork&) = delete;
  /// Waits for what is left, unless it leaves it.
  ~StartedWork();

  /// A run of the program of that name, whose last command this is.
  void add(const runtime::Event& end, const std::shared_ptr<const std::string>& program);
  /// Forgets all: somebody else is ordered behind it, and takes its place.
  void clear() { runs_.clear(); }
  /// Appends the ends of all runs.
  void append_to(std::vector<runtime::Event>& events) const;
  /// Waits for all of them, and forgets them. Where one has failed, the error names its program, and each
  /// later call has it, too.
  Result<void> wait();

 private:
  struct Run {
    runtime::Event end;
    std::shared_ptr<const std::string> program;
  };
  AtEnd at_end_;
  std::vector<Run> runs_;
  std::size_t most_ = 8;  ///< where there are more, those that have ended are looked for
};

}  // namespace hoist::execute
