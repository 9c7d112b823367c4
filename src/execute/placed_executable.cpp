// Gives the nodes of places to their devices. Each place has one queue, which runs what it is given in order,
// so nothing within a place waits for anything else. Between places data move through memory of the host,
//
//   place 1: download to staging memory   (send)
//   host:    waits for it, or hands it to MPI
//   place 0: upload from there            (receive)
//
// or, where the one device reaches the other's memory, by a copy that the receiver's queue runs when the
// sender's has come so far. What the sender computes next into the memory that is copied waits for the copy
// (`readers_`).
//
// Read `Run::run`, then `Run::give` of a send and of a receive. The host waits for nothing but staged sends,
// so that kernels which follow one are with the device before anybody waits for what it sends; and for what
// it gave two steps ago, so that a long run has few commands in flight. Messages that a step needs are asked
// for when it begins.
#include "execute/placed_executable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <map>

#include "base/overloaded.hpp"
#include "execute/executable.hpp"
#include "execute/guard_zone.hpp"
#include "execute/plan_run.hpp"
#include "loop/print.hpp"

namespace hoist::execute {

struct PlacedExecutable::State {
  /// A place of this process.
  struct Place {
    runtime::Device* device;
    std::shared_ptr<runtime::Program> program;
    std::vector<std::unique_ptr<runtime::Kernel>> kernels;
    std::vector<ScalarValue> scalars;
    std::vector<std::unique_ptr<runtime::Buffer>> memory;  ///< by array, where it has been needed
    std::vector<runtime::Buffer*> places;                  ///< the same as PlanRun takes it
    std::unique_ptr<runtime::Queue> queue;                 // gone before what it uses
    runtime::Event last;                                   ///< that the queue was given
  };

  /// Memory of the host for one transfer.
  struct Staging {
    std::unique_ptr<runtime::HostMemory> memory;
    runtime::Event event;                  ///< of the command that uses it
    ranks::Communicator::Message message;  ///< that uses it
    bool is_given = false;                 ///< whether a transfer has it
  };

  PlacedPlan plan;
  std::string plan_text, source;
  LocalPlaces local;
  std::vector<LaunchPlan::Task> steps;  ///< of the launch plan, without transfers: by step of the cut plan
  std::list<Staging> staging;
  std::vector<Place> places;  // gone before what their queues use
  double build_seconds = 0;

