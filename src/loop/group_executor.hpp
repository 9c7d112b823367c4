#pragma once
// Executes one launch of a prepared kernel: group by group, each statement for all work-items that are at it.
#include <deque>
#include <memory>
#include <vector>

#include "loop/counts.hpp"
#include "loop/executable.hpp"
#include "loop/observer.hpp"
#include "loop/watched_memory.hpp"

namespace hoist::loop {

/// What outlives a launch: how groups and intervals between barriers are numbered, and what was found.
struct ExecutionState {
  Counts counts;
  FaultLog faults;
  std::uint32_t next_group = 1;
  std::uint32_t next_epoch = 1;
  Observer* observer = nullptr;  ///< may be empty
};

class GroupExecutor {
 public:
  /// `parameters[slot]` is the memory of a buffer that is a parameter, else empty.
  GroupExecutor(const Executable& kernel, const std::vector<WatchedMemory*>& parameters,
                ExecutionState& state);

  void run_all_groups();

 private:
  struct Workspace {
    std::vector<std::uint32_t> first, second;  ///< lists of work-items
    std::vector<std::int64_t> stop, step;      ///< of a loop, by work-item
  };
  /// A scalar of an asynchronous store on its way.
  struct Transfer {
    WatchedMemory* memory;
    std::int64_t index;
    ScalarValue value;
  };
  using Column = ScalarValue*;  // component c of work-item l is at [c * lanes_ + l]

  void execute(const ReadyBlock& block, Lanes lanes);
  void execute(const ReadyStatement& statement, Lanes lanes);
  void execute_loop(const ReadyStatement& loop, Lanes lanes);
  void execute_branch(const ReadyStatement& branch, Lanes lanes);
  void execute_let(const ReadyStatement& let, Lanes lanes);
  void execute_store(const ReadyStatement& store, Lanes lanes);
  void execute_commit(Lanes lanes);
  void execute_await(const ReadyStatement& await, Lanes lanes);
  void execute_barrier(const ReadyStatement& barrier, Lanes lanes);
  void execute_allocate(const ReadyStatement& allocate, Lanes lanes);
  void set_variable(std::int32_t slot, Lanes lanes);
  void check_range(const ReadyStatement& declaration, Lanes lanes);
  void check_form(const ReadyStatement& loop, Lanes lanes);

  /// Leaves the value in column(depth); columns from depth on are overwritten.
  void compute(const ReadyValue& value, Lanes lanes, std::size_t depth);
  void compute_load(const ReadyValue& load, Lanes lanes, Column result);
  void compute_reference(const ReadyValue& reference, Lanes lanes, Column result);
  void compute_operation(const ReadyValue& operation, Lanes lanes, std::size_t depth);
  void compute_select(const ReadyValue& select, Lanes lanes, std::size_t depth);
  void compute_logic(const ReadyValue& logic, Lanes lanes, std::size_t depth);
  void compute_shuffle(const ReadyValue& shuffle, Lanes lanes, std::size_t depth);
  const std::int64_t* compute_index(ProgramNumber program, Lanes lanes);

  Column column(std::size_t depth);
  WatchedMemory* memory_of(std::int32_t slot, std::uint32_t lane) const;
  /// Tells the observer of an access, if there is one.
  void observe(std::int32_t slot, int width, bool is_store, Lanes lanes, const std::int64_t* indices) const;
  void observe(const ReadyValue& operation, Lanes lanes) const;
  /// Whether an access to `width` scalars from `index` on is possible; else it is reported.
  bool is_access_possible(const WatchedMemory& memory, std::int64_t index, int width, std::uint32_t lane,
                          ProgramNumber program, const char* does);
  Agent agent(const WatchedMemory& memory, std::uint32_t lane) const {
    return {lane, group_, memory.space() == AddressSpace::Global ? global_epoch_ : local_epoch_};
  }
  std::string describe(std::uint32_t lane) const { return shape_.describe(lane, group_); }

  const Executable& kernel_;
  ExecutionState& state_;
  LaunchShape shape_;
  std::size_t lanes_;  ///< work-items of a group
  std::vector<std::uint32_t> all_lanes_;
  std::array<std::vector<std::int64_t>, 3> local_ids_;  ///< by dimension and work-item
  std::array<std::int64_t, 3> group_ids_{};
  std::uint32_t group_ = 0, local_epoch_ = 0, global_epoch_ = 0;

  std::vector<std::unique_ptr<WatchedMemory>>
      own_memory_;                                     ///< by buffer slot; empty for parameters, pointers
  std::vector<WatchedMemory*> memory_;                 ///< by buffer slot; empty for pointers
  std::vector<std::vector<WatchedMemory*>> pointers_;  ///< by buffer slot and work-item
  std::vector<std::vector<ScalarValue>> variables_;    ///< by variable slot; a Column
  std::vector<std::vector<std::uint8_t>> is_set_;      ///< by variable slot and work-item; mutable ones
  /// By work-item: the groups of asynchronous stores that are not done, the open one last.
  std::vector<std::deque<std::vector<Transfer>>> transfers_;
  std::vector<std::int64_t> integers_;                 ///< columns that index expressions use
  std::vector<std::int64_t> scratch_, other_scratch_;  ///< for index programs
  std::vector<std::unique_ptr<ScalarValue[]>> columns_;
  std::vector<Workspace> workspaces_;
  std::size_t largest_width_ = 16;
};

}  // namespace hoist::loop
