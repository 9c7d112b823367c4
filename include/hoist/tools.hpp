#pragma once
// What is done with programs beside running them: their kernels as text, tuning, reports, export.
#include <atomic>
#include <functional>
#include <hoist/compiled.hpp>
#include <limits>

namespace hoist::api {

/// The version of the library that is called: "0.1.0".
HOIST_EXPORT std::string version();

/// The names of all patterns, functions and definitions of the prelude that a program's text may use.
HOIST_EXPORT std::vector<std::string> names_of_patterns();

/// The index of the input, in program.inputs(), from which on a step after another takes the results of the
/// one before: that of the parameter `name`, or, where it is empty, of the only one of the result's type.
/// User errors: none has that type, or several.
HOIST_EXPORT Result<std::size_t> fed_input(const Program& program, const std::string& name = {});

/// The kernels of the default mapping in a language, "opencl", "cuda" or "host", for any device. Sizes that
/// are not given are arguments of the kernels.
HOIST_EXPORT Result<std::string> source_of(const Program& program, const std::string& language,
                                           const Sizes& sizes = {});

struct TextFile {
  std::string name, text;
};
/// The program as C that needs nothing of Hoist (docs/export.md), for a device or kind of device: "cuda",
/// "opencl:0", "host". All sizes are given. Files and functions have `name`; empty: the program's.
HOIST_EXPORT Result<std::vector<TextFile>> export_files(const Program& program, const std::string& device,
                                                        const Sizes& sizes, const std::string& name = {});

/// How far a search is. Times in seconds.
struct TuneProgress {
  std::string phase;                      ///< "deriving candidates", "searching", ...
  std::size_t evaluated = 0, failed = 0;  ///< candidates
  double seconds = 0, seconds_left = 0;   ///< the latter infinity where time is not what ends it
  double best = 0, baseline = 0;          ///< times of kernels; 0 while there is none
};

struct TuneOptions {
  double seconds = 60;                                                ///< how long to search, from the start
  std::size_t evaluations = std::numeric_limits<std::size_t>::max();  ///< candidates at the most
  std::string strategy = {};  ///< of `hoist tune --search`; empty: what it takes
  std::uint64_t seed = 1;
  bool is_fresh = false;   ///< learns nothing from what is stored
  std::string store = {};  ///< a place (docs/store.md); empty: the user's own
  /// The program that is started to build and run candidates, by which one that crashes costs only itself; it
  /// calls run_as_worker first of all. Empty: the `hoist-worker` that is installed with this library.
  std::string worker = {};
  std::function<void(const TuneProgress&)> progress = {};  ///< called from the thread that tunes
  /// Ends the search when it becomes true, which keeps what was found.
  const std::atomic<bool>* is_cancelled = nullptr;
};

/// What was measured of one kernel.
struct TunedKernel {
  std::string name;   ///< "12-345", "default"
  double median = 0;  ///< seconds
  std::string derivation;
  Sizes values;  ///< of the tuning parameters that its derivation has
};

struct TuneResult {
  std::vector<TunedKernel> best;  ///< the fastest first, "default" among them; empty: nothing was measured
  double baseline = 0;            ///< seconds of the default mapping
  std::size_t evaluated = 0, known = 0;         ///< candidates, now and by earlier searches
  std::map<std::string, std::size_t> outcomes;  ///< how many came to which end
  double seconds = 0;
  std::string ended_by;
  std::vector<std::string> notes;
  std::string store;  ///< where all of it is kept
  Work work;          ///< of the program: divide by times
};

/// Searches for the fastest kernel of the program on the device, for inputs like these; what it finds is what
/// compile takes from then on, in other processes too. Errors: those of infer_sizes, of the store, of a
/// worker that cannot be started.
HOIST_EXPORT Result<TuneResult> tune(const Program& program, const std::string& device,
                                     const std::vector<Input>& inputs, const Sizes& sizes = {},
                                     const TuneOptions& options = {});

/// The page about what was measured last of the program (docs/report.md), at these sizes where some are
/// given, on this kind of device where one is: HTML. User error where nothing was.
HOIST_EXPORT Result<std::string> report(const Program& program, const Sizes& sizes = {},
                                        const std::string& device = {}, const std::string& store = {});

/// For main of a program that TuneOptions::worker names: what it returns, where its arguments say that it is
/// a worker.
HOIST_EXPORT std::optional<int> run_as_worker(int count, char** arguments);

}  // namespace hoist::api
