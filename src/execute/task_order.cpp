#include "execute/task_order.hpp"

#include <algorithm>
#include <map>

namespace hoist::execute {

TaskOrder::TaskOrder(const std::vector<Accesses>& tasks) : after_(tasks.size()), before_(tasks.size()) {
  struct Array {
    std::vector<std::size_t> writer;   // the last, if any
    std::vector<std::size_t> readers;  // since then
  };
  std::map<std::size_t, Array> arrays;
  for (std::size_t task = 0; task < tasks.size(); ++task) {
    std::vector<std::size_t> conflicts;
    const auto wait_for = [&](const std::vector<std::size_t>& others) {
      conflicts.insert(conflicts.end(), others.begin(), others.end());
    };
    for (std::size_t array : tasks[task].read) wait_for(arrays[array].writer);
    for (std::size_t array : tasks[task].written) {
      wait_for(arrays[array].writer);
      wait_for(arrays[array].readers);
    }
    for (std::size_t array : tasks[task].read) arrays[array].readers.push_back(task);
    for (std::size_t array : tasks[task].written) arrays[array] = {{task}, {}};

    // The last first: what it waits for need not be named again.
    std::sort(conflicts.rbegin(), conflicts.rend());
    before_[task].resize(task);
    for (std::size_t other : conflicts) {
      if (before_[task][other]) continue;
      after_[task].insert(after_[task].begin(), other);
      before_[task][other] = true;
      for (std::size_t earlier = 0; earlier < other; ++earlier) {
        if (before_[other][earlier]) before_[task][earlier] = true;
      }
    }
  }
}

bool TaskOrder::precedes(std::size_t first, std::size_t second) const {
  return first < second && before_[second][first];
}

}  // namespace hoist::execute
