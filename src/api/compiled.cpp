// The part of the C++ interface that runs programs (include/hoist/compiled.hpp): `compile`, `Compiled::run`,
// and `evaluate`, which asks the reference interpreter instead of a device.
//
// Read `compile` first. It reads the program's text again, in an arena of its own, puts the sizes in, takes
// the best kernel that the user's store has for it or else the default mapping (`compiled_best`), and
// prepares an Executable. The CompiledState that stays has numbers, texts and buffers, but no terms.
//
// `Compiled::run` then holds the caller's arrays against the program's (`check_arrays`). Arrays in buffers
// of the device are bound in place of the executable's own. So are arrays in the host's memory where the
// device can use that (`borrow`); elsewhere they are copied. Where HOIST_CAPTURE is set, a run is recorded
// before its results are read (capture/recorder.hpp).
//
// Inside, errors are thrown; `guarded` (access.hpp) turns them into results at the interface.
#include <algorithm>
#include <cstdlib>

#include "api/access.hpp"
#include "api/given.hpp"
#include "capture/recorder.hpp"
#include "driver/inputs.hpp"
#include "driver/verify.hpp"
#include "driver/work.hpp"
#include "execute/executable.hpp"
#include "execute/launch_plan.hpp"
#include "execute/streamed_executable.hpp"
#include "interpret/interpret.hpp"
#include "ir/print.hpp"
#include "tuner/expected_kernel.hpp"
#include "tuner/records.hpp"
#include "tuner/stored_kernel.hpp"
#include "tuner/tuner.hpp"

