#pragma once
// Runs a program whose tasks are placed on several devices of this process, or on ranks of which this process
// is one (placed_plan.hpp).
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/trace.hpp"
#include "driver/compile.hpp"
#include "execute/placed_plan.hpp"
#include "ranks/communicator.hpp"
#include "runtime/device.hpp"
#include "runtime/queue.hpp"

namespace hoist::execute {

/// A device of this process, or a partition of one.
struct LocalPlace {
  runtime::Device* device = nullptr;
  runtime::Partition* partition = nullptr;
};

/// The places of this process among all.
struct LocalPlaces {
  std::vector<LocalPlace> places;
  std::size_t first = 0;                        ///< the number of the first of them
  ranks::Communicator* communicator = nullptr;  ///< to the others; null: these are all
};

/// Rows in the host's memory: where the first begins, and how far the next is behind it.
template <class Byte>
struct RowsAt {
  Byte* first = nullptr;
  std::size_t pitch = 0;
};
/// Where a run gets rows of a flattened input from; what it is given stays until the run has ended.
using InputReader =
    std::function<Result<RowsAt<const std::byte>>(std::size_t input, const runtime::Rows& rows)>;
/// Where it puts those of a flattened output, likewise.
using OutputMemory = std::function<RowsAt<std::byte>(std::size_t output, const runtime::Rows& rows)>;

struct PlacedTimes {
  double wall = 0;  ///< seconds from the first command to the end of the last
  /// Seconds from the first command to the end of the last upload of an input, and of the last kernel:
  /// between them the places compute.
  double uploaded = 0, computed = 0;
  std::vector<double> kernels;     ///< by place of this process: of its launches together
  std::size_t uploaded_bytes = 0;  ///< from inputs to places of this process
  std::size_t received_bytes = 0;  ///< by these places from all others
  /// Where a trace was asked for: what the places did. Partitions are places, times count from the first
  /// command on; the first queue of a place computes, the second exchanges.
  std::vector<TraceRecord> records;
};

class PlacedExecutable {
 public:
  /// Cuts the program and builds its kernels for each device. All devices are of one language. User errors:
  /// those of placed_plan.
  static Result<PlacedExecutable> prepare(const driver::Compiled& compiled, const PlaceOptions& options,
                                          LocalPlaces local);
  PlacedExecutable(PlacedExecutable&&) noexcept;
  PlacedExecutable& operator=(PlacedExecutable&&) noexcept;
  ~PlacedExecutable();

  /// Runs what this process's places do in all steps. Where it fails nothing writes to the caller's memory
  /// afterwards, but other ranks may wait for ever: the caller ends them.
  Result<PlacedTimes> run(const InputReader& inputs, const OutputMemory& outputs, bool is_traced = false);
  /// Fills the memory of all of this process's places with a pattern, so that what is read and was not
  /// written shows in results.
  Result<void> poison();

  const PlacedPlan& plan() const;
  double build_seconds() const;
  /// Of the kernels, for the first place of this process.
  const std::string& source() const;
  /// A text that tells plans apart: ranks compare theirs.
  const std::string& plan_text() const;

 private:
  struct State;
  class Run;
  explicit PlacedExecutable(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace hoist::execute
