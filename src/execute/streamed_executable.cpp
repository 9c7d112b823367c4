// Gives the nodes of a streamed plan to the queues of a device, in the order of the plan, each with the
// events that it waits for; then waits for all and reads their times.
//
// Read `run` first. Nothing of a run is waited for before all is given, but for repetitions, which the host
// runs itself. Where something fails, queues run nothing more; all are waited for before the error is told,
// so that nothing touches the caller's memory afterwards, and of each output it is told which part arrived.
#include "execute/streamed_executable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/overloaded.hpp"
#include "execute/plan_run.hpp"
#include "execute/stream_order.hpp"

namespace hoist::execute {
namespace {

using Node = StreamedPlan::Node;

/// The length of the union of intervals of time.
double covered(std::vector<runtime::Times> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const runtime::Times& a, const runtime::Times& b) { return a.start < b.start; });
  double total = 0, end = -1;
  for (const runtime::Times& each : intervals) {
    const double from = std::max(each.start, end);
    if (each.end > from) total += each.end - from;
    end = std::max(end, each.end);
  }
  return total;
}

}  // namespace

struct StreamedExecutable::State {
  runtime::Device* device = nullptr;
  StreamedPlan plan;
  std::string source;
  StreamParts shared;
  bool pins = false;  ///< whether runs pin what they are given
  std::vector<std::unique_ptr<runtime::Kernel>> kernels;
  std::vector<LaunchPlan::Task> steps;  ///< of the launch plan, without transfers: by step of the cut plan
  std::vector<ScalarValue> scalars;
  std::vector<std::vector<std::unique_ptr<runtime::Buffer>>> memory;  ///< by array and slot
  std::vector<runtime::Buffer*> places;  ///< by array: where the first slot of it is at this moment
  std::vector<std::string> notes;
  /// The caller's memory that is pinned, by where it begins.
  std::map<const std::byte*, std::unique_ptr<runtime::HostMemory>> pinned;
  std::vector<std::unique_ptr<runtime::Queue>> queues;  // gone before what they use

  runtime::Buffer* place(std::size_t array, std::size_t slot) const {
    return plan.slots[array] == 1 ? places[array] : memory[array][slot].get();
  }
  PlanRun plan_run() { return {*device, plan.launch, kernels, scalars, places}; }

  Result<void> set_scalars(const Transfers& transfers);
  Result<void> pin(std::span<const std::byte> bytes);
  Result<runtime::Event> give(std::size_t node, const Transfers& transfers,
                              const std::vector<runtime::Event>& events);
  Result<runtime::Event> give_step(const StreamedPlan::Step& step, runtime::Queue& queue,
                                   std::span<const runtime::Event> after);
  Error told(Error error, const std::vector<runtime::Event>& events) const;
  StreamTimes times(const std::vector<runtime::Event>& events) const;
};

StreamedExecutable::StreamedExecutable(std::unique_ptr<State> state) : state_(std::move(state)) {}
StreamedExecutable::StreamedExecutable(StreamedExecutable&&) noexcept = default;
StreamedExecutable& StreamedExecutable::operator=(StreamedExecutable&&) noexcept = default;
StreamedExecutable::~StreamedExecutable() = default;

const StreamedPlan& StreamedExecutable::plan() const { return state_->plan; }
Trace StreamedExecutable::trace(const StreamTimes& times) const {
  const StreamedPlan& plan = state_->plan;
  Trace result;
  for (const StreamTimes::Ran& ran : times.nodes) {
    const Node& node = plan.nodes[ran.node];
    TraceRecord record;
    record.partition = node.queue / StreamedPlan::queues_per_partition;
    record.queue = node.queue % StreamedPlan::queues_per_partition;
    record.task = node.task;
    record.start = ran.times.start;
    record.end = ran.times.end;
    std::visit(Overloaded{[&](const StreamedPlan::Upload& each) {
                            record.kind = TraceRecord::Kind::Upload;
                            record.name = plan.launch.arrays[each.to.array].name;
                            record.bytes = each.to.bytes;
                          },
                          [&](const StreamedPlan::Download& each) {
                            record.kind = TraceRecord::Kind::Download;
                            record.name = plan.launch.arrays[each.from.array].name;
                            record.bytes = each.from.bytes;
                          },
                          [&](const StreamedPlan::Launch& each) {
                            record.kind = TraceRecord::Kind::Launch;
                            record.name = plan.launch.kernels[each.kernel].name;
                          },
                          [&](const StreamedPlan::Step& each) {
                            const bool is_copy =
                                std::holds_alternative<LaunchPlan::Copy>(state_->steps.at(each.step).node);
                            record.kind = is_copy ? TraceRecord::Kind::Copy : TraceRecord::Kind::Host;
                            record.name = is_copy ? "copy" : "repetition";
                          }},
               node.work);
    result.records.push_back(std::move(record));
  }
  return result;
}

