// Gives the nodes of places to their devices. Each place has two queues: one for what it computes, and for
// inputs and results, in the order of the list; and one for what it exchanges with others, so that this moves
// while the place computes. Between places data move through memory of the host,
//
//   place 1: download to staging memory   (send)
//   host:    waits for it, or hands it to MPI
//   place 0: upload from there            (receive)
//
// or, where the one device reaches the other's memory, by a copy that the receiver's queue runs when the
// sender has computed it; or, where MPI reaches the memory of devices, by a message from there to there
// (device_message.hpp). What must wait for what, between queues, follows from the elements that nodes touch
// (access_log.hpp).
//
// Read `Run::run`, then `Run::give` of a send and of a receive. The host waits for nothing but staged sends,
// so that kernels which follow one are with the device before anybody waits for what it sends; and for what
// it gave two steps ago, so that a long run has few commands in flight. Messages that a step needs are asked
// for when it begins.
#include "execute/placed_executable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <list>
#include <map>

#include "base/overloaded.hpp"
#include "execute/access_log.hpp"
#include "execute/device_message.hpp"
#include "execute/executable.hpp"
#include "execute/guard_zone.hpp"
#include "execute/plan_run.hpp"
#include "loop/print.hpp"

namespace hoist::execute {

struct PlacedExecutable::State {
  /// An array at a place. Fed arrays exchange theirs.
  struct Memory {
    std::unique_ptr<runtime::Buffer> buffer;  ///< where it has been needed
    AccessLog log;
  };