  /// Null where another process has it.
  Place* place(std::size_t number) {
    const std::size_t at = number - local.first;
    return number < local.first || at >= places.size() ? nullptr : &places[at];
  }
  Result<void> add_place(const LocalPlace& given, const driver::Compiled& cut,
                         std::map<runtime::Device*, std::shared_ptr<runtime::Program>>& programs);
  Result<runtime::Buffer*> buffer(Place& place, std::size_t array);
  Result<void> make_all(Place& place);
  PlanRun plan_run(Place& place) {
    return {*place.device, plan.launch, place.kernels, place.scalars, place.places};
  }
  void exchange();
};

PlacedExecutable::PlacedExecutable(std::unique_ptr<State> state) : state_(std::move(state)) {}
PlacedExecutable::PlacedExecutable(PlacedExecutable&&) noexcept = default;
PlacedExecutable& PlacedExecutable::operator=(PlacedExecutable&&) noexcept = default;
PlacedExecutable::~PlacedExecutable() = default;

const PlacedPlan& PlacedExecutable::plan() const { return state_->plan; }
double PlacedExecutable::build_seconds() const { return state_->build_seconds; }
const std::string& PlacedExecutable::source() const { return state_->source; }
const std::string& PlacedExecutable::plan_text() const { return state_->plan_text; }

Result<PlacedExecutable> PlacedExecutable::prepare(const driver::Compiled& compiled,
                                                   const PlaceOptions& options, LocalPlaces local) {
  auto placed = placed_plan(compiled.plan, options);
  if (!placed) return tl::unexpected(placed.error());
  auto state = std::make_unique<State>();
  state->plan = std::move(placed->plan);
  state->local = std::move(local);
  state->plan_text = loop::to_string(placed->cut.plan);
  for (const LaunchPlan::Task& task : state->plan.launch.tasks) {
    const bool is_transfer = std::holds_alternative<LaunchPlan::Upload>(task.node) ||
                             std::holds_alternative<LaunchPlan::Download>(task.node);
    if (!is_transfer) state->steps.push_back(task);
  }
  std::map<runtime::Device*, std::shared_ptr<runtime::Program>> programs;
  for (const LocalPlace& each : state->local.places) {
    auto cut = driver::with_plan(compiled, placed->cut.plan, each.device->info());
    if (!cut) return tl::unexpected(cut.error());
    if (auto fits = check_kernels_fit(*cut, each.device->info()); !fits) return tl::unexpected(fits.error());
    if (auto added = state->add_place(each, *cut, programs); !added) return tl::unexpected(added.error());
    if (state->source.empty()) state->source = std::move(cut->source);
  }
  for (const auto& [device, program] : programs) state->build_seconds += program->facts().seconds;
  return PlacedExecutable(std::move(state));
}

Result<void> PlacedExecutable::State::add_place(
    const LocalPlace& given, const driver::Compiled& cut,
    std::map<runtime::Device*, std::shared_ptr<runtime::Program>>& programs) {
  Place place;
  place.device = given.device;
  auto& program = programs[given.device];
  if (!program) {
    auto built = given.device->build(cut.source);
    if (!built) return tl::unexpected(built.error());
    program = std::move(*built);
  }
  place.program = program;
  for (std::size_t k = 0; k < plan.launch.kernels.size(); ++k) {
    auto kernel = program->kernel(plan.launch.kernels[k].name, cut.dynamic_local_memory.at(k));
    if (!kernel) return tl::unexpected(kernel.error());
    place.kernels.push_back(std::move(*kernel));
  }
  for (const LaunchPlan::ScalarInput& scalar : plan.launch.scalars)
    place.scalars.push_back(ScalarValue::of_integer(scalar.type, 0));
  place.memory.resize(plan.launch.arrays.size());
  place.places.resize(plan.launch.arrays.size());
  auto queue = given.partition->queue();
  if (!queue) return tl::unexpected(queue.error());
  place.queue = std::move(*queue);
  places.push_back(std::move(place));
  return {};
}

/// Memory is taken where something runs that uses it: a place that runs only tasks of some kernels needs only
/// their arrays.
Result<runtime::Buffer*> PlacedExecutable::State::buffer(Place& place, std::size_t array) {
  if (!place.memory[array]) {
    auto made = place.device->allocate(plan.launch.arrays[array].bytes());
    if (!made) return tl::unexpected(made.error());
    place.memory[array] = std::move(*made);
    place.places[array] = place.memory[array].get();
  }
  return place.places[array];
}

Result<void> PlacedExecutable::State::make_all(Place& place) {
  for (std::size_t array = 0; array < place.memory.size(); ++array) {
    if (auto made = buffer(place, array); !made) return tl::unexpected(made.error());
  }
  return {};
}

/// Results become inputs.
void PlacedExecutable::State::exchange() {
  for (Place& place : places) {
    for (const PlacedPlan::Fed& each : plan.fed) {
      std::swap(place.memory[each.input_array], place.memory[each.output_array]);
      std::swap(place.places[each.input_array], place.places[each.output_array]);
    }
  }
}

Result<void> PlacedExecutable::poison() {
  for (State::Place& place : state_->places) {
    if (auto made = state_->make_all(place); !made) return made;
    for (const auto& buffer : place.memory) {
      if (auto filled = place.device->fill(*buffer, poison_byte); !filled) return filled;
    }
  }
  return {};
}

/// One run: what was given, and what is on its way.
class PlacedExecutable::Run {
 public:
  Run(State& state, const InputReader& inputs, const OutputMemory& outputs)
      : state_(state), plan_(state.plan), inputs_(inputs), outputs_(outputs) {
    times_.kernels.resize(state.places.size());
  }

  Result<PlacedTimes> run();

 private:
  using Place = State::Place;
  using Staging = State::Staging;
  using Given = Result<runtime::Event>;

  Result<void> prepare();
  Result<void> give_steps();
  Result<void> give_step(const std::vector<PlacedNode>& nodes);
  Result<void> ask_for(const std::vector<PlacedNode>& nodes);
  Given give(Place& place, const PlacedNode::Upload& upload);
  Given give(Place& place, const TaskLaunch& launch);
  Given give(Place& place, const PlacedNode::Step& step);
  Given give(Place& place, const PlacedNode::Send& send);
  Given give(Place& place, const PlacedNode::Receive& receive);
  Given give(Place& place, const PlacedNode::Download& download);
  Result<Staging*> staging(runtime::Device& device, std::size_t bytes);
  Result<void> hand_over();
  Result<void> note_ended();
  Result<void> finish();

