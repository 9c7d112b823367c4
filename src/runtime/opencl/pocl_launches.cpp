#include "runtime/opencl/pocl_launches.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "runtime/opencl/status.hpp"

namespace hoist::runtime::opencl {

namespace {

/// What PoCL may have loaded of one kernel for one local size.
struct Loaded {
  std::size_t widest = 0;                ///< of the grids that were launched, in work-items
  std::vector<Handle<cl_event>> events;  ///< of launches that may not have ended
};

/// PoCL's own table serves a process, and so does this one. It stays until the process ends, as threads of
/// PoCL do.
struct Launches {
  using Key = std::tuple<std::size_t, std::string, std::array<std::size_t, 3>>;  // program, name, local size
  std::mutex mutex;
  std::map<Key, Loaded> loaded;
  std::size_t widened = 0;  ///< launches that were wider than those before
};

Launches& launches() {
  static auto* const all = new Launches;
  return *all;
}

void wait_for(const Functions& functions, Loaded& loaded) {
  // Whether they ended well is told to those who wait for the launches themselves.
  for (const auto& event : loaded.events) {
    const cl_event raw_event = event.get();
    functions.clWaitForEvents(1, &raw_event);
  }
  loaded.events.clear();
}

void forget_ended(const Functions& functions, Loaded& loaded) {
  std::erase_if(loaded.events,
                [&](const Handle<cl_event>& event) { return has_ended(functions, event.get()); });
}

}  // namespace

cl_int enqueue_on_pocl(const Functions& functions, const KernelCode& kernel, const Range& range,
                       const cl_event* event, const std::function<cl_int()>& enqueue) {
  // PoCL forgets what was not used for long when it has loaded this much.
  constexpr std::size_t most_loaded = 100;
  Launches& all = launches();
  const std::scoped_lock lock(all.mutex);
  if (all.widened >= most_loaded) {
    for (auto& [key, loaded] : all.loaded) wait_for(functions, loaded);
    all.loaded.clear();
    all.widened = 0;
  }
  Loaded& loaded = all.loaded[{kernel.program, kernel.name, range.local}];
  const std::size_t width = *std::max_element(range.global.begin(), range.global.end());
  const bool is_wider = width > loaded.widest;
  if (is_wider) {
    wait_for(functions, loaded);
  } else {
    forget_ended(functions, loaded);
  }
  const cl_int status = enqueue();
  if (status != CL_SUCCESS) return status;
  functions.clRetainEvent(*event);
  loaded.events.emplace_back(*event, functions.clReleaseEvent);
  if (is_wider) {
    wait_for(functions, loaded);
    loaded.widest = width;
    ++all.widened;
  }
  return status;
}

}  // namespace hoist::runtime::opencl
