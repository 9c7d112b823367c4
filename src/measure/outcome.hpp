#pragma once
// What came of a candidate that was to be built, run, checked and timed. Tuning is mostly failures: they are
// values.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/device.hpp"
#include "runtime/measure.hpp"

namespace hoist::measure {

enum class OutcomeKind : std::uint8_t {
  Ok,            ///< right, and timed
  StoppedEarly,  ///< right, and so slow that it was not timed to the end
  NotCompiled,   ///< Hoist itself did not make a kernel of it
  DoesNotFit,    ///< the device, which is well, refused it: registers, local memory, the group's size
  BuildFailed,   ///< the device's compiler refused it
  WrongResult,   ///< an element differs, or something was written that is not its output
  Crash,         ///< the process that built or ran it is no more
  Timeout,       ///< no end within the time limit
  DriverError,   ///< the device failed
  OutOfMemory,   ///< the process's memory or the device's
  DeviceLost,    ///< not tried: its device cannot be opened any more
};
/// "ok", "stopped early", "not compiled", ...
std::string_view name_of(OutcomeKind kind);
/// Whether there are times, of a kernel whose result was right.
inline bool has_times(OutcomeKind kind) {
  return kind == OutcomeKind::Ok || kind == OutcomeKind::StoppedEarly;
}

struct MeasuredKernel {
  std::string name;
  runtime::Range range;
  std::optional<runtime::KernelFacts> facts;
  std::optional<double> seconds = {};  ///< of all its launches in one run: the median of the timed runs
};

/// How long arrays took to and from the device: told apart from the kernels' times.
struct Transfer {
  std::size_t bytes = 0;
  double seconds = 0;
};

struct Outcome {
  std::string id;  ///< as it was submitted
  OutcomeKind kind = OutcomeKind::Ok;
  std::string message;  ///< why, where the kind is not Ok
  std::string device;   ///< that it ran on: "cuda:0"; empty where it did not come to that
  std::string source;   ///< of its kernels; empty where it was not compiled
  runtime::BuildFacts build;
  std::vector<double> seconds;  ///< of the kernels of each run, in the order taken; outliers among them
  runtime::MedianInterval interval;
  double largest_error = 0;  ///< of an element, in units of its bound
  std::vector<MeasuredKernel> kernels;
  double device_seconds = 0;  ///< that its kernels ran in all: also where only the result was looked at
  double wall_seconds = 0;    ///< that building, checking and timing it took, without waiting
  Transfer inputs, outputs;   ///< the inputs are written once for all candidates of a worker
  std::optional<runtime::Vitals> before, after;  ///< of the device, around the timed runs

  /// Precondition: has_times(kind).
  double median() const { return runtime::summarize(seconds).median; }
};

}  // namespace hoist::measure
