#include "execute/access_log.hpp"

#include <algorithm>

namespace hoist::execute {

void AccessLog::add_conflicts(const tasks::Region& elements, bool is_write, const void* queue,
                              std::vector<runtime::Event>& after) const {
  for (const Access& each : accesses_) {
    if (each.queue == queue || !(each.is_write || is_write)) continue;
    if (tasks::intersects(each.elements, elements)) after.push_back(each.event);
  }
}

void AccessLog::add(const tasks::Region& elements, bool is_write, const void* queue,
                    const runtime::Event& event) {
  if (elements.is_empty()) return;
  // Whoever conflicts with one that is dropped here conflicts with this one, which ends after it: a write
  // comes after all that touched its elements, a read after what its own queue has read.
  std::erase_if(accesses_, [&](const Access& each) {
    return elements.contains(each.elements) && (is_write || (each.queue == queue && !each.is_write));
  });
  accesses_.push_back({elements, is_write, queue, event});
}

}  // namespace hoist::execute
