#pragma once
// Measuring candidates in processes of their own: whatever they do, what comes of it is an outcome. Several
// processes build (on all cores), while one for each device runs what is built: checks every element of the
// result, and times it.
#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/compile.hpp"
#include "interpret/error_bound.hpp"
#include "measure/outcome.hpp"
#include "runtime/device.hpp"

namespace hoist::measure {

/// What all candidates compute, and on what.
struct Task {
  ir::Program program;  ///< as it is meant; the arena must live as long as Measurer::start takes
  driver::NamedSizes sizes;     ///< of all that the program leaves open
  std::vector<Data> inputs;
};

struct MeasuringOptions {
  /// Of one kind: what is built is for the first.
  std::vector<std::string> devices;
  std::size_t builders = 0;  ///< processes; 0: one for each core
  /// The program that workers are, called with worker_argument (measure/worker/worker.hpp); this one by default.
  std::string program = "/proc/self/exe";
  std::vector<std::string> without = {};  ///< passes of lowering (lower::disable_pass)
  /// Its `hopeless` is set by what follows.
  runtime::StoppingRule rule = {};
  /// Slower than the best by this factor, and a candidate is not timed to the end; 0: all are.
  double hopeless_factor = 3;
  /// Seconds after which it counts as hanging: a build; a check with all runs. Once a best is known less is
  /// waited for: patience_seconds, and patience_factor times the best's time.
  double build_seconds = 60, run_seconds = 60;
  /// Of a candidate, which is one of many.
  double candidate_build_seconds = 60, candidate_run_seconds = 60;
  double patience_seconds = 10, patience_factor = 200;
  /// Of candidates, once it is known how long builds take: a build is given build_patience_seconds, and at the
  /// least build_patience_factor times the median of all. Those that take longest are seldom fast: of 600 of
  /// 57 tasks on an H200 none was the best, and building them took up to half of the time.
  double build_patience_seconds = 3, build_patience_factor = 10;
  /// Bytes of memory of the system that a process may take; 0: half of what there is, shared among the
  /// builders.
  std::size_t builder_memory = 0, measurer_memory = 0;
  /// A program of at most so many operations is evaluated by the interpreter, which does some 5e7 a second.
  double most_interpreted = 1e8;
  /// When all must have ended, the reference too, and whether somebody asks for that before.
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();
  const std::atomic<bool>* is_cancelled = nullptr;

  /// Infinity where nothing ends it; 0 when it is over.
  double seconds_left() const;
};

/// What is held to be right.
struct Expected {
  Data data;
  interpret::ErrorBound bound;
  /// Sizes at which the default mapping, which gave the data, agreed with the interpreter; empty where the
  /// interpreter itself gave them.
  driver::NamedSizes verified_at;
};
/// By the interpreter, or else by the default mapping on the first device: also where the interpreter has not
/// done in a quarter of the time that is left. Errors: those of either; a Bug where they differ; a User error
/// where they do because the result overflows; a Device error where the time is over.
Result<Expected> expected_of(const Task& task, const MeasuringOptions& options);

/// A candidate as it is handed in.
struct Submission {
  std::string id;       ///< of the caller's choice
  std::string program;  ///< text: a low-level program, or one that gets the default mapping; all sizes put in
  std::string source = {};  ///< in place of the source that Hoist prints of it
  bool is_timed_to_the_end = false;  ///< however slow it is beside the best
};

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
