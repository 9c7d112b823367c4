#include "measure/worker/task_memory.hpp"

#include <algorithm>
#include <thread>

#include "measure/worker/worker.hpp"
#include "runtime/host/host_device.hpp"

namespace hoist::measure {

Result<TaskMemory> TaskMemory::of(const std::vector<Data>& inputs, const Expected* expected) {
  auto memory = runtime::SharedMemory::create();
  if (!memory) return tl::unexpected(memory.error());
  TaskMemory task(std::move(*memory));
  const auto add = [&](const Data& data, messages::Json& places) -> Result<void> {
    auto added = messages::share(task.memory_, data, task.end_);
    if (!added) return tl::unexpected(added.error());
    places.insert(places.end(), added->begin(), added->end());
    return {};
  };
  for (const Data& input : inputs) {
    if (auto added = add(input, task.inputs_); !added) return tl::unexpected(added.error());
  }
  if (!expected) return task;
  task.expected_ = messages::Json::array();
  if (auto added = add(expected->data, task.expected_); !added) return tl::unexpected(added.error());
  messages::Json spread = messages::Json::array();
  if (auto added = add(expected->bound.spread, spread); !added) return tl::unexpected(added.error());
  task.bound_ = {
      {"factor", expected->bound.factor}, {"cancels", expected->bound.cancels}, {"spread", spread}};
  return task;
}

StationOptions TaskMemory::station(const MeasuringOptions& options, const std::string& device,
                                   const char* role, const std::atomic<bool>* is_cancelled) const {
  StationOptions station;
  station.program = options.program;
  station.role = role;
  station.memory = &memory_;
  station.is_cancelled = is_cancelled;
  const std::size_t half = runtime::host::this_machine().global_memory / 2;
  constexpr std::size_t least = std::size_t{1} << 30;
  if (role == building) {
    const std::size_t share = half / std::max<std::size_t>(options.builders, 1);
    station.most_memory = options.builder_memory > 0 ? options.builder_memory : std::max(share, least);
  } else {
    station.most_memory = options.measurer_memory > 0 ? options.measurer_memory : half;
  }
  station.task = {{"ask", "setup"},    {"device", device},      {"without", options.without},
                  {"inputs", inputs_}, {"expected", expected_}, {"bound", bound_}};
  return station;
}

messages::Json candidate_message(const Submission& submission) {
  return {
      {"ask", "candidate"}, {"program", submission.program}, {"source", submission.source}, {"suffix", ""}};
}

}  // namespace hoist::measure