namespace hoist::api {

struct CompiledState {
  std::shared_ptr<const ProgramState> program;
  std::shared_ptr<DeviceState> device;  ///< the executable must not outlive it
  /// One of both.
  std::optional<execute::Executable> executable;
  std::optional<execute::StreamedExecutable> streamed;
  double build_seconds = 0;
  std::vector<ArrayFacts> inputs, outputs;
  std::vector<KernelFacts> kernels;
  std::string source, mapping;
  std::vector<std::string> notes;
  Work work;
  std::unique_ptr<capture::CaseRecorder> recorder;  ///< null where runs are not captured
};

namespace {

/// Reads the program into the thread's current arena, and puts its sizes in.
ir::Program sized_program(const ProgramState& state, const Sizes& sizes) {
  ir::Program program = need(driver::with_sizes(read(state), {sizes.begin(), sizes.end()}));
  check_sizes_given(program);
  return program;
}

std::vector<ArrayFacts> arrays_of(const std::vector<ArrayType>& names, const std::vector<Tensor>& leaves) {
  std::vector<ArrayFacts> result;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    result.push_back({names[i].name, outer(leaves[i].scalar), leaves[i].shape,
                      static_cast<std::size_t>(leaves[i].elements())});
  }
  return result;
}

std::vector<ArrayFacts> inputs_of(const ProgramState& state, const ir::Program& sized) {
  std::vector<Tensor> leaves;
  for (const ir::ParameterDeclaration& parameter : sized.parameters) {
    for (Tensor& leaf : need(driver::empty_leaves(parameter.type))) leaves.push_back(std::move(leaf));
  }
  return arrays_of(state.inputs, leaves);
}

std::vector<ArrayFacts> outputs_of(const ProgramState& state, const ir::Program& sized) {
  return arrays_of(state.outputs, need(driver::empty_leaves(sized.result())));
}

/// Refuses arrays that differ from the program's in number, element type, shape or length. Errors about an
/// input tell its place in the program's text.
void check_arrays(const ProgramState& state, const char* what, const std::vector<ArrayFacts>& wanted,
                  const auto& given) {
  std::vector<std::string> texts;
  for (const ArrayFacts& each : wanted)
    texts.push_back(each.name + ": " + shape_text(each.scalar, each.shape));
  check_count(what, texts, given.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const ArrayFacts& want = wanted[i];
    const std::string is =
        fmt::format("the {} {} is {}", what, want.name, shape_text(want.scalar, want.shape));
    const auto refuse = [&](const std::string& message) {
      if (what == std::string_view("input")) throw_about(state, want.name, message);
      throw_user(message);
    };
    const std::vector<std::int64_t>& shape = Access::shape(given[i]);
    if (Access::type(given[i]) != want.scalar)
      refuse(fmt::format("{}, but elements of {} were given", is, name_of(Access::type(given[i]))));
    if (!shape.empty() && shape != want.shape)
      refuse(fmt::format("{}, but {} was given", is, shape_text(want.scalar, shape)));
    if (elements_given(given[i]) != want.elements)
      refuse(fmt::format("{}, which has {} element{}, but {} were given", is, want.elements,
                         want.elements == 1 ? "" : "s", elements_given(given[i])));
  }
}

/// Returns a buffer's memory. User error when the buffer is another device's.
runtime::Buffer* memory_on(const DeviceState& device, const std::string& name, const Buffer& buffer) {
  const BufferState& state = Access::state(buffer);
  if (state.device.get() == &device) return state.memory.get();
  throw_user(
      fmt::format("the buffer given for {} is not on the device that the program was compiled for", name),
      fmt::format("it is on {}, the program on {}", state.device->facts.id, device.facts.id),
      "allocate it with the same Device");
}

void check_apart(const execute::Bound& bound) {
  for (std::size_t i = 0; i < bound.outputs.size(); ++i) {
    if (!bound.outputs[i]) continue;
    const auto others = {std::count(bound.inputs.begin(), bound.inputs.end(), bound.outputs[i]),
                         std::count(bound.outputs.begin(), bound.outputs.end(), bound.outputs[i]) - 1};
    if (std::max(others) > 0) {
      throw_user("the same buffer is given for an output and for another argument",
                 "kernels read their inputs while they write their outputs",
                 "use two buffers and exchange them between runs");
    }
  }
}

bool overlap(std::span<const std::byte> a, std::span<const std::byte> b) {
  const auto begin = [](std::span<const std::byte> each) {
    return reinterpret_cast<std::uintptr_t>(each.data());
  };
  return begin(a) < begin(b) + b.size() && begin(b) < begin(a) + a.size();
}

/// Arrays in the host's memory as buffers of the device; null where they are copied.
struct Borrowed {
  std::vector<std::unique_ptr<runtime::Buffer>> inputs, outputs;
};

/// Makes buffers of the caller's arrays where the device uses the host's memory, and binds them. An output in
/// the memory of another array is copied, because kernels read while they write.
Borrowed borrow(const CompiledState& state, const std::vector<Input>& inputs,
                const std::vector<Output>& outputs, execute::Bound& bound) {
  Borrowed borrowed{std::vector<std::unique_ptr<runtime::Buffer>>(inputs.size()),
                    std::vector<std::unique_ptr<runtime::Buffer>>(outputs.size())};
  const execute::LaunchPlan& plan = state.executable->plan();
  const auto buffer_in = [&](std::size_t array, std::span<std::byte> memory) {
    const bool is_aligned =
        reinterpret_cast<std::uintptr_t>(memory.data()) % plan.arrays[array].alignment == 0;
    return is_aligned ? need(state.device->device->buffer_in(memory)) : nullptr;
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (Access::kind(inputs[i]) != Access::InputKind::Host || !plan.inputs[i].is_array) continue;
    const std::span<const std::byte> memory = Access::bytes(inputs[i]);
    // No kernel writes to an input.
    borrowed.inputs[i] =
        buffer_in(plan.inputs[i].index, {const_cast<std::byte*>(memory.data()), memory.size()});  // NOLINT
    bound.inputs[i] = borrowed.inputs[i].get();
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (bound.outputs[i]) continue;
    const std::span<std::byte> memory = Access::bytes(outputs[i]);
    const auto is_elsewhere = [&](const auto& other) { return !overlap(memory, Access::bytes(other)); };
    const auto others = outputs.begin() + static_cast<std::ptrdiff_t>(i);
    const bool is_apart = std::ranges::all_of(inputs, is_elsewhere) &&
                          std::all_of(outputs.begin(), others, is_elsewhere) &&
                          std::all_of(others + 1, outputs.end(), is_elsewhere);
    if (is_apart) borrowed.outputs[i] = buffer_in(plan.outputs[i], memory);
    bound.outputs[i] = borrowed.outputs[i].get();
  }
  return borrowed;
}

/// Compiles the best kernel that the user's store knows, or else the one that the device's model expects to
/// be the fastest, or else the default mapping. The notes name a kernel that is not the default mapping's.
driver::Compiled compiled_best(const ProgramState& state, const Sizes& sizes, const ir::Program& sized,
                               const target::Target& info) {
  std::string trouble;
  auto kernel = tuner::users_kernel(read(state), {sizes.begin(), sizes.end()}, info, &trouble);
  if (!kernel) kernel = tuner::expected_kernel(sized, info).value_or(std::nullopt);
  const lower::Options lowering = driver::options_for(info);
  auto tuned = kernel ? driver::compile(kernel->low, lowering) : user_error("nothing is known");
  driver::Compiled compiled = tuned ? *std::move(tuned) : need(driver::compile(sized, lowering));
  if (tuned) compiled.notes.push_back("the kernel is " + kernel->origin);
  if (!trouble.empty()) compiled.notes.push_back(trouble);
  return compiled;
}

/// Builds what was chosen; where the device's compiler fails on a kernel that only makes the program faster,
/// the default mapping takes its place.
execute::Executable built(runtime::Device& device, driver::Compiled& compiled, const ir::Program& sized) {
  auto executable = execute::Executable::prepare(device, compiled);
  if (executable) return *std::move(executable);
  const hoist::Error& first = executable.error();
  driver::Compiled by_default = need(driver::compile(sized, driver::options_for(device.info())));
  if (by_default.source == compiled.source) throw Failure(first);
  by_default.notes.push_back(
      fmt::format("the kernel that was chosen cannot be built: {}; the default mapping runs in its place",
                  first.diagnostics.front().message));
  compiled = std::move(by_default);
  return need(execute::Executable::prepare(device, compiled));
}

/// Makes a recorder of runs where HOIST_CAPTURE names a directory; null elsewhere.
std::unique_ptr<capture::CaseRecorder> recorder_of(const ProgramState& state, const Sizes& sizes,
                                                   const target::Target& info) {
  const char* directory = std::getenv("HOIST_CAPTURE");
  if (directory == nullptr || *directory == '\0') return nullptr;
  capture::RunFacts facts{.text = state.source.text,
                          .entry = state.entry,
                          .program = state.name,
                          .hash = tuner::stored_program(read(state)).hash,
                          .sizes = {sizes.begin(), sizes.end()},
                          .device = info.id,
                          .device_name = info.name,
                          .language = info.language,
                          .inputs = {}};
  for (const ArrayType& input : state.inputs) facts.inputs.push_back(input.name);
  return std::make_unique<capture::CaseRecorder>(directory, std::move(facts));
}

/// Copies what a run was given as input `i`.
hoist::Result<Tensor> tensor_given(const CompiledState& state, std::size_t i, const Input& input) {
  Tensor tensor{inner(state.inputs[i].scalar), state.inputs[i].shape, {}};
  if (const auto& buffer = Access::buffer(input)) {
    tensor.bytes.resize(state.inputs[i].elements * hoist::size_of(tensor.scalar));
    const auto read = state.device->device->read(*Access::state(*buffer).memory, tensor.bytes);
    if (!read) return tl::unexpected(read.error());
  } else {
    const std::span<const std::byte> bytes = Access::bytes(input);
    tensor.bytes.assign(bytes.begin(), bytes.end());
  }
  return tensor;
}

}  // namespace

