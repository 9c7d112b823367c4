#pragma once
// Memory of the interpreter, which remembers who touched what since the last barrier.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/scalar.hpp"
#include "loop/value.hpp"

namespace hoist::loop {

enum class FaultKind : std::uint8_t {
  Race,
  DivergentBarrier,
  DivergentShuffle,
  OutOfBounds,
  Unset,
  ControlFlowForm,  ///< a loop's form or a variable's range claims what does not hold
  NoValue,          ///< an operation or index without a value, or one that the index type cannot hold
};

/// Faults as text: the first few of each kind.
class FaultLog {
 public:
  /// Whether one more of this kind is wanted; else making its text is not worth the time.
  bool is_wanted(FaultKind kind) const { return counts_[static_cast<std::size_t>(kind)] < limit; }
  void add(FaultKind kind, const std::string& text);
  std::vector<std::string> take() { return std::move(texts_); }

 private:
  static constexpr int limit = 4;
  std::array<int, 7> counts_{};
  std::vector<std::string> texts_;
};

/// A work-item of a launch, when it accesses memory.
struct Agent {
  std::uint32_t lane = 0;   ///< flat number in its group
  std::uint32_t group = 0;  ///< number of the group among all groups of all launches so far, from 1
  std::uint32_t epoch = 0;  ///< number of the interval between barriers, unique over all groups, from 1
};

/// Turns numbers into places, for messages.
struct LaunchShape {
  std::array<std::int64_t, 3> groups{1, 1, 1};  ///< by dimension
  std::array<std::int64_t, 3> local{1, 1, 1};
  std::uint32_t first_group = 1;  ///< number of the launch's first group

  std::string describe(std::uint32_t lane, std::uint32_t group) const;
};

/// One buffer; private buffers hold a part for each work-item.
///
/// Races: a scalar remembers its last write and its last reads, each with the interval between barriers it
/// fell into. Two accesses by different work-items of a group in one interval, or of different groups in one
/// launch, at least one of them a write and not both atomic updates by one operation, are a race. Two
/// remembered readers are enough: one of them is not the writer. Updates are remembered in the same way.
class WatchedMemory {
 public:
  WatchedMemory(std::string name, Scalar scalar, AddressSpace space, std::int64_t scalars, std::size_t parts);

  const std::string& name() const { return name_; }
  Scalar scalar() const { return scalar_; }
  AddressSpace space() const { return space_; }
  std::int64_t scalars() const { return scalars_; }  ///< of a part
  std::vector<std::byte>& bytes() { return bytes_; }

  void mark_all_set();
  /// Forgets what a part holds, as at its declaration.
  void mark_unset(std::size_t part);
  /// How many scalars were never written.
  std::int64_t count_unset() const;

  /// Exchanges the contents with a buffer of the same type and size; the names stay.
  void exchange(WatchedMemory& other);
  /// Copies the contents of a buffer of the same type and size.
  void assign(const WatchedMemory& other);

  /// `index` is in bounds.
  ScalarValue read(std::int64_t index, const Agent& agent, const LaunchShape& shape, FaultLog& faults);
  void write(std::int64_t index, const ScalarValue& value, const Agent& agent, const LaunchShape& shape,
             FaultLog& faults);
  /// Combines what is there with the value, indivisibly: a race with other accesses, but not with other
  /// updates.
  void update(std::int64_t index, ScalarOp op, const ScalarValue& value, const Agent& agent,
              const LaunchShape& shape, FaultLog& faults);

 private:
  struct Access {
    std::uint32_t epoch = 0, lane = 0, group = 0;
    std::optional<ScalarOp> update = std::nullopt;
  };
  struct History {
    Access write, read;
    Access lane_read;                  ///< by another work-item than `read`, in the same interval
    Access group_read;                 ///< by another group than `read`, in the same launch
    Access lane_update, group_update;  ///< the same of atomic updates, the last of which is `write`
  };

  std::size_t place(std::int64_t index, const Agent& agent) const {
    const std::size_t part = space_ == AddressSpace::Private ? agent.lane : 0;
    return part * static_cast<std::size_t>(scalars_) + static_cast<std::size_t>(index);
  }
  /// The remembered write or update that a plain access by the agent races with; null where there is none.
  const Access* conflicting_write(const History& history, const Agent& agent, const LaunchShape& shape) const;
  const Access* conflicting_read(const History& history, const Agent& agent, const LaunchShape& shape) const;
  bool is_conflict(const Access& earlier, const Agent& agent, const LaunchShape& shape) const;
  void report_race(std::int64_t index, const Agent& agent, std::string_view does, const Access& earlier,
                   std::string_view did, const LaunchShape& shape, FaultLog& faults) const;

  std::string name_;
  Scalar scalar_;
  AddressSpace space_;
  std::int64_t scalars_;
  std::vector<std::byte> bytes_;
  std::vector<std::uint8_t> is_set_;
  std::vector<History> history_;  // empty for private memory
};

}  // namespace hoist::loop