  /// A place of this process.
  struct Place {
    runtime::Device* device;
    std::shared_ptr<runtime::Program> program;
    std::vector<std::unique_ptr<runtime::Kernel>> kernels;
    std::vector<ScalarValue> scalars;
    std::vector<std::unique_ptr<Memory>> memory;  ///< by array
    std::vector<runtime::Buffer*> places;         ///< the buffers as PlanRun takes them
    std::unique_ptr<runtime::Queue> queue;        // gone before what they use
    std::unique_ptr<runtime::Queue> transfers;
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
  place.places.resize(plan.launch.arrays.size());
  while (place.memory.size() < place.places.size()) place.memory.push_back(std::make_unique<Memory>());
  for (auto* to : {&place.queue, &place.transfers}) {
    auto queue = given.partition->queue();
    if (!queue) return tl::unexpected(queue.error());
    *to = std::move(*queue);
  }
  places.push_back(std::move(place));
  return {};
}

/// Memory is taken where something runs that uses it: a place that runs only tasks of some kernels needs only
/// their arrays.
Result<runtime::Buffer*> PlacedExecutable::State::buffer(Place& place, std::size_t array) {
  if (place.places[array] == nullptr) {
    auto made = place.device->allocate(plan.launch.arrays[array].bytes());
    if (!made) return tl::unexpected(made.error());
    place.memory[array]->buffer = std::move(*made);
    place.places[array] = place.memory[array]->buffer.get();
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
    for (runtime::Buffer* buffer : place.places) {
      if (auto filled = place.device->fill(*buffer, poison_byte); !filled) return filled;
    }
  }
  return {};
}

/// One run: what was given, and what is on its way.
class PlacedExecutable::Run {
 public:
  Run(State& state, const InputReader& inputs, const OutputMemory& outputs, bool is_traced)
      : state_(state),
        plan_(state.plan),
        inputs_(inputs),
        outputs_(outputs),
        is_traced_(is_traced),
        reaches_devices_(state.local.communicator != nullptr && state.local.communicator->reaches_devices()) {
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
  Given give(Place& place, const PlacedNode& node);
  Given give(Place& place, const PlacedNode& node, const PlacedNode::Upload& upload);
  Given give(Place& place, const PlacedNode& node, const TaskLaunch& launch);
  Given give(Place& place, const PlacedNode& node, const PlacedNode::Step& step);
  Given give(Place& place, const PlacedNode& node, const PlacedNode::Send& send);
  Given give(Place& place, const PlacedNode& node, const PlacedNode::Receive& receive);
  Given give(Place& place, const PlacedNode& node, const PlacedNode::Download& download);
  Result<Staging*> staging(runtime::Device& device, std::size_t bytes);
  Result<void> hand_over();
  Result<void> end_sends();
  Result<runtime::Times> ended(const runtime::Event& event);
  Result<void> note_ended();
  Result<void> finish();

  /// What a command of the queue must come after that does what the node does ...
  static std::vector<runtime::Event> conflicts(const Place& place, const PlacedNode& node, const void* queue);
  /// ... and that it does so.
  static Given noted(Place& place, const PlacedNode& node, const void* queue, Given event);
  Result<void> end_messages(const Place& place, const PlacedNode& node);
  std::span<std::byte> reached(Place& place, const PlacedNode::Range& range) const;

  /// What a send has downloaded, or a message brings.
  struct Transfer {
    Staging* staging;
    std::size_t bytes;
  };
  struct Outgoing {
    std::size_t number, to;
    Transfer transfer;                      ///< or
    std::shared_ptr<DeviceMessage> direct;  ///< where that is not null
  };
  /// What is copied from memory to memory, and the commands behind which it is there.
  struct Source {
    State::Memory* memory;
    tasks::Region elements;
    std::vector<runtime::Event> written;
  };
  /// What was given, with all but its times.
  struct Running {
    TraceRecord record;
    runtime::Event event;
  };
  Running running(const PlacedNode& node, runtime::Event event) const;
  void note(const Running& running, const runtime::Times& times);

  State& state_;
  const PlacedPlan& plan_;
  const InputReader& inputs_;
  const OutputMemory& outputs_;
  const bool is_traced_, reaches_devices_;
  double start_ = 0;                              ///< of the run, on the clock of events
  std::size_t step_ = 0;                          ///< the one that is given
  std::map<std::size_t, Transfer> transfers_;     ///< by number: those that a place of this process waits for
  std::map<std::size_t, Source> sources_;         ///< by number: the same of copies
  std::vector<Outgoing> outgoing_;                ///< for other processes, not yet sent
  std::vector<std::vector<Running>> given_ = {};  ///< of the last steps
  PlacedTimes times_;
};

Result<void> PlacedExecutable::Run::prepare() {
  for (Place& place : state_.places) {
    for (const auto& memory : place.memory) memory->log.clear();
    for (std::size_t leaf = 0; leaf < plan_.program_inputs; ++leaf) {
      const LaunchPlan::Input& input = plan_.launch.inputs[leaf];
      if (input.is_array) continue;
      const Scalar type = plan_.launch.scalars[input.index].type;
      auto bytes = inputs_(leaf, {0, size_of(type)});
      if (!bytes) return tl::unexpected(bytes.error());
      place.scalars[input.index] = load_scalar(bytes->first, type, 0);
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
    ++step_;
  }
  return {};
}

Result<void> PlacedExecutable::Run::give_step(const std::vector<PlacedNode>& nodes) {
  if (auto asked = ask_for(nodes); !asked) return asked;
  given_.emplace_back();
  for (const PlacedNode& node : nodes) {
    Place* place = state_.place(node.place);
    if (place == nullptr) continue;
    auto event = give(*place, node);
    if (!event) return tl::unexpected(event.error());
    given_.back().push_back(running(node, *std::move(event)));
  }
  if (auto sent = hand_over(); !sent) return sent;
  return given_.size() > 2 ? note_ended() : Result<void>();
}

/// Messages to the host's memory that other processes send in this step, or have sent in the one before.
Result<void> PlacedExecutable::Run::ask_for(const std::vector<PlacedNode>& nodes) {
  for (const PlacedNode& node : nodes) {
    const auto* receive = std::get_if<PlacedNode::Receive>(&node.work);
    Place* place = state_.place(node.place);
    if (receive == nullptr || place == nullptr || state_.place(receive->from) != nullptr) continue;
    if (auto made = state_.buffer(*place, receive->to.array); !made) return tl::unexpected(made.error());
    if (!reached(*place, receive->to).empty()) continue;
    const std::size_t total = receive->to.rows.total();
    auto memory = staging(*place->device, total);
    if (!memory) return tl::unexpected(memory.error());
    const auto bytes = (*memory)->memory->bytes().first(total);
    auto message = state_.local.communicator->receive(bytes, receive->from, receive->transfer);
    if (!message) return tl::unexpected(message.error());
    (*memory)->message = *message;
    transfers_[receive->transfer] = {*memory, total};
  }
  return {};
}

Result<runtime::Event> PlacedExecutable::Run::give(Place& place, const PlacedNode& node) {
  for (const PlacedNode::Touch& touch : node.touches) {
    if (auto made = state_.buffer(place, touch.array); !made) return tl::unexpected(made.error());
  }
  if (auto ended = end_messages(place, node); !ended) return tl::unexpected(ended.error());
  return std::visit([&](const auto& work) { return give(place, node, work); }, node.work);
}

/// Messages of the place's memory that the node comes after end here: this thread alone speaks to MPI.
Result<void> PlacedExecutable::Run::end_messages(const Place& place, const PlacedNode& node) {
  if (!reaches_devices_) return {};
  for (const runtime::Event& each : conflicts(place, node, nullptr)) {
    if (dynamic_cast<DeviceMessage*>(each.command().get()) == nullptr) continue;
    // Who is to receive it may wait for what this process has to send.
    if (auto sent = hand_over(); !sent) return sent;
    if (auto ended = each.wait(); !ended) return tl::unexpected(ended.error());
  }
  return {};
}

/// Memory that messages may begin and end in; none where it is not reached, or has gaps.
std::span<std::byte> PlacedExecutable::Run::reached(Place& place, const PlacedNode::Range& range) const {
  if (!reaches_devices_ || range.rows.count > 1) return {};
  const std::uintptr_t address = place.device->address_of(*place.places[range.array]);
  if (address == 0) return {};
  return {reinterpret_cast<std::byte*>(address) + range.rows.offset, range.rows.bytes};  // NOLINT
}

std::vector<runtime::Event> PlacedExecutable::Run::conflicts(const Place& place, const PlacedNode& node,
                                                             const void* queue) {
  std::vector<runtime::Event> result;
  for (const PlacedNode::Touch& touch : node.touches) {
    const AccessLog& log = place.memory[touch.array]->log;
    log.add_conflicts(touch.read, false, queue, result);
    log.add_conflicts(touch.written, true, queue, result);
  }
  return result;
}

Result<runtime::Event> PlacedExecutable::Run::noted(Place& place, const PlacedNode& node, const void* queue,
                                                    Given event) {
  if (!event) return event;
  for (const PlacedNode::Touch& touch : node.touches) {
    AccessLog& log = place.memory[touch.array]->log;
    log.add(touch.read, false, queue, *event);
    log.add(touch.written, true, queue, *event);
  }
  return event;
}

Result<runtime::Event> PlacedExecutable::Run::give(Place& place, const PlacedNode& node,
                                                   const PlacedNode::Upload& upload) {
  auto from = inputs_(upload.input, upload.to.rows);
  if (!from) return tl::unexpected(from.error());
  times_.uploaded_bytes += upload.to.rows.total();
  return noted(place, node, place.queue.get(),
               place.queue->upload_rows(*place.places[upload.to.array], upload.to.rows, from->first,
                                        from->pitch, conflicts(place, node, place.queue.get())));
}

Result<runtime::Event> PlacedExecutable::Run::give(Place& place, const PlacedNode& node,
                                                   const TaskLaunch& launch) {
  for (const auto& [scalar, value] : launch.numbers) place.scalars[scalar] = value;
  for (const LaunchPlan::Parameter& each : plan_.launch.kernels[launch.kernel].parameters) {
    if (!each.is_array) continue;
    if (auto made = state_.buffer(place, each.index); !made) return tl::unexpected(made.error());
  }
  const auto arguments = state_.plan_run(place).arguments(launch.kernel);
  return noted(place, node, place.queue.get(),
               place.queue->launch(*place.kernels[launch.kernel], arguments, launch.range,
                                   conflicts(place, node, place.queue.get())));
}

/// What touches whole arrays waits for all that touches any of the place.
Result<runtime::Event> PlacedExecutable::Run::give(Place& place, const PlacedNode& node,
                                                   const PlacedNode::Step& step) {
  if (auto made = state_.make_all(place); !made) return tl::unexpected(made.error());
  PlacedNode whole{node.place, node.work};
  constexpr tasks::Interval all{0, std::numeric_limits<std::int64_t>::max()};
  for (std::size_t array = 0; array < place.memory.size(); ++array)
    whole.touches.push_back({array, {}, {all, all}});
  if (auto ended = end_messages(place, whole); !ended) return tl::unexpected(ended.error());
  const auto after = conflicts(place, whole, place.queue.get());
  const LaunchPlan::Task& task = state_.steps.at(step.step);
  if (const auto* copy = std::get_if<LaunchPlan::Copy>(&task.node)) {
    return noted(place, whole, place.queue.get(),
                 place.queue->copy(*place.places[copy->from], 0, *place.places[copy->to], 0,
                                   plan_.launch.arrays[copy->to].bytes(), after));
  }
  const auto* repeat = std::get_if<LaunchPlan::Repeat>(&task.node);
  if (repeat == nullptr) throw Bug("a launch is a node of its own");
  // The host reads between rounds, so what is before must be over.
  if (auto waits = place.queue->barrier(after); !waits) return waits;
  if (auto ended = place.queue->finish(); !ended) return tl::unexpected(ended.error());
  const double start = runtime::host_seconds();
  RunTimes times;
  if (auto ran = state_.plan_run(place).run(*repeat, times); !ran) return tl::unexpected(ran.error());
  return noted(place, whole, place.queue.get(), runtime::Event::ended({start, runtime::host_seconds()}));
}

Result<runtime::Event> PlacedExecutable::Run::give(Place& place, const PlacedNode& node,
                                                   const PlacedNode::Send& send) {
  if (const Place* to = state_.place(send.to); to != nullptr && to->device->reaches(*place.device)) {
    const PlacedNode::Touch& touch = node.touches.front();
    sources_[send.transfer] = {place.memory[touch.array].get(), touch.read,
                               conflicts(place, node, to->transfers.get())};
    return runtime::Event();
  }
  ranks::Communicator* const others = state_.local.communicator;
  if (const auto from = reached(place, send.from); !from.empty() && state_.place(send.to) == nullptr) {
    outgoing_.push_back({send.transfer,
                         send.to,
                         {},
                         std::make_shared<DeviceMessage>(*others, conflicts(place, node, others), [=] {
                           return others->send(from, send.to, send.transfer);
                         })});
    return noted(place, node, others, runtime::Event(outgoing_.back().direct));
  }
  // Rows lie behind each other there.
  auto memory = staging(*place.device, send.from.rows.total());
  if (!memory) return tl::unexpected(memory.error());
  auto event = noted(place, node, place.transfers.get(),
                     place.transfers->download_rows(*place.places[send.from.array], send.from.rows,
                                                    (*memory)->memory->bytes().data(), send.from.rows.bytes,
                                                    conflicts(place, node, place.transfers.get())));
  if (!event) return event;
  (*memory)->event = *event;
  const Transfer transfer{*memory, send.from.rows.total()};
  if (state_.place(send.to) != nullptr) {
    transfers_[send.transfer] = transfer;
  } else {
    outgoing_.push_back({send.transfer, send.to, transfer, nullptr});
  }
  return event;
}

Result<runtime::Event> PlacedExecutable::Run::give(Place& place, const PlacedNode& node,
                                                   const PlacedNode::Receive& receive) {
  runtime::Buffer& to = *place.places[receive.to.array];
  auto after = conflicts(place, node, place.transfers.get());
  times_.received_bytes += receive.to.rows.total();
  if (const auto found = sources_.find(receive.transfer); found != sources_.end()) {
    const Source source = std::move(found->second);
    sources_.erase(found);
    after.insert(after.end(), source.written.begin(), source.written.end());
    auto event = noted(place, node, place.transfers.get(),
                       place.transfers->copy_rows(*source.memory->buffer, to, receive.to.rows, after));
    if (event) source.memory->log.add(source.elements, false, place.transfers.get(), *event);
    return event;
  }
  // Who sends may wait for what this process has to send.
  if (auto sent = hand_over(); !sent) return tl::unexpected(sent.error());
  ranks::Communicator* const others = state_.local.communicator;
  if (const auto direct = reached(place, receive.to);
      !direct.empty() && state_.place(receive.from) == nullptr) {
    runtime::Event event(std::make_shared<DeviceMessage>(*others, conflicts(place, node, others), [=] {
      return others->receive(direct, receive.from, receive.transfer);
    }));
    if (auto ended = event.wait(); !ended) return tl::unexpected(ended.error());
    return noted(place, node, others, std::move(event));
  }
  const auto found = transfers_.find(receive.transfer);
  if (found == transfers_.end()) throw Bug("a transfer is received that nobody sends");
  Staging& memory = *found->second.staging;
  if (state_.place(receive.from) != nullptr) {
    if (auto ended = memory.event.wait(); !ended) return tl::unexpected(ended.error());
  } else if (auto ended = state_.local.communicator->wait(memory.message); !ended) {
    return tl::unexpected(ended.error());
  }
  auto event = noted(place, node, place.transfers.get(),
                     place.transfers->upload_rows(to, receive.to.rows, memory.memory->bytes().data(),
                                                  receive.to.rows.bytes, after));
  if (!event) return event;
  memory.event = *event;
  memory.is_given = false;
  transfers_.erase(found);
  return event;
}

Result<runtime::Event> PlacedExecutable::Run::give(Place& place, const PlacedNode& node,
                                                   const PlacedNode::Download& download) {
  // The host may wait for it, who then moves no messages.
  if (auto sent = end_sends(); !sent) return tl::unexpected(sent.error());
  const RowsAt<std::byte> to = outputs_(download.output, download.from.rows);
  return noted(place, node, place.queue.get(),
               place.queue->download_rows(*place.places[download.from.array], download.from.rows, to.first,
                                          to.pitch, conflicts(place, node, place.queue.get())));
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

/// Gives to MPI what is for other processes.
Result<void> PlacedExecutable::Run::hand_over() {
  for (const Outgoing& each : outgoing_) {
    if (each.direct) {
      if (auto started = each.direct->start(); !started) return started;
      continue;
    }
    Staging& memory = *each.transfer.staging;
    if (auto downloaded = ended(memory.event); !downloaded) return tl::unexpected(downloaded.error());
    auto message = state_.local.communicator->send(memory.memory->bytes().first(each.transfer.bytes), each.to,
                                                   each.number);
    if (!message) return tl::unexpected(message.error());
    memory.message = *message;
    memory.is_given = false;
  }
  outgoing_.clear();
  return {};
}

/// Waits until what was sent needs this process no more.
Result<void> PlacedExecutable::Run::end_sends() {
  if (state_.local.communicator == nullptr) return {};
  if (auto sent = hand_over(); !sent) return sent;
  for (Staging& each : state_.staging) {
    if (each.is_given) continue;
    if (auto ended = state_.local.communicator->wait(each.message); !ended) return ended;
  }
  return {};
}

/// Waits for a command of a device, while messages move on.
Result<runtime::Times> PlacedExecutable::Run::ended(const runtime::Event& event) {
  ranks::Communicator* const others = state_.local.communicator;
  while (others != nullptr && others->computes_elsewhere() && !event.has_ended()) {
    for (Staging& each : state_.staging) {
      auto message_ended = others->has_ended(each.message);
      if (!message_ended) return tl::unexpected(message_ended.error());
      if (!*message_ended) break;  // whoever looks for one moves all
    }
  }
  return event.wait();
}

/// Waits for the first of the steps that are in flight.
Result<void> PlacedExecutable::Run::note_ended() {
  for (const Running& each : given_.front()) {
    const auto times = ended(each.event);
    if (!times) return tl::unexpected(times.error());
    if (each.event.command() != nullptr) note(each, *times);
  }
  given_.erase(given_.begin());
  return {};
}

/// Halos are copies, whichever way they go.
PlacedExecutable::Run::Running PlacedExecutable::Run::running(const PlacedNode& node,
                                                              runtime::Event event) const {
  using enum TraceRecord::Kind;
  TraceRecord record;
  record.partition = node.place;
  record.step = step_;
  const auto moves = [&](TraceRecord::Kind kind, const PlacedNode::Range& range, std::size_t queue) {
    record.kind = kind;
    record.queue = queue;
    record.bytes = range.rows.total();
    if (is_traced_) record.name = plan_.launch.arrays[range.array].name;
  };
  std::visit(Overloaded{[&](const PlacedNode::Upload& each) { moves(Upload, each.to, 0); },
                        [&](const PlacedNode::Download& each) { moves(Download, each.from, 0); },
                        [&](const PlacedNode::Send& each) { moves(Copy, each.from, 1); },
                        [&](const PlacedNode::Receive& each) { moves(Copy, each.to, 1); },
                        [&](const TaskLaunch& each) {
                          record.kind = Launch;
                          if (is_traced_) record.name = plan_.launch.kernels[each.kernel].name;
                        },
                        [&](const PlacedNode::Step&) {
                          record.kind = Host;
                          if (is_traced_) record.name = "step";
                        }},
             node.work);
  return {std::move(record), std::move(event)};
}

void PlacedExecutable::Run::note(const Running& running, const runtime::Times& times) {
  using enum TraceRecord::Kind;
  TraceRecord record = running.record;
  record.start = times.start - start_;
  record.end = times.end - start_;
  if (record.kind == Launch) times_.kernels[record.partition - state_.local.first] += times.seconds();
  if (record.kind == Upload) times_.uploaded = std::max(times_.uploaded, record.end);
  if (record.kind == Launch || record.kind == Host) times_.computed = std::max(times_.computed, record.end);
  if (is_traced_) times_.records.push_back(std::move(record));
}

/// Waits for all that was given, whatever became of it.
Result<void> PlacedExecutable::Run::finish() {
  Result<void> result;
  for (Place& place : state_.places) {
    for (const auto* queue : {&place.queue, &place.transfers}) {
      if (auto finished = (*queue)->finish(); !finished && result) result = std::move(finished);
    }
  }
  return result;
}

Result<PlacedTimes> PlacedExecutable::Run::run() {
  if (auto prepared = prepare(); !prepared) return tl::unexpected(prepared.error());
  if (state_.local.communicator != nullptr) {
    state_.local.communicator->set_computes_elsewhere(std::ranges::all_of(
        state_.places,
        [](const auto& each) { return each.device->info().machine.processor == target::Processor::Gpu; }));
  }
  start_ = runtime::host_seconds();
  auto given = give_steps();
  // What was sent is used again, and freed, when nobody reads it any more.
  if (given) given = end_sends();
  auto finished = finish();
  if (!given) return tl::unexpected(given.error());
  if (!finished) return tl::unexpected(finished.error());
  while (!given_.empty()) {
    if (auto noted = note_ended(); !noted) return tl::unexpected(noted.error());
  }
  times_.wall = runtime::host_seconds() - start_;
  for (Place& place : state_.places) {
    if (!plan_.launch.faults) break;
    if (auto checked = state_.plan_run(place).check_faults(); !checked)
      return tl::unexpected(checked.error());
  }
  return std::move(times_);
}

Result<PlacedTimes> PlacedExecutable::run(const InputReader& inputs, const OutputMemory& outputs,
                                          bool is_traced) {
  for (State::Staging& each : state_->staging) each.is_given = false;
  return Run(*state_, inputs, outputs, is_traced).run();
}

}  // namespace hoist::execute