namespace {

Compiled compiled_with(const Program& program, const Device& device, const Sizes& sizes,
                       const std::optional<Streams>& streams) {
  const ProgramState& state = Access::state(program);
  ir::Arena arena;
  const ir::Program sized = sized_program(state, sizes);
  const std::shared_ptr<DeviceState>& on = Access::state(device);
  const target::Target& info = on->device->info();
  driver::Compiled compiled = compiled_best(state, sizes, sized, info);
  const driver::Work work = need(driver::work_of(sized));
  auto result = std::make_shared<CompiledState>();
  result->program = Access::shared(program);
  result->device = on;
  if (streams) {
    const execute::StreamOptions options{streams->partitions, streams->tasks, streams->memory};
    auto streamed = execute::StreamedExecutable::prepare(*on->device, compiled, options);
    if (!streamed) {
      // A kernel that was chosen for its speed may be one that cannot be cut.
      const hoist::Error first = streamed.error();
      driver::Compiled by_default = need(driver::compile(sized, driver::options_for(info)));
      if (by_default.source == compiled.source) throw Failure(first);
      by_default.notes.push_back(
          "the kernel that was chosen does not run in tasks: " + first.diagnostics.front().message +
          "; the default mapping runs in its place");
      compiled = std::move(by_default);
      streamed = execute::StreamedExecutable::prepare(*on->device, compiled, options);
    }
    result->streamed = need(std::move(streamed));
    result->build_seconds = result->streamed->build_seconds();
  } else {
    result->executable = built(*on->device, compiled, sized);
    result->build_seconds = result->executable->build_seconds();
  }
  const execute::LaunchPlan& plan = streams ? result->streamed->plan().launch : result->executable->plan();
  for (const execute::LaunchPlan::Kernel& kernel : plan.kernels)
    result->kernels.push_back({kernel.name, kernel.range.global, kernel.range.local});
  result->inputs = inputs_of(state, sized);
  result->outputs = outputs_of(state, sized);
  result->source = streams ? result->streamed->source() : std::move(compiled.source);
  result->mapping = ir::to_string(compiled.low);
  result->notes = std::move(compiled.notes);
  if (streams) {
    const auto notes = result->streamed->notes();
    result->notes.insert(result->notes.end(), notes.begin(), notes.end());
  }
  result->work = {work.bytes, work.flops};
  result->recorder = recorder_of(state, sizes, info);
  return Access::compiled(std::move(result));
}

/// Runs in streams from the host's memory to the host's memory.
RunTimes run_in_streams(CompiledState& state, const std::vector<Input>& inputs,
                        const std::vector<Output>& outputs) {
  const auto is_on_device = [](const auto& array) { return Access::buffer(array).has_value(); };
  if (std::ranges::any_of(inputs, is_on_device) || std::ranges::any_of(outputs, is_on_device)) {
    throw_user("a program in streams takes no buffers of a device",
               "it moves parts of arrays while others are computed",
               "give it arrays in the host's memory, or compile it without Streams");
  }
  execute::Transfers transfers;
  for (const Input& input : inputs) transfers.inputs.push_back(Access::bytes(input));
  for (const Output& output : outputs) transfers.outputs.push_back(Access::bytes(output));
  const execute::StreamTimes times = need(state.streamed->run(transfers));
  if (state.recorder)
    state.recorder->count(times.kernels, [&](std::size_t i) { return tensor_given(state, i, inputs[i]); });
  return {times.kernels, {}, times.uploads, times.downloads, times.wall};
}

}  // namespace