const std::string& StreamedExecutable::source() const { return state_->source; }
double StreamedExecutable::build_seconds() const { return state_->shared.program->facts().seconds; }
std::vector<std::string> StreamedExecutable::notes() const { return state_->notes; }

Result<CutProgram> cut_program(const driver::Compiled& compiled, StreamOptions options,
                               const target::Target& device) {
  if (device.global_memory > 0 && (options.memory == 0 || options.memory > device.global_memory))
    options.memory = device.global_memory;
  auto streamed = streamed_plan(compiled.plan, options);
  if (!streamed) return tl::unexpected(streamed.error());
  auto cut = driver::with_plan(compiled, std::move(streamed->cut.plan), device);
  if (!cut) return tl::unexpected(cut.error());
  if (auto checked = check_kernels_fit(*cut, device); !checked) return tl::unexpected(checked.error());
  return CutProgram{std::move(streamed->plan), std::move(cut->source), std::move(cut->dynamic_local_memory)};
}

Result<StreamedExecutable> StreamedExecutable::prepare(runtime::Device& device,
                                                       const driver::Compiled& compiled,
                                                       StreamOptions options) {
  // What is wrong with the choice for any device is told before what is wrong for this one.
  auto program = cut_program(compiled, options, device.info());
  if (!program) return tl::unexpected(program.error());
  return prepare(device, std::move(*program));
}

Result<StreamedExecutable> StreamedExecutable::prepare(runtime::Device& device, CutProgram program,
                                                       StreamParts parts) {
  auto state = std::make_unique<State>();
  state->device = &device;
  state->plan = std::move(program.plan);
  state->source = std::move(program.source);
  state->shared = std::move(parts);
  if (!state->shared.partitioning) {
    auto partitioning = device.partitions(state->plan.partitions);
    if (!partitioning) return tl::unexpected(partitioning.error());
    state->shared.partitioning = std::make_shared<runtime::Partitioning>(std::move(*partitioning));
  }
  state->pins = !state->shared.has_pinned && device.stream_facts().needs_pinned;
  const runtime::Partitioning& partitioning = *state->shared.partitioning;
  state->notes = state->plan.notes;
  if (!partitioning.note.empty()) state->notes.push_back(partitioning.note);
  for (const LaunchPlan::Task& task : state->plan.launch.tasks) {
    const bool is_transfer = std::holds_alternative<LaunchPlan::Upload>(task.node) ||
                             std::holds_alternative<LaunchPlan::Download>(task.node);
    if (!is_transfer) state->steps.push_back(task);
  }
  if (!state->shared.program) {
    auto built = device.build(state->source);
    if (!built) return tl::unexpected(built.error());
    state->shared.program = std::move(*built);
  }
  const LaunchPlan& launch = state->plan.launch;
  for (std::size_t k = 0; k < launch.kernels.size(); ++k) {
    auto kernel = state->shared.program->kernel(launch.kernels[k].name, program.dynamic_local_memory.at(k));
    if (!kernel) return tl::unexpected(kernel.error());
    state->kernels.push_back(std::move(*kernel));
  }
  for (const LaunchPlan::ScalarInput& scalar : launch.scalars)
    state->scalars.push_back(ScalarValue::of_integer(scalar.type, 0));
  for (std::size_t array = 0; array < launch.arrays.size(); ++array) {
    auto& slots = state->memory.emplace_back();
    for (std::size_t slot = 0; slot < state->plan.slots[array]; ++slot) {
      auto buffer = device.allocate(launch.arrays[array].bytes());
      if (!buffer) return tl::unexpected(buffer.error());
      slots.push_back(std::move(*buffer));
    }
  }
  for (std::size_t queue = 0; queue < state->plan.queues(); ++queue) {
    auto made = partitioning.partitions.at(queue / StreamedPlan::queues_per_partition)->queue();
    if (!made) return tl::unexpected(made.error());
    state->queues.push_back(std::move(*made));
  }
  return StreamedExecutable(std::move(state));
}

