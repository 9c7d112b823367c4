#pragma once
// A worker as the tuner's side sees it: started when it is needed, told its task, and started again when it
// was lost.
#include <atomic>
#include <optional>
#include <string>

#include "measure/worker/messages.hpp"
#include "runtime/guard.hpp"

namespace hoist::measure {

struct StationOptions {
  std::string program;
  const char* role = nullptr;  ///< `building` or `measuring`
  const runtime::SharedMemory* memory = nullptr;
  std::size_t most_memory = 0;
  messages::Json task;  ///< the message that sets it up
  const std::atomic<bool>* is_cancelled = nullptr;
};

/// What a worker answered about a candidate.
struct Answer {
  Outcome outcome;
  messages::Json more;
  bool is_cancelled = false;
};

/// To be used by one thread at a time; the one that asks first must outlive it.
class Station {
 public:
  explicit Station(StationOptions options) : options_(std::move(options)) {}

  /// Sees that there is a worker which knows its task. Device error: it cannot be started, or set up.
  Result<void> be_ready();
  /// Another task from now on; a worker that is there is set up again, and keeps the device open.
  void change_task(messages::Json task);
  /// From now on this ends what is being waited for.
  void end_by(const std::atomic<bool>* is_cancelled);
  /// What became of the candidate that the message is about; the outcome has no id. Where the worker is lost,
  /// or cannot be had, the outcome says so.
  Answer ask(const messages::Json& request, double seconds);
  /// The next candidate gets a new worker.
  void replace() { worker_.reset(); }
  /// Whether the next candidate is its worker's first.
  bool is_fresh() const { return !worker_ || asked_ == 0; }

 private:
  StationOptions options_;
  std::optional<runtime::Worker> worker_;
  bool is_set_up_ = false;
  std::size_t asked_ = 0;
};

}  // namespace hoist::measure
