#include "execute/started_work.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace hoist::execute {

StartedWork::~StartedWork() {
  if (at_end_ == AtEnd::Leaves) return;
  // Nobody is left whom a failure could be told.
  for (const Run& run : runs_) static_cast<void>(run.end.wait());
}

void StartedWork::add(const runtime::Event& end, const std::shared_ptr<const std::string>& program) {
  if (runs_.size() >= most_) {
    // Those that failed stay, for whoever waits.
    std::erase_if(runs_, [](const Run& run) { return run.end.has_ended() && run.end.wait(); });
    most_ = std::max<std::size_t>(8, 2 * runs_.size());
  }
  runs_.push_back({end, program});
}

void StartedWork::append_to(std::vector<runtime::Event>& events) const {
  for (const Run& run : runs_) events.push_back(run.end);
}

Result<void> StartedWork::wait() {
  for (const Run& run : runs_) {
    const auto waited = run.end.wait();
    if (waited) continue;
    Error error = waited.error();
    error.diagnostics.front().message =
        fmt::format("the program {}, which was started before, has failed: {}", *run.program,
                    error.diagnostics.front().message);
    return tl::unexpected(std::move(error));
  }
  runs_.clear();
  return {};
}

}  // namespace hoist::execute
