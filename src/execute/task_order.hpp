#pragma once
// What must run before what: the partial order of tasks that read and write arrays.
#include <cstddef>
#include <vector>

namespace hoist::execute {

/// The arrays, by any numbers, that a task reads and those that it writes; what is in both it does both to.
struct Accesses {
  std::vector<std::size_t> read, written;
};

/// The dependence graph of tasks that are listed in a topological order. A task waits for an earlier one
/// where the earlier one writes what it reads (a true dependence), reads what it writes (an antidependence),
/// or writes what it writes (an output dependence).
class TaskOrder {
 public:
  explicit TaskOrder(const std::vector<Accesses>& tasks);

  /// The tasks before `task` that it waits for, but those that others of them wait for.
  const std::vector<std::size_t>& after(std::size_t task) const { return after_[task]; }
  /// Whether `second` cannot begin before `first` has ended.
  bool precedes(std::size_t first, std::size_t second) const;

 private:
  std::vector<std::vector<std::size_t>> after_;
  std::vector<std::vector<bool>> before_;  ///< by task: all that end before it begins
};

}  // namespace hoist::execute
