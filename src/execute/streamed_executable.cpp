// Gives the nodes of a streamed plan to the queues of a device, in the order of the plan, each with the
// events that it waits for; then waits for all and reads their times.
//
// Read `StreamedExecutable::run` first, then `Run::give_all`. Nothing of a run is waited for before all is
// given, but for repetitions, which the host runs itself, and, where a plan has a loop of steps, for the
// round before the last one, so that a long run has few commands in flight. Where something fails, queues run
// nothing more; all are waited for before the error is told, so that nothing touches the caller's memory
// afterwards, and of each output it is told which part arrived.
//
// An array is where the plan has it, unless the caller gives one that keeps count of where it is valid
// (tracked_array.hpp). Such an array takes the place of one that the plan has whole: an upload then is of
// what the device lacks, and nothing is downloaded. Of one that the plan has as windows the host's memory is
// used, as it is of a span, or what the device holds of it is copied there.
#include "execute/streamed_executable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/bytes.hpp"
#include "base/overloaded.hpp"
#include "execute/pinned_arrays.hpp"
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
  std::vector<std::unique_ptr<runtime::Kernel>> kernels;
  std::vector<LaunchPlan::Task> steps;  ///< of the launch plan, without transfers: by step of the cut plan
  std::vector<ScalarValue> scalars;
  std::vector<std::vector<std::unique_ptr<runtime::Buffer>>> memory;  ///< by array and slot
  std::vector<runtime::Buffer*> places;  ///< by array: where the first slot of it is at this moment
  std::vector<std::string> notes;
  PinnedArrays pinned;
  bool pins = false, unpins = false;  ///< whether a run pins what it is given, and unpins it at its end
  std::vector<std::unique_ptr<runtime::Queue>> queues;  // gone before what they use

  /// By flattened output: where steps put results that pass through the host, in turn with the caller's
  /// memory. Null where none do.
  std::vector<std::unique_ptr<runtime::HostMemory>> between_steps;

  runtime::Buffer* place(std::size_t array, std::size_t slot) const {
    return plan.slots[array] == 1 ? places[array] : memory[array][slot].get();
  }
  PlanRun plan_run() { return {*device, plan.launch, kernels, scalars, places}; }
  /// Inputs and results that stay on the device exchange their memory, where the step has them exchanged;
  /// called again, they are as they were.
  void exchange(std::size_t step) {
    for (const StreamedPlan::Fed& each : plan.fed) {
      if (each.stays && step % 2 == 1) std::swap(places[each.input_array], places[each.output_array]);
    }
  }

  Result<void> make_queues();
  Result<void> make_memory(std::size_t array);
  Result<void> set_scalars(const Transfers& transfers);
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
    if (plan.all_steps() > 1) record.step = ran.step;
    record.start = ran.times.start;
    record.end = ran.times.end;
    std::visit(Overloaded{[&](const StreamedPlan::Upload& each) {
                            record.kind = TraceRecord::Kind::Upload;
                            record.name = plan.launch.arrays[plan.launch.inputs[each.input].index].name;
                            record.bytes = each.to.rows.total();
                          },
                          [&](const StreamedPlan::Download& each) {
                            record.kind = TraceRecord::Kind::Download;
                            record.name = plan.launch.arrays[plan.launch.outputs[each.output]].name;
                            record.bytes = each.from.rows.total();
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
std::vector<std::string> StreamedExecutable::notes() const {
  std::vector<std::string> result = state_->notes;
  const std::vector<std::string>& of_memory = state_->pinned.notes();
  result.insert(result.end(), of_memory.begin(), of_memory.end());
  return result;
}

Result<StreamedExecutable> StreamedExecutable::prepare(runtime::Device& device,
                                                       const driver::Compiled& compiled,
                                                       StreamOptions options) {
  // What is wrong with the choice for any device is told before what is wrong for this one.
  auto program = cut_program(compiled, options, device.info());
  if (!program) return tl::unexpected(program.error());
  return prepare(device, std::move(*program));
}

Result<StreamedExecutable> StreamedExecutable::prepare_again(const driver::Compiled& compiled,
                                                             StreamOptions options) const {
  auto program = cut_program(compiled, options, state_->device->info());
  if (!program) return tl::unexpected(program.error());
  StreamParts parts = state_->shared;
  if (program->source != state_->source) parts.program.reset();
  if (program->plan.partitions != state_->plan.partitions) parts.partitioning.reset();
  return prepare(*state_->device, std::move(*program), std::move(parts));
}

Result<StreamedExecutable> StreamedExecutable::prepare(runtime::Device& device, CutProgram program,
                                                       StreamParts parts) {
  auto state = std::make_unique<State>();
  state->device = &device;
  state->plan = std::move(program.plan);
  state->source = std::move(program.source);
  state->shared = std::move(parts);
  state->pins = !state->shared.has_pinned && device.stream_facts().needs_pinned;
  state->unpins = program.unpins;
  if (!state->shared.partitioning) {
    auto partitioning = device.partitions(state->plan.partitions);
    if (!partitioning) return tl::unexpected(partitioning.error());
    state->shared.partitioning = std::make_shared<runtime::Partitioning>(std::move(*partitioning));
  }
  state->notes = state->plan.notes;
  const std::string& note = state->shared.partitioning->note;
  if (!note.empty()) state->notes.push_back(note);
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
  state->memory.resize(launch.arrays.size());
  std::vector<bool> is_callers(launch.arrays.size());  // arrays that may lie where the caller says
  for (const LaunchPlan::Input& input : launch.inputs) {
    if (input.is_array) is_callers[input.index] = !state->plan.is_windowed[input.index];
  }
  for (const std::size_t output : launch.outputs) is_callers[output] = !state->plan.is_windowed[output];
  for (std::size_t array = 0; array < launch.arrays.size(); ++array) {
    if (is_callers[array]) continue;
    if (auto made = state->make_memory(array); !made) return tl::unexpected(made.error());
  }
  state->between_steps.resize(launch.outputs.size());
  for (const StreamedPlan::Fed& each : state->plan.fed) {
    if (each.stays) continue;
    const std::size_t elements = state->plan.array_elements[each.output_array];
    auto memory = device.host_memory(elements * size_of(launch.arrays[each.output_array].scalar));
    if (!memory) return tl::unexpected(memory.error());
    state->between_steps[each.output] = std::move(*memory);
  }
  if (auto made = state->make_queues(); !made) return tl::unexpected(made.error());
  return StreamedExecutable(std::move(state));
}

Result<void> StreamedExecutable::State::make_queues() {
  for (std::size_t queue = 0; queue < plan.queues(); ++queue) {
    auto& partition = *shared.partitioning->partitions.at(queue / StreamedPlan::queues_per_partition);
    auto made = partition.queue();
    if (!made) return tl::unexpected(made.error());
    queues.push_back(std::move(*made));
  }
  return {};
}

Result<void> StreamedExecutable::State::make_memory(std::size_t array) {
  if (!memory[array].empty()) return {};
  for (std::size_t slot = 0; slot < plan.slots[array]; ++slot) {
    auto buffer = device->allocate(plan.launch.arrays[array].bytes());
    if (!buffer) return tl::unexpected(buffer.error());
    memory[array].push_back(std::move(*buffer));
  }
  return {};
}

Result<void> StreamedExecutable::State::set_scalars(const Transfers& transfers) {
  for (std::size_t leaf = 0; leaf < plan.program_inputs; ++leaf) {
    const LaunchPlan::Input& input = plan.launch.inputs[leaf];
    if (input.is_array) continue;
    const Scalar type = plan.launch.scalars[input.index].type;
    if (transfers.inputs.at(leaf).size() != size_of(type)) throw Bug("an input is not as large as its type");
    scalars[input.index] = load_scalar(transfers.inputs[leaf].data(), type, 0);
  }
  return {};
}

/// One run: what the queues were given, and what came of it.
class StreamedExecutable::Run {
 public:
  Run(State& state, const Transfers& transfers, const TrackedArrays& arrays, CommandTimes command_times)
      : state_(state),
        plan_(state.plan),
        transfers_(transfers),
        arrays_(arrays),
        keeps_times_(command_times != CommandTimes::NotKept),
        is_counted_(command_times == CommandTimes::KeptAndCounted &&
                    state.device->info().type == target::Type::Cpu) {}

  Result<StreamTimes> run();

 private:
  using Place = ValidRanges::Place;
  using Events = std::span<const runtime::Event>;

  TrackedArray* input_array(std::size_t input) const {
    return input < arrays_.inputs.size() ? arrays_.inputs[input] : nullptr;
  }
  TrackedArray* output_array(std::size_t output) const {
    return output < arrays_.outputs.size() ? arrays_.outputs[output] : nullptr;
  }

  Result<void> prepare();
  Result<void> check_inputs() const;
  Result<void> check_apart() const;
  Result<void> pin_arrays();
  Result<void> place_arrays();
  Result<void> place(std::size_t array, TrackedArray* given);
  Result<void> bring_input(std::size_t input);
  static bool is_on_device(const TrackedArray& array) {
    return array.valid().missing(Place::Device, array.all()).empty();
  }

  Result<void> give_all();
  Result<void> give(std::size_t begin, std::size_t end);
  Result<runtime::Event> give(const Node& node, runtime::Queue& queue, Events after);
  Result<runtime::Event> give_upload(const Node& node, runtime::Queue& queue, Events after);
  Result<runtime::Event> give_download(const Node& node, runtime::Queue& queue, Events after);
  Result<runtime::Event> give_step(const StreamedPlan::Step& step, runtime::Queue& queue, Events after);
  std::span<std::byte> host_result(std::size_t output, std::size_t step) const;

  /// A node that was given to its queue.
  struct Given {
    std::size_t node, step;
    runtime::Event event;
  };
  Result<void> note_times(std::span<const Given> nodes);
  void sum_times();
  Error told(Error error) const;
  void mark_arrays(bool has_failed);

  State& state_;
  const StreamedPlan& plan_;
  const Transfers& transfers_;
  const TrackedArrays& arrays_;
  bool keeps_times_, is_counted_;
  std::vector<Given> given_;    ///< by node; of the loop's nodes those of its last round
  std::vector<Given> earlier_;  ///< the loop's nodes in the round before
  std::size_t noted_ = 0;       ///< how many of `given_`, from the first on, have ended
  std::size_t round_ = 0;       ///< of the loop
  /// What is on its way to the device's memory of an array.
  std::vector<std::pair<TrackedArray*, tasks::Interval>> uploads_;
  std::map<TrackedArray*, std::size_t> columns_;  ///< of arrays whose columns are: how many bytes
  StreamTimes times_;
};

Result<void> StreamedExecutable::Run::check_inputs() const {
  for (std::size_t input = 0; input < plan_.program_inputs; ++input) {
    const LaunchPlan::Input& leaf = plan_.launch.inputs[input];
    if (!leaf.is_array) continue;
    const LaunchPlan::Array& array = plan_.launch.arrays[leaf.index];
    const TrackedArray* given = input_array(input);
    const std::size_t bytes = given ? given->bytes() : transfers_.inputs.at(input).size();
    if (bytes != plan_.array_elements[leaf.index] * size_of(array.scalar))
      throw Bug("an input is not as large as its array");
    if (given && plan_.all_steps() > 1) throw Bug("a program in steps runs on memory of the host's");
    if (!given) continue;
    if (auto checked = given->check_written(given->all()); !checked) return checked;
  }
  return {};
}

Result<void> StreamedExecutable::Run::check_apart() const {
  for (const auto& output : transfers_.outputs) {
    for (const auto& input : transfers_.inputs) {
      if (share_memory(output, input))
        return user_error("an output lies in the memory of an input",
                          "results arrive while other tasks still read their inputs", "give it other memory");
    }
  }
  return {};
}

Result<void> StreamedExecutable::Run::pin_arrays() {
  if (!state_.pins) return {};
  std::vector<std::span<const std::byte>> arrays(transfers_.outputs.begin(), transfers_.outputs.end());
  for (std::size_t input = 0; input < plan_.program_inputs; ++input) {
    if (plan_.launch.inputs[input].is_array) arrays.push_back(transfers_.inputs[input]);
  }
  return state_.pinned.pin(*state_.device, std::move(arrays));
}

/// Decides where each array lies that the plan has whole: in one of the caller's, or in the executable's own
/// memory.
Result<void> StreamedExecutable::Run::place_arrays() {
  state_.places.assign(plan_.launch.arrays.size(), nullptr);
  for (std::size_t input = 0; input < plan_.program_inputs; ++input) {
    if (!plan_.launch.inputs[input].is_array) continue;
    if (auto placed = place(plan_.launch.inputs[input].index, input_array(input)); !placed) return placed;
  }
  for (std::size_t output = 0; output < plan_.launch.outputs.size(); ++output) {
    if (auto placed = place(plan_.launch.outputs[output], output_array(output)); !placed) return placed;
  }
  for (std::size_t array = 0; array < state_.places.size(); ++array) {
    if (!state_.places[array]) state_.places[array] = state_.memory[array].front().get();
  }
  return {};
}

Result<void> StreamedExecutable::Run::place(std::size_t array, TrackedArray* given) {
  if (!given || plan_.is_windowed[array]) return state_.make_memory(array);
  auto buffer = given->on_device();
  if (!buffer) return tl::unexpected(buffer.error());
  state_.places[array] = *buffer;
  return {};
}

Result<void> StreamedExecutable::Run::prepare() {
  if (auto checked = check_inputs(); !checked) return checked;
  if (auto checked = check_apart(); !checked) return checked;
  if (auto set = state_.set_scalars(transfers_); !set) return set;
  if (auto pinned = pin_arrays(); !pinned) return pinned;
  if (auto placed = place_arrays(); !placed) return placed;
  for (std::size_t input = 0; input < arrays_.inputs.size(); ++input) {
    if (!arrays_.inputs[input]) continue;
    if (auto brought = bring_input(input); !brought) return brought;
  }
  return state_.plan_run().clear_faults();
}

/// Moves of an array that the caller keeps what tasks cannot.
Result<void> StreamedExecutable::Run::bring_input(std::size_t input) {
  TrackedArray* given = arrays_.inputs[input];
  const std::size_t array = plan_.launch.inputs[input].index;
  if (plan_.is_windowed[array]) {
    // Columns are uploaded only: devices copy rows to the same place of another buffer.
    if (!plan_.has_columns[array]) return {};
    if (auto read = given->read(given->all()); !read) return tl::unexpected(read.error());
    return {};
  }
  // Two inputs in one array would be uploaded twice, to where tasks already read. Columns are uploaded where
  // the device has nothing of the array: to find out for each row what it has would take longer.
  const bool is_twice = std::ranges::count(arrays_.inputs, given) > 1;
  const bool is_mixed = plan_.has_columns[array] && !given->valid().held(Place::Device, given->all()).empty();
  if (is_twice || is_mixed) return given->bring_to_device(given->all());
  return {};
}

/// The host's memory that a step writes a result to.
std::span<std::byte> StreamedExecutable::Run::host_result(std::size_t output, std::size_t step) const {
  return plan_.host_slot(step) == 0 ? transfers_.outputs.at(output)
                                    : state_.between_steps.at(output)->bytes();
}

/// From the host's memory; of an array that the caller keeps, what the device lacks of it. Where tasks have
/// windows of such an array, what the device holds is copied to them.
Result<runtime::Event> StreamedExecutable::Run::give_upload(const Node& node, runtime::Queue& queue,
                                                            Events after) {
  const auto& upload = std::get<StreamedPlan::Upload>(node.work);
  const StreamedPlan::Range& range = upload.to;
  runtime::Buffer& to = *state_.place(range.array, range.slot);
  TrackedArray* array = input_array(upload.input);
  if (!array || plan_.has_columns[range.array]) {
    const bool is_whole = array && !plan_.is_windowed[range.array];
    if (is_whole && is_on_device(*array)) return queue.barrier(after);
    if (is_whole) columns_[array] += upload.host.total();
    const auto* fed = plan_.fed_to(upload.input, node.step);
    const auto host = array ? array->on_host() : Result<std::span<std::byte>>();
    if (!host) return tl::unexpected(host.error());
    const std::span<const std::byte> from = array ? *host
                                            : fed ? host_result(fed->output, node.step - 1)
                                                  : transfers_.inputs.at(upload.input);
    if (upload.host.end() > from.size()) throw Bug("an upload is of more than the array");
    times_.upload_bytes += upload.host.total();
    return queue.upload_rows(to, range.rows, from.data() + upload.host.offset, upload.host.pitch, after);
  }
  const auto begin = static_cast<std::int64_t>(upload.host.offset);
  const tasks::Interval wanted{begin, begin + static_cast<std::int64_t>(range.rows.total())};
  Result<runtime::Event> last = queue.barrier(after);
  const auto in_memory = [&](const tasks::Interval& part) {
    return range.rows.offset + static_cast<std::size_t>(part.from - begin);
  };
  for (const tasks::Interval& part : array->valid().missing(Place::Device, wanted)) {
    const auto host = array->on_host();
    if (!host || !last) return host ? last : tl::unexpected(host.error());
    const auto from = static_cast<std::size_t>(part.from), bytes = static_cast<std::size_t>(part.length());
    last = queue.upload(to, in_memory(part), host->subspan(from, bytes), {});
    times_.upload_bytes += bytes;
    if (!plan_.is_windowed[range.array]) uploads_.emplace_back(array, part);
  }
  if (!plan_.is_windowed[range.array]) return last;
  for (const tasks::Interval& part : array->valid().held(Place::Device, wanted)) {
    const auto buffer = array->on_device();
    if (!buffer || !last) return buffer ? last : tl::unexpected(buffer.error());
    last = queue.copy(**buffer, static_cast<std::size_t>(part.from), to, in_memory(part),
                      static_cast<std::size_t>(part.length()), {});
  }
  return last;
}

/// To the host's memory. What the device has as a whole in an array that the caller keeps stays there.
Result<runtime::Event> StreamedExecutable::Run::give_download(const Node& node, runtime::Queue& queue,
                                                              Events after) {
  const auto& download = std::get<StreamedPlan::Download>(node.work);
  const StreamedPlan::Range& range = download.from;
  const runtime::Buffer& from = *state_.place(range.array, range.slot);
  TrackedArray* array = output_array(download.output);
  if (array && !plan_.is_windowed[range.array]) return queue.barrier(after);
  Result<std::span<std::byte>> to = array ? array->on_host() : host_result(download.output, node.step);
  if (!to) return tl::unexpected(to.error());
  const std::size_t bytes = range.rows.total();
  times_.download_bytes += bytes;
  return queue.download(from, range.rows.offset, to->subspan(download.host_offset, bytes), after);
}

Result<runtime::Event> StreamedExecutable::Run::give_step(const StreamedPlan::Step& step,
                                                          runtime::Queue& queue, Events after) {
  const LaunchPlan::Task& task = state_.steps.at(step.step);
  if (const auto* copy = std::get_if<LaunchPlan::Copy>(&task.node)) {
    return queue.copy(*state_.places[copy->from], 0, *state_.places[copy->to], 0,
                      plan_.launch.arrays[copy->to].bytes(), after);
  }
  const auto* repeat = std::get_if<LaunchPlan::Repeat>(&task.node);
  if (!repeat) throw Bug("a launch is a node of its own");
  // The host reads between rounds, so what is before must be over.
  auto before = queue.barrier(after);
  if (!before) return before;
  if (auto ended = before->wait(); !ended) return *before;
  const double start = runtime::host_seconds();
  RunTimes times;
  if (auto ran = state_.plan_run().run(*repeat, times); !ran) return tl::unexpected(ran.error());
  return runtime::Event::ended({start, runtime::host_seconds()});
}

Result<runtime::Event> StreamedExecutable::Run::give(const Node& node, runtime::Queue& queue, Events after) {
  return std::visit(
      Overloaded{[&](const StreamedPlan::Upload&) { return give_upload(node, queue, after); },
                 [&](const StreamedPlan::Download&) { return give_download(node, queue, after); },
                 [&](const StreamedPlan::Launch& each) -> Result<runtime::Event> {
                   for (const auto& [scalar, value] : each.numbers) state_.scalars[scalar] = value;
                   const std::vector<runtime::Buffer*> whole = state_.places;
                   state_.exchange(node.step);
                   for (std::size_t array = 0; array < whole.size(); ++array)
                     state_.places[array] = state_.place(array, node.slots[array]);
                   const auto arguments = state_.plan_run().arguments(each.kernel);
                   state_.places = whole;
                   return queue.launch(*state_.kernels[each.kernel], arguments, each.range, after);
                 },
                 [&](const StreamedPlan::Step& each) {
                   state_.exchange(node.step);
                   auto given = give_step(each, queue, after);
                   state_.exchange(node.step);
                   return given;
                 }},
      node.work);
}

/// Gives nodes of the list, in a round of the loop.
Result<void> StreamedExecutable::Run::give(std::size_t begin, std::size_t end) {
  const std::size_t length = plan_.loop_end - plan_.loop_begin;
  for (std::size_t at = begin; at < end; ++at) {
    const Node& node = plan_.nodes[at];
    std::vector<runtime::Event> after;
    for (const std::size_t earlier : node.after) {
      const bool is_of_round_before = length > 0 && at >= plan_.loop_begin && earlier < plan_.loop_begin;
      after.push_back(is_of_round_before ? earlier_[earlier + length - plan_.loop_begin].event
                                         : given_[earlier].event);
    }
    auto event = give(node, *state_.queues[node.queue], after);
    if (!event) return tl::unexpected(event.error());
    const Given given{at, node.step + round_ * StreamedPlan::steps_of_loop, std::move(*event)};
    if (at < given_.size()) {
      given_[at] = given;
    } else {
      given_.push_back(given);
    }
  }
  return {};
}

Result<void> StreamedExecutable::Run::give_all() {
  if (plan_.loop_times == 1) return give(0, plan_.nodes.size());
  if (auto given = give(0, plan_.loop_begin); !given) return given;
  const auto begin = static_cast<std::ptrdiff_t>(plan_.loop_begin),
             end = static_cast<std::ptrdiff_t>(plan_.loop_end);
  for (; round_ < plan_.loop_times; ++round_) {
    // The events of the round before the last one are used no more. Waiting for them keeps the device from
    // falling behind by more than two rounds.
    if (round_ == 2) {
      if (auto noted = note_times(std::span(given_).first(plan_.loop_begin)); !noted) return noted;
      noted_ = plan_.loop_begin;
    }
    if (round_ >= 2) {
      if (auto noted = note_times(earlier_); !noted) return noted;
    }
    const auto from = round_ == 0 ? begin - (end - begin) : begin;
    earlier_.assign(given_.begin() + from, given_.begin() + from + (end - begin));
    if (auto given = give(plan_.loop_begin, plan_.loop_end); !given) return given;
  }
  --round_;
  return give(plan_.loop_end, plan_.nodes.size());
}

Result<void> StreamedExecutable::Run::note_times(std::span<const Given> nodes) {
  for (const Given& each : nodes) {
    const auto times = each.event.wait();
    if (!times) return tl::unexpected(times.error());
    if (keeps_times_) times_.nodes.push_back({each.node, each.step, *times});
  }
  return {};
}

void StreamedExecutable::Run::sum_times() {
  std::vector<runtime::Times> by_kind[StreamedPlan::queues_per_partition], all;
  for (const StreamTimes::Ran& each : times_.nodes) {
    const auto kind = StreamedPlan::kind_of_queue(plan_.nodes[each.node].queue);
    by_kind[static_cast<std::size_t>(kind)].push_back(each.times);
    if (kind == StreamedPlan::QueueKind::Compute) times_.each_kernel += each.times.end - each.times.start;
    all.push_back(each.times);
  }
  times_.uploads = covered(by_kind[static_cast<std::size_t>(StreamedPlan::QueueKind::Upload)]);
  times_.kernels = covered(by_kind[static_cast<std::size_t>(StreamedPlan::QueueKind::Compute)]);
  times_.downloads = covered(by_kind[static_cast<std::size_t>(StreamedPlan::QueueKind::Download)]);
  times_.busy = covered(std::move(all));
}

/// Adds to an error in which step it was, and which outputs are whole: all nodes have ended or will never
/// run.
Error StreamedExecutable::Run::told(Error error) const {
  std::string text = "inputs are as they were";
  for (std::size_t output = 0; output < plan_.launch.outputs.size(); ++output) {
    std::size_t whole = 0, all = 0;
    for (std::size_t at = 0; at < plan_.nodes.size(); ++at) {
      const auto* download = std::get_if<StreamedPlan::Download>(&plan_.nodes[at].work);
      if (!download || download->output != output || plan_.nodes[at].step + 1 < plan_.steps) continue;
      ++all;
      whole += at < given_.size() && given_[at].event.wait() ? 1 : 0;
    }
    const std::string& name = plan_.launch.arrays[plan_.launch.outputs[output]].name;
    if (output_array(output)) {
      text += fmt::format("; {} is not whole", name);
    } else if (whole == all) {
      text += fmt::format("; {} is whole", name);
    } else {
      text += fmt::format("; {} is not whole ({} of {} parts arrived)", name, whole, all);
    }
  }
  if (plan_.all_steps() > 1) {
    // A device that lost its state by the failure does not tell what had ended before.
    std::size_t ended = plan_.all_steps() - 1;
    const auto count = [&](std::span<const Given> nodes) {
      for (const Given& each : nodes) {
        if (!each.event.wait()) ended = std::min(ended, each.step);
      }
    };
    count(std::span(given_).subspan(noted_));
    count(earlier_);
    text = fmt::format("of {} steps {} are known to have ended; ", plan_.all_steps(), ended) + text;
  }
  if (!error.diagnostics.empty()) {
    std::string& note = error.diagnostics.front().note;
    note += (note.empty() ? "" : "\n") + text;
  }
  return error;
}

/// What the run has made of arrays that the caller keeps.
void StreamedExecutable::Run::mark_arrays(bool has_failed) {
  if (!has_failed) {
    for (const auto& [array, part] : uploads_) array->changed().copied_to(Place::Device, part);
    // Each element is uploaded once.
    for (const auto& [array, bytes] : columns_) {
      if (bytes == array->bytes()) array->changed().copied_to(Place::Device, array->all());
    }
  }
  for (std::size_t output = 0; output < arrays_.outputs.size(); ++output) {
    TrackedArray* array = arrays_.outputs[output];
    if (!array) continue;
    const Place place = plan_.is_windowed[plan_.launch.outputs[output]] ? Place::Host : Place::Device;
    array->changed().wrote(place, array->all());
    if (has_failed) array->changed().dropped(place, array->all());
  }
}

Result<StreamTimes> StreamedExecutable::Run::run() {
  if (auto prepared = prepare(); !prepared) return tl::unexpected(prepared.error());
  std::optional<Error> failure;
  for (const auto& queue : state_.queues) queue->keep_times(keeps_times_);
  Result<runtime::Counters> counters = unsupported("nothing is to be counted");
  if (is_counted_) counters = runtime::Counters::begin();
  const double start = runtime::host_seconds();
  if (auto given = give_all(); !given) failure = std::move(given.error());
  for (const auto& queue : state_.queues) {
    if (auto finished = queue->finish(); !finished && !failure) failure = std::move(finished.error());
  }
  times_.wall = runtime::host_seconds() - start;
  if (counters) times_.counters = counters->rates();
  if (state_.unpins) state_.pinned.forget();
  if (!failure) {
    if (plan_.loop_times > 1) {
      if (auto noted = note_times(earlier_); !noted) failure = std::move(noted.error());
    }
    if (auto noted = note_times(std::span(given_).subspan(noted_)); !noted)
      failure = std::move(noted.error());
  }
  if (failure) {
    mark_arrays(true);
    return tl::unexpected(told(std::move(*failure)));
  }
  const auto checked = state_.plan_run().check_faults();
  mark_arrays(!checked);
  if (!checked) return tl::unexpected(checked.error());
  sum_times();
  return std::move(times_);
}

Result<StreamTimes> StreamedExecutable::run(const Transfers& transfers, const TrackedArrays& arrays,
                                            CommandTimes command_times) {
  return Run(*state_, transfers, arrays, command_times).run();
}

}  // namespace hoist::execute
