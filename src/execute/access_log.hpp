#pragma once
// Which commands of several in-order queues have touched a memory, for those that come later and conflict
// with them.
//
// Example. Rows of an array, which one queue computes while another moves what it is done with:
//
//   kernels: writes rows 0-3     transfers: reads row 3, after that     kernels: writes rows 4-9, after
//   nothing
//
// The next kernel that writes row 3 waits for the transfer.
#include <vector>

#include "runtime/queue.hpp"
#include "tasks/region.hpp"

namespace hoist::execute {

/// Queues are told apart by any address.
class AccessLog {
 public:
  /// Adds the events that a command of this queue must come after, where it is to read or to write these
  /// elements: of what other queues write of them and, for a write, of what they read of them.
  void add_conflicts(const tasks::Region& elements, bool is_write, const void* queue,
                     std::vector<runtime::Event>& after) const;
  /// Notes such a command, which waits for those.
  void add(const tasks::Region& elements, bool is_write, const void* queue, const runtime::Event& event);
  /// Forgets all: they have ended.
  void clear() { accesses_.clear(); }

 private:
  struct Access {
    tasks::Region elements;
    bool is_write;
    const void* queue;
    runtime::Event event;
  };
  std::vector<Access> accesses_;
};

}  // namespace hoist::execute
