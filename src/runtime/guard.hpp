#pragma once
// Worker processes for what may crash, hang or take all memory: compilers, drivers, and kernels that nobody
// has run yet. A worker is a program started anew (usually our own, with an argument that makes it one), so
// that it inherits no state of a driver. It is asked one thing at a time and answers in bytes. What goes
// wrong costs the worker, never the process that asks; and no worker outlives that process, however it ends.
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "runtime/shared_memory.hpp"

namespace hoist::runtime {

struct WorkerOptions {
  std::string program = "/proc/self/exe";
  std::vector<std::string> arguments = {};  ///< after the program's name
  const SharedMemory* shared = nullptr;     ///< what the worker gets from shared_by_parent()
  /// Resident bytes of the worker and what it started together, beyond which it is ended; 0: no bound.
  std::size_t memory = 0;
  /// Ends what is being waited for when it becomes true.
  const std::atomic<bool>* is_cancelled = nullptr;
};

/// How asking ended. But for the first, the worker is no more.
enum class Ending { Answered, Crashed, TimedOut, OutOfMemory, Cancelled };

struct Reply {
  Ending ending = Ending::Answered;
  std::string text;  ///< the answer; otherwise what happened, in words, with the last that the worker printed
};

/// One worker process. To be used, and destroyed, by one thread at a time, before the thread that started it
/// ends: where a thread ends, the system ends the workers that it started.
class Worker {
 public:
  /// Device error when the program cannot be started. Whether it is well is seen when it is first asked.
  static Result<Worker> start(const WorkerOptions& options);
  /// Ends it, and all that it started.
  ~Worker();
  Worker(Worker&& other) noexcept;
  Worker& operator=(Worker&& other) noexcept;

  /// Sends the request and waits for its answer, for `seconds` at the most. A worker that is no more answers
  /// nothing: Ending::Crashed.
  Reply ask(std::string_view request, double seconds);
  /// From now on this ends what is being waited for, as WorkerOptions have it.
  void end_by(const std::atomic<bool>* is_cancelled) { is_cancelled_ = is_cancelled; }
  bool is_alive() const { return process_ > 0; }
  pid_t process() const { return process_; }

 private:
  Worker() = default;
  void end();
  Reply ended(Ending ending, std::string words);
  Reply died();
  std::string last_words() const;

  pid_t process_ = 0;  ///< leads a group of its own, in which is all that it starts
  int channel_ = -1;
  SharedMemory output_ = SharedMemory::inherited(-1);  ///< what it prints
  std::size_t memory_ = 0;
  const std::atomic<bool>* is_cancelled_ = nullptr;
};

/// For the program that is the worker: answers requests until the one who asks is gone, then returns what
/// main is to return. To be called first of all.
int serve(const std::function<std::string(const std::string& request)>& answer);
SharedMemory shared_by_parent();

}  // namespace hoist::runtime
