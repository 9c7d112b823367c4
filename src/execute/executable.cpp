// Runs a launch plan on a device. The plan is a graph of tasks in a topological order, for example
//
//   upload x;  launch kernel0 (x -> tmp);  launch kernel1 (tmp -> y);  download y
//
// This file allocates the plan's memory, builds its kernels, and carries out the tasks one after the other:
// each ends before the next begins.
//
// Read `Executable::prepare` first. It refuses what does not fit the device (`check_fits`) before it builds
// anything. `Executable::run` is one run: `place_arrays` says in which buffer each array lies, `run_tasks`
// carries out the tasks (plan_run.hpp does what is no transfer), and the fault flag, which kernels raise
// where the program has no result, is cleared before and looked at after. `Executable::start` gives the same
// tasks to a queue and returns: runs that use the executable's own memory are ordered one behind the other,
// and whatever else uses the executable waits for them (started_work.hpp). Double buffering saves copies in
// two places: a `Repeat` lets two arrays exchange their buffers after each round (`places`), and `run_steps`
// writes to two sets of outputs in turn, so that a step can read the result of the one before.
//
// `poison` and `overrun` are for those who check kernels: the one fills memory so that an element that
// nobody wrote is seen, the other finds writes behind the end of an array (guard_zone.hpp).
#include "execute/executable.hpp"

#include <algorithm>
#include <numeric>

#include "base/overloaded.hpp"
#include "execute/guard_zone.hpp"
#include "execute/launch_plan.hpp"
#include "execute/plan_run.hpp"
#include "execute/started_work.hpp"
#include "loop/local_memory.hpp"
#include "loop/traverse.hpp"
#include "runtime/limits.hpp"

namespace hoist::execute {

struct Executable::State {
  runtime::Device* device = nullptr;
  bool has_guard_zones = false;
  LaunchPlan plan;
  std::vector<Tensor> output_leaves;
  std::shared_ptr<runtime::Program> program;
  std::vector<std::unique_ptr<runtime::Kernel>> kernels;
  /// A buffer for each entry of the plan's memory; it is allocated when it is first needed.
  std::vector<std::unique_ptr<runtime::Buffer>> memory;
  std::vector<ScalarValue> scalars;
  /// run_steps writes to these and to the outputs in turn.
  std::vector<std::unique_ptr<runtime::Buffer>> other_outputs;
  /// The buffer in which each array of the plan lies at this moment of the current run.
  std::vector<runtime::Buffer*> places;
  bool can_start = false;
  std::shared_ptr<const std::string> name;
  StartedWork started;  ///< goes first: it uses the kernels and the memory

  Result<runtime::Buffer*> memory_of(std::size_t array) {
    const std::size_t index = plan.arrays[array].memory;
    if (!memory[index]) {
      auto buffer = has_guard_zones ? allocate_guarded(*device, plan.memory[index])
                                    : device->allocate(plan.memory[index]);
      if (!buffer) return tl::unexpected(buffer.error());
      memory[index] = std::move(*buffer);
    }
    return memory[index].get();
  }
  Result<void> place_arrays(const Bound& bound);
  Result<void> write_numbers(const Transfers& transfers);
  Result<void> write_input(std::size_t leaf, std::span<const std::byte> bytes);
  /// Makes host memory for each flattened output.
  Data empty_outputs() const;
  Result<void> upload(std::size_t input, std::span<const std::byte> bytes, runtime::Buffer* to);

