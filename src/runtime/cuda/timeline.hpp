#pragma once
// Events of the driver, used again, and the clock that they are read on. An event tells only its distance to
// another one, as a float of milliseconds, so commands are timed from a mark that lies some seconds back at
// most, whose own time is known.
#include <deque>
#include <vector>

#include "runtime/cuda/driver.hpp"

namespace hoist::runtime::cuda {

/// An event that has ended, and when it did, in seconds of the host's steady clock.
struct Mark {
  CUevent event = nullptr;
  double seconds = 0;
};

class Timeline {
 public:
  /// Whatever was made belongs to the context that is current now and then.
  explicit Timeline(const Driver& driver) : driver_(driver) {}
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  /// An event; those that tell no time cost the driver less. It is given back as what it was taken.
  CUresult take(CUevent& event, bool is_timed = true);
  void give_back(CUevent event, bool is_timed = true) { unused(is_timed).push_back(event); }
  /// The mark from which what is given now is to be timed; it stays until `release`. `stream` is one that is
  /// not used by queues, so that its commands wait for nothing.
  CUresult mark(const Mark*& now, CUstream stream);
  /// Frees all; with a context that is lost, forgets it.
  void release(bool is_lost = false);

 private:
  std::vector<CUevent>& unused(bool is_timed) { return is_timed ? unused_ : unused_untimed_; }

  const Driver& driver_;
  std::vector<CUevent> unused_, unused_untimed_;
  std::deque<Mark> marks_;
};

}  // namespace hoist::runtime::cuda
