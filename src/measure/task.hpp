#pragma once
// What is measured, and how: the task, its candidates, what they must compute.
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/tensor.hpp"
#include "driver/compile.hpp"
#include "interpret/error_bound.hpp"
#include "ir/term.hpp"
#include "measure/outcome.hpp"
#include "runtime/measure.hpp"

namespace hoist::measure {

/// What all candidates compute, and on what.
struct Task {
  ir::Program program;       ///< as it is meant; the arena must live as long as Measurer::start takes
  driver::NamedSizes sizes;  ///< of all that the program leaves open
  std::vector<Data> inputs;
};

struct MeasuringOptions {
  /// Ids of devices of one kind: kernels are built for the first.
  std::vector<std::string> devices;
  std::size_t builders = 0;  ///< processes; 0: one for each core, but of GPUs at most eight for each
  /// The program of workers, called with worker_argument (measure/worker/worker.hpp); this one by default.
  std::string program = "/proc/self/exe";
  std::vector<std::string> without = {};  ///< passes of lowering (lower::disable_pass)
  /// Its `hopeless` is set by what follows.
  runtime::StoppingRule rule = {};
  /// Slower than the best by this factor, and a candidate is not timed to the end; 0: all are.
  double hopeless_factor = 3;
  /// Seconds after which it counts as hanging: a build; a check with all runs. Once a best is known less is
  /// waited for: patience_seconds, and patience_factor times the best's time.
  double build_seconds = 60, run_seconds = 60;
  /// The same limits for a candidate, which is one of many; that of a build is doubled while none is in time.
  double candidate_build_seconds = 60, candidate_run_seconds = 60;
  double patience_seconds = 10, patience_factor = 200;
  /// Once it is known how long candidates' builds take, a build is given build_patience_seconds, and at
  /// the least build_patience_factor times the median of all. Those that take longest are seldom fast: of 600
  /// of 57 tasks on an H200 none was the best, and building them took up to half of the time.
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

/// What is known of the result that candidates are held against, which itself is in memory that workers
/// share (measure/worker/task_memory.hpp).
struct Expected {
  interpret::ErrorBound bound;
  /// Sizes at which the default mapping, which gave the data, agreed with the interpreter; empty where the
  /// interpreter itself gave them.
  driver::NamedSizes verified_at;
  /// What came of the default mapping where it gave the data in a long run (StoppingRule::long_run): the time
  /// of that one. It need not be measured.
  std::optional<Outcome> run = {};
};

/// A candidate as it is handed in.
struct Submission {
  std::string id;       ///< of the caller's choice
  std::string program;  ///< text: a low-level program, or one that gets the default mapping; all sizes put in
  std::string source = {};           ///< in place of the source that Hoist prints of it
  bool is_timed_to_the_end = false;  ///< however slow it is beside the best
};

}  // namespace hoist::measure
