#pragma once
// Measuring candidates in processes of their own: whatever they do, what comes of it is an outcome. Several
// processes build (on all cores), while one for each device runs what is built: checks every element of the
// result, and times it.
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "measure/outcome.hpp"
#include "measure/task.hpp"
#include "runtime/device.hpp"

namespace hoist::measure {

/// Submissions in, outcomes out, in the order in which they come to an end. Building goes on in threads of
/// its own between the calls. Devices that are processors do not run anything while something is built.
class Measurer {
 public:
  /// Errors: those of expected_of; devices that differ; a worker that cannot be started, or cannot open its
  /// device.
  static Result<std::unique_ptr<Measurer>> start(const Task& task, const MeasuringOptions& options);
  /// Ends what is under way.
  ~Measurer();
  Measurer(const Measurer&) = delete;
  Measurer& operator=(const Measurer&) = delete;

  void submit(Submission submission);
  /// Forgets what is not being built or measured right now; it gets no outcome.
  void drop_waiting();
  /// Forgets all that has no outcome yet, and ends what is being built or measured.
  void give_up();
  /// How many submissions have no outcome yet that next() gave.
  std::size_t under_way() const;
  /// How many more would keep all workers busy.
  std::size_t wanted() const;
  /// The next outcome, waiting at most so long; nothing when none came or nothing is under way.
  std::optional<Outcome> next(double seconds = std::numeric_limits<double>::infinity());

  /// The least median of an outcome that is Ok so far; infinity while there is none.
  double best() const;
  const Expected& expected() const;
  const target::Target& device() const;

 private:
  class State;
  explicit Measurer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace hoist::measure