Result<Compiled> compile(const Program& program, const Device& device, const Sizes& sizes) {
  const ProgramState& state = Access::state(program);
  return guarded(&state.source, [&] { return compiled_with(program, device, sizes, std::nullopt); });
}

Result<Compiled> compile(const Program& program, const Device& device, const Sizes& sizes,
                         const Streams& streams) {
  const ProgramState& state = Access::state(program);
  return guarded(&state.source, [&] { return compiled_with(program, device, sizes, streams); });
}

Result<Compiled> compile_for(const Program& program, const Device& device, const std::vector<Input>& inputs,
                             const Sizes& sizes) {
  auto inferred = infer_sizes(program, inputs, sizes);
  if (!inferred) return inferred.error();
  return compile(program, device, *inferred);
}

Result<RunTimes> Compiled::run(const std::vector<Input>& inputs, const std::vector<Output>& outputs) {
  return guarded(&state_->program->source, [&]() -> RunTimes {
    check_arrays(*state_->program, "input", state_->inputs, inputs);
    check_arrays(*state_->program, "output", state_->outputs, outputs);
    if (state_->streamed) return run_in_streams(*state_, inputs, outputs);
    execute::Bound bound{std::vector<runtime::Buffer*>(inputs.size()),
                         std::vector<runtime::Buffer*>(outputs.size())};
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const bool is_number = !state_->executable->plan().inputs[i].is_array;
      const auto& buffer = Access::buffer(inputs[i]);
      if (buffer && is_number)
        throw_user(fmt::format("the input {} is a number: it cannot be a buffer", state_->inputs[i].name));
      if (buffer) bound.inputs[i] = memory_on(*state_->device, state_->inputs[i].name, *buffer);
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const auto& buffer = Access::buffer(outputs[i]);
      if (buffer) bound.outputs[i] = memory_on(*state_->device, state_->outputs[i].name, *buffer);
    }
    check_apart(bound);
    const Borrowed borrowed = borrow(*state_, inputs, outputs, bound);
    execute::Transfers transfers;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      transfers.inputs.push_back(bound.inputs[i] ? std::span<const std::byte>() : Access::bytes(inputs[i]));
    }
    execute::RunTimes times = need(state_->executable->run(bound, transfers));
    // The run is recorded before results are read: they may go where the inputs came from.
    if (state_->recorder) {
      state_->recorder->count(times.kernels,
                              [&](std::size_t i) { return tensor_given(*state_, i, inputs[i]); });
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const std::span<std::byte> bytes = Access::bytes(outputs[i]);
      if (borrowed.outputs[i]) need(state_->device->device->read(*borrowed.outputs[i], bytes));
      if (!bound.outputs[i]) need(state_->executable->read_output(i, bytes));
    }
    return {times.kernels, std::move(times.each_kernel), 0, 0, 0};
  });
}

