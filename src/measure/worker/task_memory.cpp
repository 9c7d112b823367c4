#include "measure/worker/task_memory.hpp"

#include <algorithm>
#include <thread>

#include "measure/worker/worker.hpp"
#include "runtime/host/processor.hpp"
#include "target/json.hpp"

namespace hoist::measure {

Result<TaskMemory> TaskMemory::of(const std::vector<Data>& inputs) {
  auto memory = runtime::SharedMemory::create();
  if (!memory) return tl::unexpected(memory.error());
  TaskMemory task(std::move(*memory));
  for (const Data& input : inputs) {
    if (auto added = task.add(input, task.inputs_); !added) return tl::unexpected(added.error());
  }
  return task;
}

Result<void> TaskMemory::add(const Data& data, messages::Json& places) {
  auto added = messages::share(memory_, data, end_);
  if (!added) return tl::unexpected(added.error());
  places.insert(places.end(), added->begin(), added->end());
  return {};
}

Result<void> TaskMemory::expect(const Data& data, const interpret::ErrorBound& bound) {
  messages::Json places = messages::Json::array();
  if (auto added = add(data, places); !added) return added;
  return expect(places, bound);
}

Result<void> TaskMemory::expect(const messages::Json& places, const interpret::ErrorBound& bound) {
  expected_ = places;
  end_ = std::max(end_, messages::end_of(places));
  messages::Json spread = messages::Json::array();
  if (auto added = add(bound.spread, spread); !added) return added;
  bound_ = {{"factor", bound.factor}, {"cancels", bound.cancels}, {"spread", spread}};
  return {};
}

Result<messages::Json> TaskMemory::task_of(const std::vector<Data>& inputs, const MeasuringOptions& options,
                                           const target::Target& device) {
  messages::Json places = messages::Json::array(), task = this->task(options, device);
  for (const Data& input : inputs) {
    if (auto added = add(input, places); !added) return tl::unexpected(added.error());
  }
  task["inputs"] = std::move(places);
  task["expected"] = task["bound"] = nullptr;
  return task;
}

messages::Json TaskMemory::task(const MeasuringOptions& options, const target::Target& device) const {
  return {{"ask", "setup"},
          {"device", target::to_json(device)},
          {"without", options.without},
          {"inputs", inputs_},
          {"expected", expected_},
          {"bound", bound_}};
}

StationOptions TaskMemory::station(const MeasuringOptions& options, const target::Target& device,
                                   const char* role, const std::atomic<bool>* is_cancelled) const {
  StationOptions station;
  station.program = options.program;
  station.role = role;
  station.memory = &memory_;
  station.is_cancelled = is_cancelled;
  const std::size_t half = runtime::host::this_processor().memory / 2;
  constexpr std::size_t least = std::size_t{1} << 30;
  if (role == building) {
    const std::size_t share = half / std::max<std::size_t>(options.builders, 1);
    station.most_memory = options.builder_memory > 0 ? options.builder_memory : std::max(share, least);
  } else {
    station.most_memory = options.measurer_memory > 0 ? options.measurer_memory : half;
  }
  station.task = task(options, device);
  return station;
}

messages::Json candidate_message(const Submission& submission) {
  return {
      {"ask", "candidate"}, {"program", submission.program}, {"source", submission.source}, {"suffix", ""}};
}

}  // namespace hoist::measure
