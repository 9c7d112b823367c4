#pragma once
// Time dealt out to tasks that are tuned one after the other.
#include <chrono>
#include <functional>
#include <vector>

#include "base/stopwatch.hpp"

namespace hoist::tuner {

/// Each task gets a share of the time that is left, by its weight among those that have not had theirs: what
/// one does not use goes to all that follow, and what one takes beyond its share they lack.
class TimeBudget {
 public:
  using Clock = std::function<double()>;  ///< seconds since the budget began

  TimeBudget(
      double seconds, std::vector<double> weights,
      Clock elapsed = [start = std::chrono::steady_clock::now()] { return seconds_since(start); });

  /// Negative where more was taken than there was.
  double left() const { return seconds_ - elapsed_(); }
  /// Seconds for the task of that number, those before it being done. As left(), it may be negative.
  /// Precondition: its weight is positive.
  double share(std::size_t task) const;

 private:
  double seconds_;
  std::vector<double> weights_;
  Clock elapsed_;
};

}  // namespace hoist::tuner