  PlanRun plan_run() { return {*device, plan, kernels, scalars, places}; }
  Result<void> run_tasks(const PlanRun& run, const Transfers& transfers, RunTimes& times);
  Result<void> upload(const LaunchPlan::Upload& upload, const Transfers& transfers);
  Result<void> download(const LaunchPlan::Download& download, const Transfers& transfers);
};

namespace {

/// Refuses a kernel that needs more local memory than the device has. Drivers cannot be relied on for it:
/// some do not count arrays that a kernel declares, and crash.
Result<void> check_local_memory(const loop::Kernel& kernel, const target::Target& device) {
  for (const loop::Buffer* array : loop::local_arrays(kernel)) {
    if (loop::bytes_of(*array)) continue;
    return user_error("the size of " + array->name + " is not known: " + arith::to_string(array->scalars), {},
                      "give all sizes on the command line (NAME=SIZE)");
  }
  const std::size_t total = loop::local_bytes(kernel);
  if (total <= device.local_memory) return {};
  return device_error("the kernel " + kernel.name + " needs " + std::to_string(total) +
                          " bytes of local memory, but " + device.id + " (" + device.name + ") has " +
                          std::to_string(device.local_memory),
                      {}, "use smaller tiles");
}

/// Whether any array, variable or value of the plan is double precision.
bool uses_f64(const loop::Plan& plan) {
  bool found = false;
  auto see = [&](const loop::ValueType& type) { found = found || type.scalar == Scalar::F64; };
  for (const auto* buffers : {&plan.outputs, &plan.temporaries}) {
    for (const loop::BufferPtr& buffer : *buffers) see(buffer->type);
  }
  for (const loop::PlanInput& input : plan.inputs) {
    if (auto* buffer = std::get_if<loop::BufferPtr>(&input)) {
      see((*buffer)->type);
    } else {
      see(std::get<loop::ScalarInput>(input).variable->type);
    }
  }
  for (const loop::Kernel& kernel : plan.kernels) {
    loop::for_each_value(kernel.body, [&](const loop::ValuePtr& value) { see(value->type); });
  }
  return found;
}

Result<void> check_images(const LaunchPlan& plan, const target::Target& info) {
  for (const LaunchPlan::Kernel& kernel : plan.kernels) {
    for (const LaunchPlan::Parameter& parameter : kernel.parameters) {
      if (!parameter.image) continue;
      const runtime::ImageArgument& image = *parameter.image;
      const auto [width, height] = info.largest_image;
      const bool is_small = info.most_pixels == 0 || image.width * image.height <= info.most_pixels;
      if (image.width <= width && image.height <= height && is_small) continue;
      const std::string limit = is_small ? fmt::format("{} x {}", width, height)
                                         : fmt::format("{} pixels in all", info.most_pixels);
      return device_error(fmt::format("{} is an image of {} x {} pixels, but {} ({}) allows at most {}",
                                      plan.arrays[parameter.index].name, image.width, image.height, info.id,
                                      info.name, limit),
                          {}, "use smaller sizes, or --without images");
    }
  }
  return {};
}

std::optional<std::string> lack_of_memory(const LaunchPlan& plan, const target::Target& info,
                                          std::size_t memory) {
  const std::string device = info.id + " (" + info.name + ")";
  const std::size_t all = std::accumulate(plan.memory.begin(), plan.memory.end(), std::size_t{0});
  if (memory > 0 && all > memory)
    return fmt::format("its arrays need {} of memory, and {} has {}", runtime::bytes_text(all), device,
                       runtime::bytes_text(memory));
  const auto largest = std::ranges::max_element(plan.arrays, {}, &LaunchPlan::Array::bytes);
  if (info.largest_buffer > 0 && largest != plan.arrays.end() && largest->bytes() > info.largest_buffer)
    return fmt::format("{} needs {} of memory, and {} allows at most {} in one buffer", largest->name,
                       runtime::bytes_text(largest->bytes()), device,
                       runtime::bytes_text(info.largest_buffer));
  return std::nullopt;
}

Result<void> check_memory(const LaunchPlan& plan, const target::Target& info) {
  const auto lack = lack_of_memory(plan, info, info.global_memory);
  if (!lack) return {};
  return device_error("the program does not fit as a whole: " + *lack, {},
                      "run it in tasks (--streams auto), or use smaller sizes");
}

}  // namespace

std::optional<std::string> lack_of_memory(const driver::Compiled& compiled, const target::Target& device,
                                          std::size_t memory) {
  const auto plan = launch_plan(compiled.plan);
  return plan ? lack_of_memory(*plan, device, memory) : std::nullopt;
}

Executable::Executable(std::unique_ptr<State> state) : state_(std::move(state)) {}
Executable::Executable(Executable&&) noexcept = default;
Executable& Executable::operator=(Executable&&) noexcept = default;
Executable::~Executable() = default;

double Executable::build_seconds() const { return state_->program->facts().seconds; }
const LaunchPlan& Executable::plan() const { return state_->plan; }
const std::shared_ptr<runtime::Program>& Executable::program() const { return state_->program; }

std::vector<std::optional<runtime::KernelFacts>> Executable::kernel_facts() const {
  std::vector<std::optional<runtime::KernelFacts>> facts;
  for (std::size_t k = 0; k < state_->kernels.size(); ++k) {
    const auto& local = state_->plan.kernels[k].range.local;
    facts.push_back(state_->kernels[k]->facts(local[0] * local[1] * local[2]));
  }
  return facts;
}

Result<void> check_kernels_fit(const driver::Compiled& compiled, const target::Target& device) {
  for (const loop::Kernel& kernel : compiled.plan.kernels) {
    if (auto checked = check_local_memory(kernel, device); !checked) return checked;
  }
  if (!device.has_f64 && uses_f64(compiled.plan)) {
    return device_error(
        "the program computes with f64, which " + device.id + " (" + device.name + ") does not have", {},
        "use f32, or another device");
  }
  return {};
}

Result<void> check_fits(const driver::Compiled& compiled, const target::Target& device) {
  if (auto checked = check_kernels_fit(compiled, device); !checked) return checked;
  const auto plan = launch_plan(compiled.plan);
  if (!plan) return tl::unexpected(plan.error());
  if (auto checked = check_memory(*plan, device); !checked) return checked;
  return check_images(*plan, device);
}

Result<std::unique_ptr<runtime::Program>> load_or_build(runtime::Device& device, const std::string& source,
                                                        const std::string& binary) {
  if (!binary.empty()) {
    if (auto loaded = device.load(binary)) return loaded;
  }
  return device.build(source);
}

Result<Executable> Executable::prepare(runtime::Device& device, const driver::Compiled& compiled,
                                       const PrepareOptions& options) {
  auto state = std::make_unique<State>();
  state->device = &device;
  state->has_guard_zones = options.has_guard_zones;
  auto plan = launch_plan(compiled.plan);
  if (!plan) return tl::unexpected(plan.error());
  state->plan = std::move(*plan);
  auto leaves = driver::empty_leaves(compiled.low.result());
  if (!leaves) return tl::unexpected(leaves.error());
  state->output_leaves = std::move(*leaves);
  for (const LaunchPlan::ScalarInput& scalar : state->plan.scalars) {
    state->scalars.push_back(ScalarValue::of_integer(scalar.type, 0));
  }
  // A program that cannot fit should not cost a build.
  if (auto checked = check_fits(compiled, device.info()); !checked) return tl::unexpected(checked.error());
  state->memory.resize(state->plan.memory.size());
  state->name = std::make_shared<const std::string>(state->plan.name);
  // Images are objects of the driver that go with the caller's buffers, perhaps before a run has ended.
  const auto has_image = [](const LaunchPlan::Kernel& kernel) {
    return std::ranges::any_of(kernel.parameters, [](const auto& each) { return each.image.has_value(); });
  };
  state->can_start = !state->plan.faults && !PlanRun::needs_host(state->plan.tasks) &&
                     std::ranges::none_of(state->plan.kernels, has_image);
  state->program = options.program;
  if (!state->program) {
    auto program = load_or_build(device, compiled.source, options.binary);
    if (!program) return tl::unexpected(program.error());
    state->program = std::move(*program);
  }
  for (std::size_t k = 0; k < state->plan.kernels.size(); ++k) {
    auto built = state->program->kernel(state->plan.kernels[k].name, compiled.dynamic_local_memory.at(k));
    if (!built) return tl::unexpected(built.error());
    state->kernels.push_back(std::move(*built));
  }
  return Executable(std::move(state));
}

Result<void> Executable::State::upload(std::size_t input, std::span<const std::byte> bytes,
                                       runtime::Buffer* to) {
  if (bytes.size() != plan.arrays[plan.inputs[input].index].bytes())
    throw Bug("an input is not as large as its array");
  return device->write(*to, bytes);
}

Result<void> Executable::State::write_input(std::size_t leaf, std::span<const std::byte> bytes) {
  const LaunchPlan::Input& input = plan.inputs.at(leaf);
  if (!input.is_array) {
    const Scalar type = plan.scalars[input.index].type;
    if (bytes.size() != size_of(type)) throw Bug("an input is not as large as its type");
    scalars[input.index] = load_scalar(bytes.data(), type, 0);
    return {};
  }
  if (auto settled = started.wait(); !settled) return settled;
  auto buffer = memory_of(input.index);
  if (!buffer) return tl::unexpected(buffer.error());
  return upload(leaf, bytes, *buffer);
}

Result<void> Executable::write_input(std::size_t leaf, std::span<const std::byte> bytes) {
  return state_->write_input(leaf, bytes);
}

Result<void> Executable::write_inputs(const std::vector<Data>& inputs) {
  std::size_t next = 0;
  for (const Data& data : inputs) {
    for (const Tensor& tensor : data) {
      if (next >= state_->plan.inputs.size())
        return user_error("more inputs than the program has parameters");
      if (auto written = write_input(next++, tensor.bytes); !written) return written;
    }
  }
  if (next != state_->plan.inputs.size()) return user_error("fewer inputs than the program has parameters");
  return {};
}

Result<void> Executable::poison(const Bound& bound) {
  if (auto settled = state_->started.wait(); !settled) return settled;
  std::vector<bool> is_input(state_->memory.size()), is_bound(state_->plan.arrays.size());
  for (const LaunchPlan::Input& input : state_->plan.inputs) {
    if (input.is_array) is_input[state_->plan.arrays[input.index].memory] = true;
  }
  for (std::size_t leaf = 0; leaf < state_->plan.outputs.size() && leaf < bound.outputs.size(); ++leaf)
    is_bound[state_->plan.outputs[leaf]] = bound.outputs[leaf] != nullptr;
  for (std::size_t array = 0; array < state_->plan.arrays.size(); ++array) {
    if (is_bound[array] || is_input[state_->plan.arrays[array].memory]) continue;
    auto buffer = state_->memory_of(array);
    if (!buffer) return tl::unexpected(buffer.error());
    if (auto filled = state_->device->fill(**buffer, poison_byte); !filled) return filled;
  }
  return {};
}

/// Decides where each array of the plan lies when a run begins: in the caller's buffer where one is bound,
/// else in the executable's own memory.
Result<void> Executable::State::place_arrays(const Bound& bound) {
  places.assign(plan.arrays.size(), nullptr);
  auto bind = [&](std::size_t array, const std::vector<runtime::Buffer*>& given, std::size_t leaf) {
    if (leaf >= given.size() || !given[leaf]) return;
    if (given[leaf]->bytes() < plan.arrays[array].bytes())
      throw Bug("a bound buffer is smaller than its array");
    places[array] = given[leaf];
  };
  for (std::size_t leaf = 0; leaf < plan.inputs.size(); ++leaf) {
    if (plan.inputs[leaf].is_array) bind(plan.inputs[leaf].index, bound.inputs, leaf);
  }
  for (std::size_t leaf = 0; leaf < plan.outputs.size(); ++leaf)
    bind(plan.outputs[leaf], bound.outputs, leaf);
  for (std::size_t array = 0; array < places.size(); ++array) {
    if (places[array]) continue;
    auto buffer = memory_of(array);
    if (!buffer) return tl::unexpected(buffer.error());
    places[array] = *buffer;
  }
  return {};
}

/// Tasks are listed in an order in which they may run, and each ends, or is given, before the next begins.
Result<void> Executable::State::run_tasks(const PlanRun& run, const Transfers& transfers, RunTimes& times) {
  for (const LaunchPlan::Task& task : plan.tasks) {
    auto ran =
        std::visit(Overloaded{[&](const LaunchPlan::Upload& each) { return upload(each, transfers); },
                              [&](const LaunchPlan::Download& each) { return download(each, transfers); },
                              [&](const auto& each) { return run.run(each, times); }},
                   task.node);
    if (!ran) return ran;
  }
  return {};
}

Result<void> Executable::State::upload(const LaunchPlan::Upload& upload, const Transfers& transfers) {
  const auto& inputs = transfers.inputs;
  if (upload.input >= inputs.size() || inputs[upload.input].empty()) return {};
  return this->upload(upload.input, inputs[upload.input], places[plan.inputs[upload.input].index]);
}

Result<void> Executable::State::download(const LaunchPlan::Download& download, const Transfers& transfers) {
  const auto& outputs = transfers.outputs;
  if (download.output >= outputs.size() || outputs[download.output].empty()) return {};
  return device->read(*places[plan.outputs[download.output]], outputs[download.output]);
}

/// Numbers are arguments of kernels, which no task copies.
Result<void> Executable::State::write_numbers(const Transfers& transfers) {
  for (std::size_t leaf = 0; leaf < transfers.inputs.size(); ++leaf) {
    if (plan.inputs.at(leaf).is_array || transfers.inputs[leaf].empty()) continue;
    if (auto written = write_input(leaf, transfers.inputs[leaf]); !written) return written;
  }
  return {};
}

bool Executable::can_start() const { return state_->can_start; }
const std::shared_ptr<const std::string>& Executable::name() const { return state_->name; }

Result<runtime::Event> Executable::start(const Bound& bound, const Transfers& transfers,
                                         runtime::Queue& queue, std::vector<runtime::Event> after) {
  if (auto written = state_->write_numbers(transfers); !written) return tl::unexpected(written.error());
  if (auto placed = state_->place_arrays(bound); !placed) return tl::unexpected(placed.error());
  const auto is_own = [&](const runtime::Buffer* place) {
    return std::ranges::any_of(state_->memory, [&](const auto& each) { return each.get() == place; });
  };
  const bool uses_own_memory = std::ranges::any_of(state_->places, is_own);
  if (uses_own_memory) state_->started.append_to(after);
  OnQueue on_queue{queue, std::move(after)};
  PlanRun run = state_->plan_run();
  run.on_queue = &on_queue;
  RunTimes none;
  auto given = state_->run_tasks(run, {}, none);
  // What was given before the failure runs.
  if (uses_own_memory && given) state_->started.clear();
  state_->started.add(on_queue.last, state_->name);
  if (!given) return tl::unexpected(given.error());
  return on_queue.last;
}

Result<RunTimes> Executable::run(const Bound& bound, const Transfers& transfers) {
  if (auto settled = state_->started.wait(); !settled) return tl::unexpected(settled.error());
  if (auto written = state_->write_numbers(transfers); !written) return tl::unexpected(written.error());
  if (auto placed = state_->place_arrays(bound); !placed) return tl::unexpected(placed.error());
  const PlanRun run = state_->plan_run();
  RunTimes times;
  if (auto cleared = run.clear_faults(); !cleared) return tl::unexpected(cleared.error());
  if (auto ran = state_->run_tasks(run, transfers, times); !ran) return tl::unexpected(ran.error());
  if (auto checked = run.check_faults(); !checked) return tl::unexpected(checked.error());
  return times;
}

Result<RunTimes> Executable::run_steps(std::size_t steps, std::size_t fed) {
  std::vector<runtime::Buffer*> outputs, others;
  for (std::size_t leaf = 0; leaf < state_->plan.outputs.size(); ++leaf) {
    const std::size_t array = state_->plan.outputs[leaf];
    auto own = state_->memory_of(array);
    if (!own) return tl::unexpected(own.error());
    outputs.push_back(*own);
    if (state_->other_outputs.size() <= leaf) {
      auto other = state_->device->allocate(state_->plan.arrays[array].bytes());
      if (!other) return tl::unexpected(other.error());
      if (auto filled = state_->device->fill(**other, poison_byte); !filled)
        return tl::unexpected(filled.error());
      state_->other_outputs.push_back(std::move(*other));
    }
    others.push_back(state_->other_outputs[leaf].get());
  }
  RunTimes times;
  Bound bound{{}, steps % 2 == 1 ? outputs : others};
  for (std::size_t step = 0; step < steps; ++step) {
    auto ran = run(bound);
    if (!ran) return ran;
    times.kernels += ran->kernels;
    times.each_kernel.insert(times.each_kernel.end(), ran->each_kernel.begin(), ran->each_kernel.end());
    times.launched.insert(times.launched.end(), ran->launched.begin(), ran->launched.end());
    bound.inputs.resize(fed, nullptr);
    bound.inputs.insert(bound.inputs.end(), bound.outputs.begin(), bound.outputs.end());
    bound.outputs = bound.outputs == outputs ? others : outputs;
  }
  return times;
}

Result<std::string> Executable::overrun() {
  if (!state_->has_guard_zones) return std::string();
  for (const LaunchPlan::Array& array : state_->plan.arrays) {
    const auto& buffer = state_->memory[array.memory];
    if (!buffer) continue;
    auto is_intact = is_zone_intact(*state_->device, *buffer, state_->plan.memory[array.memory]);
    if (!is_intact) return tl::unexpected(is_intact.error());
    if (!*is_intact) return array.name;
  }
  return std::string();
}

Result<void> Executable::read_output(std::size_t leaf, std::span<std::byte> bytes) {
  if (auto settled = state_->started.wait(); !settled) return settled;
  auto buffer = state_->memory_of(state_->plan.outputs.at(leaf));
  if (!buffer) return tl::unexpected(buffer.error());
  return state_->device->read(**buffer, bytes);
}

Data Executable::State::empty_outputs() const {
  Data result = output_leaves;
  for (Tensor& tensor : result) {
    tensor.bytes.resize(static_cast<std::size_t>(tensor.elements()) * size_of(tensor.scalar));
  }
  return result;
}

Result<Data> Executable::run_on(const std::vector<Data>& inputs) {
  Transfers transfers;
  for (const Data& data : inputs) {
    for (const Tensor& tensor : data) transfers.inputs.emplace_back(tensor.bytes);
  }
  if (transfers.inputs.size() != state_->plan.inputs.size())
    return user_error("the number of inputs is not the number of the program's parameters");
  Data result = state_->empty_outputs();
  for (Tensor& tensor : result) transfers.outputs.emplace_back(tensor.bytes);
  if (auto ran = run({}, transfers); !ran) return tl::unexpected(ran.error());
  return result;
}

Result<Data> Executable::read_outputs() {
  Data result = state_->empty_outputs();
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (auto read = read_output(i, result[i].bytes); !read) return tl::unexpected(read.error());
  }
  return result;
}

Result<Data> run_once(runtime::Device& device, const driver::Compiled& compiled,
                      const std::vector<Data>& inputs) {
  auto executable = Executable::prepare(device, compiled);
  if (!executable) return tl::unexpected(executable.error());
  if (auto poisoned = executable->poison(); !poisoned) return tl::unexpected(poisoned.error());
  return executable->run_on(inputs);
}

Result<Data> run_once(runtime::Device& device, const ir::Program& program, const driver::NamedSizes& sizes,
                      const std::vector<Data>& inputs) {
  auto sized = driver::with_sizes(program, sizes);
  if (!sized) return tl::unexpected(sized.error());
  auto compiled = driver::compile(*sized, driver::options_for(device.info()));
  if (!compiled) return tl::unexpected(compiled.error());
  return run_once(device, *compiled, inputs);
}

}  // namespace hoist::execute