const std::vector<ArrayFacts>& Compiled::inputs() const { return state_->inputs; }
const std::vector<ArrayFacts>& Compiled::outputs() const { return state_->outputs; }
const std::vector<KernelFacts>& Compiled::kernels() const { return state_->kernels; }
const std::string& Compiled::source() const { return state_->source; }
const std::string& Compiled::mapping() const { return state_->mapping; }
const std::vector<std::string>& Compiled::notes() const { return state_->notes; }
const Work& Compiled::work() const { return state_->work; }
double Compiled::build_seconds() const { return state_->build_seconds; }

Result<void> evaluate(const Program& program, const Sizes& sizes, const std::vector<Input>& inputs,
                      const std::vector<Output>& outputs) {
  const ProgramState& state = Access::state(program);
  return guarded(&state.source, [&] {
    ir::Arena arena;
    const std::size_t wanted = state.size_variables.size() + state.tuning_parameters.size();
    const ir::Program sized =
        sized_program(state, sizes.size() < wanted ? inferred_sizes(state, inputs, sizes) : sizes);
    check_arrays(state, "input", inputs_of(state, sized), inputs);
    check_arrays(state, "output", outputs_of(state, sized), outputs);
    const auto is_on_device = [](const auto& array) { return Access::buffer(array).has_value(); };
    if (std::ranges::any_of(inputs, is_on_device) || std::ranges::any_of(outputs, is_on_device)) {
      throw_user("the reference interpreter takes no buffers of a device", {},
                 "give it arrays in the host's memory");
    }
    std::vector<Data> data;
    std::size_t next = 0;
    for (const ir::ParameterDeclaration& parameter : sized.parameters) {
      Data leaves = need(driver::empty_leaves(parameter.type));
      for (Tensor& leaf : leaves) {
        const std::span<const std::byte> bytes = Access::bytes(inputs[next++]);
        leaf.bytes.assign(bytes.begin(), bytes.end());
      }
      data.push_back(std::move(leaves));
    }
    const Data result = need(interpret::evaluate(sized, data, {}));
    for (std::size_t i = 0; i < result.size(); ++i)
      std::ranges::copy(result[i].bytes, Access::bytes(outputs[i]).begin());
  });
}

}  // namespace hoist::api