  std::vector<runtime::Event> take_readers(const Place& place, const TaskLaunch& launch);

  /// What a send has downloaded, or a message brings.
  struct Transfer {
    Staging* staging;
    std::size_t bytes;
  };
  struct Outgoing {
    std::size_t number, to;
    Transfer transfer;
  };
  /// What is copied from memory to memory, and the command behind which it is there.
  struct Source {
    const runtime::Buffer* memory;
    runtime::Event written;
  };
  struct Running {
    std::size_t place;  ///< of this process
    bool is_kernel;
    runtime::Event event;
  };

  State& state_;
  const PlacedPlan& plan_;
  const InputReader& inputs_;
  const OutputMemory& outputs_;
  std::map<std::size_t, Transfer> transfers_;  ///< by number: those that a place of this process waits for
  std::map<std::size_t, Source> sources_;      ///< by number: the same of copies
  /// Copies from memory that nothing has been written to since.
  std::map<const runtime::Buffer*, std::vector<runtime::Event>> readers_;
  std::vector<Outgoing> outgoing_;                ///< downloaded for other processes, not yet sent
  std::vector<std::vector<Running>> given_ = {};  ///< of the last steps
  PlacedTimes times_;
};

Result<void> PlacedExecutable::Run::prepare() {
  for (Place& place : state_.places) {
    for (std::size_t leaf = 0; leaf < plan_.program_inputs; ++leaf) {
      const LaunchPlan::Input& input = plan_.launch.inputs[leaf];
      if (input.is_array) continue;
      const Scalar type = plan_.launch.scalars[input.index].type;
      auto bytes = inputs_(leaf, 0, size_of(type));
      if (!bytes) return tl::unexpected(bytes.error());
      place.scalars[input.index] = load_scalar(bytes->data(), type, 0);
    }
    if (!plan_.launch.faults) continue;
    if (auto made = state_.buffer(place, *plan_.launch.faults); !made) return tl::unexpected(made.error());
    if (auto cleared = state_.plan_run(place).clear_faults(); !cleared) return cleared;
  }
  return {};
}

Result<void> PlacedExecutable::Run::give_steps() {
  PlacedSteps steps(plan_);
  for (bool is_first = true; auto nodes = steps.next(); is_first = false) {
    if (!is_first) state_.exchange();
    if (auto given = give_step(*nodes); !given) return given;
  }
  return {};
}

Result<void> PlacedExecutable::Run::give_step(const std::vector<PlacedNode>& nodes) {
  if (auto asked = ask_for(nodes); !asked) return asked;
  given_.emplace_back();
  for (const PlacedNode& node : nodes) {
    Place* place = state_.place(node.place);
    if (place == nullptr) continue;
    auto event = std::visit([&](const auto& work) { return give(*place, work); }, node.work);
    if (!event) return tl::unexpected(event.error());
    place->last = *event;
    given_.back().push_back(
        {node.place - state_.local.first, std::holds_alternative<TaskLaunch>(node.work), std::move(*event)});
  }
  if (auto sent = hand_over(); !sent) return sent;
  return given_.size() > 2 ? note_ended() : Result<void>();
}

/// Messages that other processes send in this step, or have sent in the one before.
Result<void> PlacedExecutable::Run::ask_for(const std::vector<PlacedNode>& nodes) {
  for (const PlacedNode& node : nodes) {
    const auto* receive = std::get_if<PlacedNode::Receive>(&node.work);
    Place* place = state_.place(node.place);
    if (receive == nullptr || place == nullptr || state_.place(receive->from) != nullptr) continue;
    auto memory = staging(*place->device, receive->to.bytes);
    if (!memory) return tl::unexpected(memory.error());
    const auto bytes = (*memory)->memory->bytes().first(receive->to.bytes);
    auto message = state_.local.communicator->receive(bytes, receive->from, receive->transfer);
    if (!message) return tl::unexpected(message.error());
    (*memory)->message = *message;
    transfers_[receive->transfer] = {*memory, receive->to.bytes};
  }
  return {};
}

Result<runtime::Event> PlacedExecutable::Run::give(Place& place, const PlacedNode::Upload& upload) {
  auto from = inputs_(upload.input, upload.to.offset, upload.to.bytes);
  if (!from) return tl::unexpected(from.error());
  auto to = state_.buffer(place, upload.to.array);
  if (!to) return tl::unexpected(to.error());
  times_.uploaded_bytes += upload.to.bytes;
  return place.queue->upload(**to, upload.to.offset, *from, {});
}

Result<runtime::Event> PlacedExecutable::Run::give(Place& place, const TaskLaunch& launch) {
  for (const auto& [scalar, value] : launch.numbers) place.scalars[scalar] = value;
  for (const LaunchPlan::Parameter& each : plan_.launch.kernels[launch.kernel].parameters) {
    if (!each.is_array) continue;
    if (auto made = state_.buffer(place, each.index); !made) return tl::unexpected(made.error());
  }
  const auto arguments = state_.plan_run(place).arguments(launch.kernel);
  const auto after = take_readers(place, launch);
  return place.queue->launch(*place.kernels[launch.kernel], arguments, launch.range, after);
}

/// The copies from memory that the kernel writes to.
std::vector<runtime::Event> PlacedExecutable::Run::take_readers(const Place& place,
                                                                const TaskLaunch& launch) {
  std::vector<runtime::Event> result;
  for (const LaunchPlan::Parameter& each : plan_.launch.kernels[launch.kernel].parameters) {
    if (!each.is_array || !each.is_written) continue;
    const auto found = readers_.find(place.places[each.index]);
    if (found == readers_.end()) continue;
    result.insert(result.end(), found->second.begin(), found->second.end());
    readers_.erase(found);
  }
  return result;
}

Result<runtime::Event> PlacedExecutable::Run::give(Place& place, const PlacedNode::Step& step) {
  if (auto made = state_.make_all(place); !made) return tl::unexpected(made.error());
  std::vector<runtime::Event> after;
  for (const auto& [memory, readers] : readers_) after.insert(after.end(), readers.begin(), readers.end());
  readers_.clear();
  const LaunchPlan::Task& task = state_.steps.at(step.step);
  if (const auto* copy = std::get_if<LaunchPlan::Copy>(&task.node)) {
    return place.queue->copy(*place.places[copy->from], 0, *place.places[copy->to], 0,
                             plan_.launch.arrays[copy->to].bytes(), after);
  }
  const auto* repeat = std::get_if<LaunchPlan::Repeat>(&task.node);
  if (repeat == nullptr) throw Bug("a launch is a node of its own");
  // The host reads between rounds, so what is before must be over.
  if (auto waits = place.queue->barrier(after); !waits) return waits;
  if (auto ended = place.queue->finish(); !ended) return tl::unexpected(ended.error());
  const double start = runtime::host_seconds();
  RunTimes times;
  if (auto ran = state_.plan_run(place).run(*repeat, times); !ran) return tl::unexpected(ran.error());
  return runtime::Event::ended({start, runtime::host_seconds()});
}

Result<runtime::Event> PlacedExecutable::Run::give(Place& place, const PlacedNode::Send& send) {
  auto from = state_.buffer(place, send.from.array);
  if (!from) return tl::unexpected(from.error());
  if (const Place* to = state_.place(send.to); to != nullptr && to->device->reaches(*place.device)) {
    sources_[send.transfer] = {*from, place.last};
    return place.last;
  }
  auto memory = staging(*place.device, send.from.bytes);
  if (!memory) return tl::unexpected(memory.error());
  auto event =
      place.queue->download(**from, send.from.offset, (*memory)->memory->bytes().first(send.from.bytes), {});
  if (!event) return event;
  (*memory)->event = *event;
  const Transfer transfer{*memory, send.from.bytes};
  if (state_.place(send.to) != nullptr) {
    transfers_[send.transfer] = transfer;
  } else {
    outgoing_.push_back({send.transfer, send.to, transfer});
  }
  return event;
}

Result<runtime::Event> PlacedExecutable::Run::give(Place& place, const PlacedNode::Receive& receive) {
  auto to = state_.buffer(place, receive.to.array);
  if (!to) return tl::unexpected(to.error());
  times_.received_bytes += receive.to.bytes;
  if (const auto source = sources_.find(receive.transfer); source != sources_.end()) {
    const auto [memory, written] = source->second;
    sources_.erase(source);
    auto event = place.queue->copy(*memory, receive.to.offset, **to, receive.to.offset, receive.to.bytes,
                                   std::span(&written, 1));
    if (event) readers_[memory].push_back(*event);
    return event;
  }
  // Who sends may wait for what this process has to send.
  if (auto sent = hand_over(); !sent) return tl::unexpected(sent.error());
  const auto found = transfers_.find(receive.transfer);
  if (found == transfers_.end()) throw Bug("a transfer is received that nobody sends");
  Staging& memory = *found->second.staging;
  if (state_.place(receive.from) != nullptr) {
    if (auto ended = memory.event.wait(); !ended) return tl::unexpected(ended.error());
  } else if (auto ended = state_.local.communicator->wait(memory.message); !ended) {
    return tl::unexpected(ended.error());
  }
  auto event =
      place.queue->upload(**to, receive.to.offset, memory.memory->bytes().first(receive.to.bytes), {});
  if (!event) return event;
  memory.event = *event;
  memory.is_given = false;
  transfers_.erase(found);
  return event;
}

Result<runtime::Event> PlacedExecutable::Run::give(Place& place, const PlacedNode::Download& download) {
  auto from = state_.buffer(place, download.from.array);
  if (!from) return tl::unexpected(from.error());
  return place.queue->download(**from, download.from.offset,
                               outputs_(download.output, download.from.offset, download.from.bytes), {});
}

/// Memory that nothing uses, pinned where the device needs that.
Result<PlacedExecutable::State::Staging*> PlacedExecutable::Run::staging(runtime::Device& device,
                                                                         std::size_t bytes) {
  for (Staging& each : state_.staging) {
    if (each.is_given || each.memory->bytes().size() < bytes || !each.event.has_ended()) continue;
    if (state_.local.communicator != nullptr) {
      auto ended = state_.local.communicator->has_ended(each.message);
      if (!ended) return tl::unexpected(ended.error());
      if (!*ended) continue;
    }
    each.is_given = true;
    return &each;
  }
  auto memory = device.host_memory(bytes);
  if (!memory) return tl::unexpected(memory.error());
  state_.staging.push_back({std::move(*memory), {}, {}, true});
  return &state_.staging.back();
}

/// Gives to MPI what is downloaded for other processes.
Result<void> PlacedExecutable::Run::hand_over() {
  for (const Outgoing& each : outgoing_) {
    Staging& memory = *each.transfer.staging;
    if (auto ended = memory.event.wait(); !ended) return tl::unexpected(ended.error());
    auto message = state_.local.communicator->send(memory.memory->bytes().first(each.transfer.bytes), each.to,
                                                   each.number);
    if (!message) return tl::unexpected(message.error());
    memory.message = *message;
    memory.is_given = false;
  }
  outgoing_.clear();
  return {};
}

/// Waits for the first of the steps that are in flight.
Result<void> PlacedExecutable::Run::note_ended() {
  for (const Running& each : given_.front()) {
    const auto times = each.event.wait();
    if (!times) return tl::unexpected(times.error());
    if (each.is_kernel) times_.kernels[each.place] += times->seconds();
  }
  given_.erase(given_.begin());
  return {};
}

/// Waits for all that was given, whatever became of it.
Result<void> PlacedExecutable::Run::finish() {
  Result<void> result;
  for (Place& place : state_.places) {
    if (auto finished = place.queue->finish(); !finished && result) result = std::move(finished);
  }
  return result;
}

Result<PlacedTimes> PlacedExecutable::Run::run() {
  if (auto prepared = prepare(); !prepared) return tl::unexpected(prepared.error());
  const double start = runtime::host_seconds();
  auto given = give_steps();
  auto finished = finish();
  if (!given) return tl::unexpected(given.error());
  if (!finished) return tl::unexpected(finished.error());
  while (!given_.empty()) {
    if (auto noted = note_ended(); !noted) return tl::unexpected(noted.error());
  }
  // Sent memory is used again, and freed, when nobody reads it any more.
  for (Staging& each : state_.staging) {
    if (state_.local.communicator == nullptr) break;
    if (auto ended = state_.local.communicator->wait(each.message); !ended)
      return tl::unexpected(ended.error());
  }
  times_.wall = runtime::host_seconds() - start;
  for (Place& place : state_.places) {
    if (!plan_.launch.faults) break;
    if (auto checked = state_.plan_run(place).check_faults(); !checked)
      return tl::unexpected(checked.error());
  }
  return std::move(times_);
}

Result<PlacedTimes> PlacedExecutable::run(const InputReader& inputs, const OutputMemory& outputs) {
  for (State::Staging& each : state_->staging) each.is_given = false;
  return Run(*state_, inputs, outputs).run();
}

}  // namespace hoist::execute