Result<void> StreamedExecutable::State::set_scalars(const Transfers& transfers) {
  for (std::size_t leaf = 0; leaf < plan.program_inputs; ++leaf) {
    const LaunchPlan::Input& input = plan.launch.inputs[leaf];
    const auto bytes = leaf < transfers.inputs.size() ? transfers.inputs[leaf] : std::span<const std::byte>();
    if (!input.is_array) {
      const Scalar type = plan.launch.scalars[input.index].type;
      if (bytes.empty()) continue;
      if (bytes.size() != size_of(type)) throw Bug("an input is not as large as its type");
      scalars[input.index] = load_scalar(bytes.data(), type, 0);
      continue;
    }
    const LaunchPlan::Array& array = plan.launch.arrays[input.index];
    const std::size_t whole = plan.array_elements[input.index] * size_of(array.scalar);
    if (!bytes.empty() && bytes.size() != whole) throw Bug("an input is not as large as its array");
    if (bytes.empty() && plan.slots[input.index] > 1)
      return user_error(array.name + " is not given, and the device keeps parts of it only", {},
                        "give it for each run, or allow more memory");
  }
  return {};
}

/// Makes memory of the caller reachable for copy engines, where the device needs that. It stays so while the
/// caller gives the same memory.
Result<void> StreamedExecutable::State::pin(std::span<const std::byte> bytes) {
  if (bytes.empty()) return {};
  auto& known = pinned[bytes.data()];
  if (known && known->bytes().size() == bytes.size()) return {};
  known.reset();
  // Pinning changes nothing of what the memory holds.
  auto handle = device->pin({const_cast<std::byte*>(bytes.data()), bytes.size()});
  if (!handle) return tl::unexpected(handle.error());
  known = std::move(*handle);
  if (!known->is_pinned() && std::find(notes.begin(), notes.end(), known->note()) == notes.end())
    notes.push_back(known->note());
  return {};
}

Result<runtime::Event> StreamedExecutable::State::give_step(const StreamedPlan::Step& step,
                                                            runtime::Queue& queue,
                                                            std::span<const runtime::Event> after) {
  const LaunchPlan::Task& task = steps.at(step.step);
  if (const auto* copy = std::get_if<LaunchPlan::Copy>(&task.node)) {
    return queue.copy(*places[copy->from], 0, *places[copy->to], 0, plan.launch.arrays[copy->to].bytes(),
                      after);
  }
  const auto* repeat = std::get_if<LaunchPlan::Repeat>(&task.node);
  if (!repeat) throw Bug("a launch is a node of its own");
  // The host reads between rounds, so what is before must be over.
  auto before = queue.barrier(after);
  if (!before) return before;
  if (auto ended = before->wait(); !ended) return *before;
  const double start = runtime::host_seconds();
  RunTimes times;
  if (auto ran = plan_run().run(*repeat, times); !ran) return tl::unexpected(ran.error());
  return runtime::Event::ended({start, runtime::host_seconds()});
}

Result<runtime::Event> StreamedExecutable::State::give(std::size_t number, const Transfers& transfers,
                                                       const std::vector<runtime::Event>& events) {
  const Node& node = plan.nodes[number];
  runtime::Queue& queue = *queues[node.queue];
  std::vector<runtime::Event> after;
  for (const std::size_t earlier : node.after) after.push_back(events[earlier]);
  return std::visit(
      Overloaded{[&](const StreamedPlan::Upload& each) -> Result<runtime::Event> {
                   const auto given = each.input < transfers.inputs.size() ? transfers.inputs[each.input]
                                                                           : std::span<const std::byte>();
                   if (given.empty()) return queue.barrier(after);
                   return queue.upload(*place(each.to.array, each.to.slot), each.to.offset,
                                       given.subspan(each.host_offset, each.to.bytes), after);
                 },
                 [&](const StreamedPlan::Download& each) -> Result<runtime::Event> {
                   const auto wanted = each.output < transfers.outputs.size() ? transfers.outputs[each.output]
                                                                              : std::span<std::byte>();
                   if (wanted.empty()) return queue.barrier(after);
                   return queue.download(*place(each.from.array, each.from.slot), each.from.offset,
                                         wanted.subspan(each.host_offset, each.from.bytes), after);
                 },
                 [&](const StreamedPlan::Launch& each) -> Result<runtime::Event> {
                   for (const auto& [scalar, value] : each.numbers) scalars[scalar] = value;
                   const std::vector<runtime::Buffer*> whole = places;
                   for (std::size_t array = 0; array < places.size(); ++array)
                     places[array] = place(array, node.slots[array]);
                   const auto arguments = plan_run().arguments(each.kernel);
                   places = whole;
                   return queue.launch(*kernels[each.kernel], arguments,
                                       plan.launch.kernels[each.kernel].range, after);
                 },
                 [&](const StreamedPlan::Step& each) { return give_step(each, queue, after); }},
      node.work);
}

