#include <algorithm>
#include <map>
#include <unordered_map>

#include "loop/traverse.hpp"
#include "tune/compile.hpp"

namespace hoist::tune {

using loop::BufferPtr;

struct Executable::State {
  runtime::Device* device = nullptr;
  loop::Plan plan;
  std::vector<Tensor> output_leaves;
  std::unique_ptr<runtime::Program> program;
  std::vector<std::unique_ptr<runtime::Kernel>> kernels;
  std::vector<runtime::Range> ranges;
  std::vector<std::unique_ptr<runtime::Buffer>> memory;
  std::unordered_map<const loop::Buffer*, std::size_t> place;  ///< of a plan's buffer: index into `memory`
  std::unordered_map<const loop::Variable*, ScalarValue> scalars;
  std::vector<std::vector<std::size_t>> leaf_counts;
  /// Buffers that the current run has exchanged by RepeatSteps; emptied before each run.
  std::unordered_map<const loop::Buffer*, std::size_t> swapped;

  std::size_t place_of(const loop::Buffer* buffer) const {
    auto now = swapped.find(buffer);
    return now != swapped.end() ? now->second : place.at(buffer);
  }
  Result<void> run_steps(const std::vector<loop::PlanStep>& steps, RunTimes& times);
};

namespace {

Result<std::size_t> bytes_of(const loop::Buffer& buffer) {
  auto scalars = buffer.scalars.constant();
  if (!scalars) {
    return user_error("the size of " + buffer.name + " is not known: " + arith::to_string(buffer.scalars), {},
                      "give all sizes on the command line (NAME=SIZE)");
  }
  return static_cast<std::size_t>(*scalars) * size_of(buffer.type.scalar);
}

/// Local memory of a kernel against the device's: some drivers do not count arrays declared in a kernel, and crash.
Result<void> check_local_memory(const loop::Kernel& kernel, const runtime::DeviceInfo& device) {
  std::size_t total = 0;
  std::optional<Error> failure;
  loop::for_each_statement(kernel.body, [&](const loop::Statement& statement) {
    auto* allocate = std::get_if<loop::Allocate>(&statement.node);
    if (!allocate || allocate->buffer->space != loop::AddressSpace::Local) return;
    auto bytes = bytes_of(*allocate->buffer);
    if (bytes) {
      total += *bytes;
    } else if (!failure) {
      failure = bytes.error();
    }
  });
  if (failure) return tl::unexpected(*failure);
  if (total <= device.local_memory) return {};
  return device_error("the kernel " + kernel.name + " needs " + std::to_string(total) + " bytes of local memory, but " +
                          device.id + " (" + device.name + ") has " + std::to_string(device.local_memory),
                      {}, "use smaller tiles");
}

/// Whether any array, variable or value of the plan is double precision.
bool uses_f64(const loop::Plan& plan) {
  bool found = false;
  auto see = [&](const loop::ValueType& type) { found = found || type.scalar == Scalar::F64; };
  for (const auto* buffers : {&plan.outputs, &plan.temporaries}) {
    for (const BufferPtr& buffer : *buffers) see(buffer->type);
  }
  for (const loop::PlanInput& input : plan.inputs) {
    if (auto* buffer = std::get_if<BufferPtr>(&input)) {
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

/// First and last step (in launch order) that touches each temporary: those whose lives do not meet share memory.
struct Life {
  std::size_t first = SIZE_MAX, last = 0;
  void touch(std::size_t step) {
    first = std::min(first, step);
    last = std::max(last, step);
  }
};

void collect_lives(const loop::Plan& plan, const std::vector<loop::PlanStep>& steps, std::size_t& clock,
                   std::unordered_map<const loop::Buffer*, Life>& lives) {
  for (const loop::PlanStep& step : steps) {
    if (auto* launch = std::get_if<loop::LaunchStep>(&step.node)) {
      for (const loop::KernelParameter& parameter : plan.kernels[launch->kernel].parameters) {
        if (auto* buffer = std::get_if<loop::BufferParameter>(&parameter)) lives[buffer->buffer.get()].touch(clock);
      }
    } else if (auto* copy = std::get_if<loop::CopyStep>(&step.node)) {
      lives[copy->from.get()].touch(clock);
      lives[copy->to.get()].touch(clock);
    } else {
      // What a repeated body touches lives through all of its rounds.
      auto& repeat = std::get<loop::RepeatStep>(step.node);
      std::unordered_map<const loop::Buffer*, Life> inside;
      std::size_t begin = clock;
      collect_lives(plan, repeat.body, clock, inside);
      for (const BufferPtr& each : {repeat.swap_first, repeat.swap_second}) {
        if (each) inside[each.get()].touch(begin);
      }
      for (auto& [buffer, life] : inside) {
        lives[buffer].touch(begin);
        lives[buffer].touch(clock);
      }
    }
    ++clock;
  }
}

}  // namespace

Executable::Executable(std::unique_ptr<State> state) : state_(std::move(state)) {}
Executable::Executable(Executable&&) noexcept = default;
Executable& Executable::operator=(Executable&&) noexcept = default;
Executable::~Executable() = default;

double Executable::build_seconds() const { return state_->program->facts().seconds; }

std::vector<std::optional<runtime::KernelFacts>> Executable::kernel_facts() const {
  std::vector<std::optional<runtime::KernelFacts>> facts;
  for (std::size_t k = 0; k < state_->kernels.size(); ++k) {
    const auto& local = state_->ranges[k].local;
    facts.push_back(state_->kernels[k]->facts(local[0] * local[1] * local[2]));
  }
  return facts;
}

Result<Executable> Executable::prepare(runtime::Device& device, const Compiled& compiled) {
  auto state = std::make_unique<State>();
  state->device = &device;
  state->plan = compiled.plan;
  const loop::Plan& plan = state->plan;
  for (const loop::Assumption& assumption : plan.assumptions) {
    if (arith::holds(assumption.predicate) == arith::Truth::No) return user_error(assumption.message);
  }
  auto leaves = empty_leaves(compiled.low.result());
  if (!leaves) return tl::unexpected(leaves.error());
  state->output_leaves = std::move(*leaves);

  // Memory first: a program that cannot fit should not cost a build.
  const runtime::DeviceInfo& info = device.info();
  for (const loop::Kernel& kernel : plan.kernels) {
    if (auto checked = check_local_memory(kernel, info); !checked) return tl::unexpected(checked.error());
  }
  if (!info.has_f64 && uses_f64(plan)) {
    return device_error("the program computes with f64, which " + info.id + " (" + info.name + ") does not have", {},
                        "use f32, or another device");
  }
  std::size_t total = 0;
  std::vector<std::pair<const loop::Buffer*, std::size_t>> fixed;
  auto want = [&](const BufferPtr& buffer) -> Result<std::size_t> {
    auto bytes = bytes_of(*buffer);
    if (!bytes) return bytes;
    if (info.largest_buffer > 0 && *bytes > info.largest_buffer) {
      return device_error(buffer->name + " needs " + std::to_string(*bytes) + " bytes, but " + info.id + " (" + info.name +
                              ") allows at most " + std::to_string(info.largest_buffer) + " bytes in one buffer",
                          {}, "use smaller sizes, or a device with more memory");
    }
    return bytes;
  };
  for (const loop::PlanInput& input : plan.inputs) {
    if (auto* buffer = std::get_if<BufferPtr>(&input)) {
      auto bytes = want(*buffer);
      if (!bytes) return tl::unexpected(bytes.error());
      fixed.emplace_back(buffer->get(), *bytes);
      total += *bytes;
    }
  }
  for (const BufferPtr& buffer : plan.outputs) {
    auto bytes = want(buffer);
    if (!bytes) return tl::unexpected(bytes.error());
    fixed.emplace_back(buffer.get(), *bytes);
    total += *bytes;
  }
  // Temporaries: each takes the smallest free slot that is large enough, or a new one.
  struct Slot {
    std::size_t bytes, busy_until;
  };
  std::unordered_map<const loop::Buffer*, Life> lives;
  std::size_t clock = 0;
  collect_lives(plan, plan.steps, clock, lives);
  std::vector<Slot> slots;
  std::vector<std::pair<const loop::Buffer*, std::size_t>> slot_of;
  std::vector<BufferPtr> by_start = plan.temporaries;
  std::stable_sort(by_start.begin(), by_start.end(), [&](const BufferPtr& a, const BufferPtr& b) {
    return lives[a.get()].first < lives[b.get()].first;
  });
  for (const BufferPtr& buffer : by_start) {
    Life life = lives[buffer.get()];
    if (life.first == SIZE_MAX) continue;  // nothing uses it
    if (buffer->name == lower::fault_flag) life = {0, SIZE_MAX};  // looked at when all is done
    auto bytes = want(buffer);
    if (!bytes) return tl::unexpected(bytes.error());
    std::size_t best = slots.size();
    for (std::size_t s = 0; s < slots.size(); ++s) {
      bool fits = slots[s].busy_until < life.first && slots[s].bytes >= *bytes;
      if (fits && (best == slots.size() || slots[s].bytes < slots[best].bytes)) best = s;
    }
    if (best == slots.size()) {
      slots.push_back({*bytes, 0});
      total += *bytes;
    }
    slots[best].busy_until = life.last;
    slot_of.emplace_back(buffer.get(), best);
  }
  if (info.global_memory > 0 && total > info.global_memory) {
    return device_error("the program needs " + std::to_string(total) + " bytes for its arrays, but " + info.id + " (" +
                            info.name + ") has " + std::to_string(info.global_memory),
                        {}, "use smaller sizes, or a device with more memory");
  }
  auto allocate = [&](std::size_t bytes) -> Result<std::size_t> {
    auto buffer = device.allocate(bytes);
    if (!buffer) return tl::unexpected(buffer.error());
    state->memory.push_back(std::move(*buffer));
    return state->memory.size() - 1;
  };
  for (auto& [buffer, bytes] : fixed) {
    auto index = allocate(bytes);
    if (!index) return tl::unexpected(index.error());
    state->place.emplace(buffer, *index);
  }
  std::size_t first_slot = state->memory.size();
  for (const Slot& slot : slots) {
    auto index = allocate(slot.bytes);
    if (!index) return tl::unexpected(index.error());
  }
  for (auto& [buffer, slot] : slot_of) state->place.emplace(buffer, first_slot + slot);

  for (const loop::Kernel& kernel : plan.kernels) {
    runtime::Range range;
    for (std::size_t d = 0; d < 3; ++d) {
      auto global = kernel.launch.global[d].constant(), local = kernel.launch.local[d].constant();
      if (!global || !local) {
        return user_error("the launch of " + kernel.name + " depends on sizes that are not given: " +
                              arith::to_string(kernel.launch.global[d]),
                          {}, "give all sizes on the command line (NAME=SIZE)");
      }
      range.global[d] = static_cast<std::size_t>(*global);
      range.local[d] = static_cast<std::size_t>(*local);
    }
    state->ranges.push_back(range);
  }
  auto program = device.build(compiled.source);
  if (!program) return tl::unexpected(program.error());
  state->program = std::move(*program);
  for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
    auto built = state->program->kernel(plan.kernels[k].name, compiled.dynamic_local_memory.at(k));
    if (!built) return tl::unexpected(built.error());
    state->kernels.push_back(std::move(*built));
  }
  return Executable(std::move(state));
}

Result<void> Executable::write_inputs(const std::vector<Data>& inputs) {
  std::size_t next = 0;
  for (const Data& data : inputs) {
    for (const Tensor& tensor : data) {
      if (next >= state_->plan.inputs.size()) return user_error("more inputs than the program has parameters");
      const loop::PlanInput& input = state_->plan.inputs[next++];
      if (auto* scalar = std::get_if<loop::ScalarInput>(&input)) {
        state_->scalars[scalar->variable.get()] = load_scalar(tensor.bytes.data(), tensor.scalar, 0);
        continue;
      }
      runtime::Buffer& buffer = *state_->memory[state_->place.at(std::get<BufferPtr>(input).get())];
      if (buffer.bytes() < tensor.bytes.size()) throw Bug("an input is larger than its buffer");
      if (auto written = state_->device->write(buffer, tensor.bytes); !written) return written;
    }
  }
  if (next != state_->plan.inputs.size()) return user_error("fewer inputs than the program has parameters");
  return {};
}

Result<void> Executable::poison() {
  // 0xA5 bytes: floats far from any result, integers that no program computes by chance.
  std::unordered_map<std::size_t, bool> is_input;
  for (const loop::PlanInput& input : state_->plan.inputs) {
    if (auto* buffer = std::get_if<BufferPtr>(&input)) is_input[state_->place.at(buffer->get())] = true;
  }
  for (std::size_t i = 0; i < state_->memory.size(); ++i) {
    if (is_input[i]) continue;
    if (auto filled = state_->device->fill(*state_->memory[i], 0xA5); !filled) return filled;
  }
  return {};
}

Result<void> Executable::State::run_steps(const std::vector<loop::PlanStep>& steps, RunTimes& times) {
  for (const loop::PlanStep& step : steps) {
    if (auto* launch = std::get_if<loop::LaunchStep>(&step.node)) {
      const loop::Kernel& kernel = plan.kernels[launch->kernel];
      std::vector<runtime::Argument> arguments;
      for (const loop::KernelParameter& parameter : kernel.parameters) {
        if (auto* buffer = std::get_if<loop::BufferParameter>(&parameter)) {
          arguments.emplace_back(memory[place_of(buffer->buffer.get())].get());
        } else if (auto* scalar = std::get_if<loop::ScalarParameter>(&parameter)) {
          arguments.emplace_back(scalars.at(scalar->variable.get()));
        } else {
          throw Bug("a size is still a parameter of a kernel that runs");
        }
      }
      auto seconds = device->launch(*kernels[launch->kernel], arguments, ranges[launch->kernel]);
      if (!seconds) return tl::unexpected(seconds.error());
      times.kernels += *seconds;
      times.each_kernel.push_back(*seconds);
    } else if (auto* copy = std::get_if<loop::CopyStep>(&step.node)) {
      auto bytes = bytes_of(*copy->to);
      if (!bytes) return tl::unexpected(bytes.error());
      auto copied = device->copy(*memory[place_of(copy->from.get())], *memory[place_of(copy->to.get())], *bytes);
      if (!copied) return copied;
    } else {
      auto& repeat = std::get<loop::RepeatStep>(step.node);
      auto count = repeat.count.constant();
      if (!count) return user_error("the number of iterations is not known: " + arith::to_string(repeat.count));
      for (std::int64_t i = 0; i < *count; ++i) {
        if (auto ran = run_steps(repeat.body, times); !ran) return ran;
        if (repeat.swap_first) {
          std::size_t first = place_of(repeat.swap_first.get()), second = place_of(repeat.swap_second.get());
          swapped[repeat.swap_first.get()] = second;
          swapped[repeat.swap_second.get()] = first;
        }
      }
    }
  }
  return {};
}

Result<RunTimes> Executable::run() {
  RunTimes times;
  state_->swapped.clear();
  runtime::Buffer* faults = nullptr;
  for (const BufferPtr& buffer : state_->plan.temporaries) {
    if (buffer->name == lower::fault_flag) faults = state_->memory[state_->place.at(buffer.get())].get();
  }
  if (faults) {
    if (auto cleared = state_->device->fill(*faults, 0); !cleared) return tl::unexpected(cleared.error());
  }
  if (auto ran = state_->run_steps(state_->plan.steps, times); !ran) return tl::unexpected(ran.error());
  if (faults) {
    std::int32_t flag = 0;
    if (auto read = state_->device->read(*faults, std::as_writable_bytes(std::span(&flag, 1))); !read) {
      return tl::unexpected(read.error());
    }
    if (flag != 0) {
      return user_error("an index was outside its array while " + state_->plan.name + " ran",
                        "the program reads an element by a number that it computed or was given",
                        "`hoist eval` with the same inputs says which index of which array");
    }
  }
  return times;
}

Result<Data> Executable::read_outputs() {
  Data result = state_->output_leaves;
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i].bytes.resize(static_cast<std::size_t>(result[i].elements()) * size_of(result[i].scalar));
    const runtime::Buffer& buffer = *state_->memory[state_->place_of(state_->plan.outputs[i].get())];
    if (auto read = state_->device->read(buffer, result[i].bytes); !read) return tl::unexpected(read.error());
  }
  return result;
}

}  // namespace hoist::tune