/// Adds to an error which outputs are whole: all nodes have ended or will never run.
Error StreamedExecutable::State::told(Error error, const std::vector<runtime::Event>& events) const {
  std::map<std::size_t, std::pair<std::size_t, std::size_t>> arrived;  // by output: of how many parts
  for (std::size_t at = 0; at < plan.nodes.size(); ++at) {
    const auto* download = std::get_if<StreamedPlan::Download>(&plan.nodes[at].work);
    if (!download) continue;
    auto& [whole, all] = arrived[download->output];
    ++all;
    whole += at < events.size() && events[at].wait() ? 1 : 0;
  }
  std::string text;
  for (const auto& [output, parts] : arrived) {
    const std::string& name = plan.launch.arrays[plan.launch.outputs[output]].name;
    const std::string state =
        parts.first == parts.second
            ? "is whole"
            : fmt::format("is not whole ({} of {} parts arrived)", parts.first, parts.second);
    text += (text.empty() ? "" : ", ") + name + " " + state;
  }
  if (!error.diagnostics.empty()) {
    std::string& note = error.diagnostics.front().note;
    note += (note.empty() ? "" : "\n") + ("inputs are as they were; " + text);
  }
  return error;
}

StreamTimes StreamedExecutable::State::times(const std::vector<runtime::Event>& events) const {
  StreamTimes result;
  std::vector<runtime::Times> by_kind[StreamedPlan::queues_per_partition], all;
  for (std::size_t at = 0; at < events.size(); ++at) {
    const auto times = events[at].wait();
    if (!times) continue;
    by_kind[static_cast<std::size_t>(StreamedPlan::kind_of_queue(plan.nodes[at].queue))].push_back(*times);
    all.push_back(*times);
    result.nodes.push_back({at, *times});
  }
  result.uploads = covered(by_kind[static_cast<std::size_t>(StreamedPlan::QueueKind::Upload)]);
  result.kernels = covered(by_kind[static_cast<std::size_t>(StreamedPlan::QueueKind::Compute)]);
  result.downloads = covered(by_kind[static_cast<std::size_t>(StreamedPlan::QueueKind::Download)]);
  result.busy = covered(std::move(all));
  return result;
}

namespace {

Result<void> check_apart(const Transfers& transfers) {
  const std::less<const std::byte*> before;
  for (const auto& output : transfers.outputs) {
    for (const auto& input : transfers.inputs) {
      const bool is_apart = output.empty() || input.empty() ||
                            !before(input.data(), output.data() + output.size()) ||
                            !before(output.data(), input.data() + input.size());
      if (!is_apart)
        return user_error("an output lies in the memory of an input",
                          "results arrive while other tasks still read their inputs", "give it other memory");
    }
  }
  return {};
}

}  // namespace

Result<StreamTimes> StreamedExecutable::run(const Transfers& transfers) {
  State& state = *state_;
  if (auto checked = check_apart(transfers); !checked) return tl::unexpected(checked.error());
  if (auto set = state.set_scalars(transfers); !set) return tl::unexpected(set.error());
  if (state.pins) {
    for (const auto& input : transfers.inputs) {
      if (auto pinned = state.pin(input); !pinned) return tl::unexpected(pinned.error());
    }
    for (const auto& output : transfers.outputs) {
      if (auto pinned = state.pin(output); !pinned) return tl::unexpected(pinned.error());
    }
  }
  state.places.clear();
  for (const auto& slots : state.memory) state.places.push_back(slots.front().get());
  if (auto cleared = state.plan_run().clear_faults(); !cleared) return tl::unexpected(cleared.error());

  std::optional<Error> failure;
  std::vector<runtime::Event> events;
  const double start = runtime::host_seconds();
  for (std::size_t node = 0; node < state.plan.nodes.size() && !failure; ++node) {
    auto given = state.give(node, transfers, events);
    if (given) {
      events.push_back(std::move(*given));
    } else {
      failure = std::move(given.error());
    }
  }
  for (const auto& queue : state.queues) {
    if (auto finished = queue->finish(); !finished && !failure) failure = std::move(finished.error());
  }
  const double end = runtime::host_seconds();
  if (failure) return tl::unexpected(state.told(std::move(*failure), events));
  StreamTimes times = state.times(events);
  times.wall = end - start;
  if (auto checked = state.plan_run().check_faults(); !checked) return tl::unexpected(checked.error());
  return times;
}

}  // namespace hoist::execute
