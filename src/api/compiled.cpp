// The part of the C++ interface that runs programs (include/hoist/compiled.hpp): `compile`, `Compiled::run`,
// and `evaluate`, which asks the reference interpreter instead of a device.
//
// Read `compile` first. It reads the program's text again, in an arena of its own, puts the sizes in, takes
// the best kernel that the user's store has for it or else the default mapping (`compiled_best`), and
// prepares an Executable. The CompiledState that stays has numbers, texts and buffers, but no terms.
//
// `Compiled::run` then holds the caller's arrays against the program's (`check_arrays`). A Buffer takes the
// place of the executable's own memory, and knows which of its elements are where
// (execute/tracked_array.hpp). So do arrays in the host's memory where the device can use that (`borrow`);
// elsewhere they are copied. `run_at_once` and `run_in_streams` are two ways to run, on one device; the
// third, on several devices or ranks, has a file of its own (placed.cpp). So has the choice of streams
// (chosen_streams.cpp). `start_run` is `run_at_once` without the waiting: the arrays keep the events by which
// others are ordered. Where HOIST_CAPTURE is set, a run is recorded before its results are read
// (capture/recorder.hpp); where HOIST_CHECK_ARRAYS is, arrays that changed while they must not are an error.
//
// Inside, errors are thrown; `guarded` (access.hpp) turns them into results at the interface.
#include <algorithm>
#include <cstdlib>

#include "api/compiled_state.hpp"
#include "api/given.hpp"
#include "base/bytes.hpp"
#include "driver/inputs.hpp"
#include "driver/verify.hpp"
#include "driver/work.hpp"
#include "execute/launch_plan.hpp"
#include "interpret/interpret.hpp"
#include "ir/print.hpp"
#include "tuner/expected_kernel.hpp"
#include "tuner/records.hpp"
#include "tuner/stored_kernel.hpp"
#include "tuner/tuner.hpp"

namespace hoist::api {

ir::Program sized_program(const ProgramState& state, const Sizes& sizes) {
  ir::Program program = need(driver::with_sizes(read(state), {sizes.begin(), sizes.end()}));
  check_sizes_given(program);
  return program;
}

namespace {

std::vector<ArrayFacts> arrays_of(const std::vector<ArrayType>& names, const std::vector<Tensor>& leaves) {
  std::vector<ArrayFacts> result;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    result.push_back({names[i].name, outer(leaves[i].scalar), leaves[i].shape,
                      static_cast<std::size_t>(leaves[i].elements())});
  }
  return result;
}

}  // namespace

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

namespace {

/// The array of a buffer, which is given for one of the program's; null where none is. User errors: a buffer
/// of another device, or in place of a number.
execute::TrackedArray* array_given(const DeviceState& device, const ArrayFacts& wanted, const auto& given) {
  const std::optional<Buffer>& buffer = Access::buffer(given);
  if (!buffer) return nullptr;
  constexpr bool is_input = std::is_same_v<std::decay_t<decltype(given)>, Input>;
  if (is_input && wanted.shape.empty())
    throw_user(fmt::format("the input {} is a number: it cannot be a buffer", wanted.name));
  BufferState& state = Access::state(*buffer);
  if (state.device.get() == &device) return &state.array;
  throw_user(fmt::format("the buffer given for {} is not on the device that the program was compiled for",
                         wanted.name),
             fmt::format("it is on {}, the program on {}", state.device->facts.id, device.facts.id),
             "allocate it with the same Device");
}

void check_apart(const execute::TrackedArrays& arrays) {
  for (const execute::TrackedArray* output : arrays.outputs) {
    if (!output) continue;
    const auto others = {std::ranges::count(arrays.inputs, output),
                         std::ranges::count(arrays.outputs, output) - 1};
    if (std::max(others) > 0) {
      throw_user("the same buffer is given for an output and for another argument",
                 "kernels read their inputs while they write their outputs",
                 "use two buffers and exchange them between runs");
    }
  }
}

}  // namespace

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

driver::Compiled default_instead(const driver::Compiled& chosen, const hoist::Error& error, const char* why,
                                 const ir::Program& sized, const target::Target& info) {
  driver::Compiled by_default = need(driver::compile(sized, driver::options_for(info)));
  if (by_default.source == chosen.source) throw Failure(error);
  by_default.notes.push_back(
      fmt::format("the kernel that was chosen {}: {}; the default mapping runs in its place", why,
                  error.diagnostics.front().message));
  return by_default;
}

namespace {

/// Builds what was chosen; where the device's compiler fails on a kernel that only makes the program faster,
/// the default mapping takes its place.
execute::Executable built(runtime::Device& device, driver::Compiled& compiled, const ir::Program& sized) {
  auto executable = execute::Executable::prepare(device, compiled);
  if (executable) return *std::move(executable);
  compiled = default_instead(compiled, executable.error(), "cannot be built", sized, device.info());
  return need(execute::Executable::prepare(device, compiled));
}

}  // namespace

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

namespace {

/// Copies what a run was given as input `i`.
hoist::Result<Tensor> tensor_given(const CompiledState& state, std::size_t i, const Input& input) {
  Tensor tensor{inner(state.inputs[i].scalar), state.inputs[i].shape, {}};
  if (const auto& buffer = Access::buffer(input)) {
    tensor.bytes.resize(state.inputs[i].elements * hoist::size_of(tensor.scalar));
    const auto read = Access::state(*buffer).array.download(0, tensor.bytes);
    if (!read) return tl::unexpected(read.error());
  } else {
    const std::span<const std::byte> bytes = Access::bytes(input);
    tensor.bytes.assign(bytes.begin(), bytes.end());
  }
  return tensor;
}

std::vector<Part> all_rows(const std::vector<ArrayFacts>& arrays) {
  std::vector<Part> parts;
  for (const ArrayFacts& each : arrays) parts.push_back({0, each.shape.empty() ? 1 : each.shape.front()});
  return parts;
}

Compiled compiled_with(const Program& program, const Device& device, const Sizes& sizes,
                       const std::optional<Streams>& streams) {
  const ProgramState& state = Access::state(program);
  ir::Arena arena;
  const ir::Program sized = sized_program(state, sizes);
  const std::shared_ptr<DeviceState>& on = Access::state(device);
  const Turn turn(*on);
  const target::Target& info = on->device->info();
  driver::Compiled compiled = compiled_best(state, sizes, sized, info);
  const driver::Work work = need(driver::work_of(sized));
  auto result = std::make_shared<CompiledState>();
  result->program = Access::shared(program);
  result->device = on;
  const auto lack = streams ? std::nullopt : execute::lack_of_memory(compiled, info, info.global_memory);
  if (lack) result->notes.push_back(fmt::format("{} runs in tasks, since {}", state.name, *lack));
  const bool is_in_streams = streams || lack;
  if (is_in_streams) {
    execute::StreamOptions options =
        streams ? stream_options(*streams, compiled.plan, *result) : needed_streams(compiled.plan, *result);
    result->streams = Streams{options.partitions, options.tasks, options.memory, streams && streams->times};
    auto streamed = catch_failure([&] {
      auto prepared = execute::StreamedExecutable::prepare(*on->device, compiled, options);
      if (prepared) return *std::move(prepared);
      // A kernel that was chosen for its speed may be one that cannot be cut.
      compiled = default_instead(compiled, prepared.error(), "does not run in tasks", sized, info);
      if (result->chosen_by_reading)
        result->chosen_by_reading->program = program_in_streams(compiled.plan, *on->device);
      return need(execute::StreamedExecutable::prepare(*on->device, compiled, options));
    });
    if (!streamed && lack)
      throw_failure(hoist::ErrorKind::Device, "the program does not fit: " + *lack,
                    "it does not run in tasks: " + streamed.error().diagnostics.front().message,
                    "use smaller sizes, or a device with more memory");
    result->streamed = need(std::move(streamed));
    result->build_seconds = result->streamed->build_seconds();
  } else {
    result->executable = built(*on->device, compiled, sized);
    result->alignments = execute::vector_alignments(compiled.plan);
    result->build_seconds = result->executable->build_seconds();
  }
  const execute::LaunchPlan& plan =
      is_in_streams ? result->streamed->plan().launch : result->executable->plan();
  result->kernels = kernel_facts(plan);
  result->inputs = inputs_of(state, sized);
  result->outputs = outputs_of(state, sized);
  result->input_parts = all_rows(result->inputs);
  result->output_parts = all_rows(result->outputs);
  result->source = is_in_streams ? result->streamed->source() : std::move(compiled.source);
  result->mapping = ir::to_string(compiled.low);
  result->notes.insert(result->notes.end(), compiled.notes.begin(), compiled.notes.end());
  if (is_in_streams) {
    const auto notes = result->streamed->notes();
    result->notes.insert(result->notes.end(), notes.begin(), notes.end());
  }
  result->work = {work.bytes, work.flops};
  result->recorder = recorder_of(state, sizes, info);
  return Access::compiled(std::move(result));
}

/// The arrays of a run: those in buffers, and the memory of the host's that stands for the others.
struct RunArrays {
  execute::TrackedArrays buffers;
  execute::Transfers transfers;
};

RunArrays arrays_of_run(const CompiledState& state, const std::vector<Input>& inputs,
                        const std::vector<Output>& outputs) {
  RunArrays run;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    run.buffers.inputs.push_back(array_given(*state.device, state.inputs[i], inputs[i]));
    run.transfers.inputs.push_back(Access::bytes(inputs[i]));
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    run.buffers.outputs.push_back(array_given(*state.device, state.outputs[i], outputs[i]));
    run.transfers.outputs.push_back(Access::bytes(outputs[i]));
  }
  check_apart(run.buffers);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (const execute::TrackedArray* array = run.buffers.inputs[i]) {
      if (auto written = array->check_written(array->all()); !written) {
        hoist::Error error = written.error();
        error.diagnostics.front().message += ", which is given for the input " + state.inputs[i].name;
        throw Failure(error);
      }
    }
  }
  return run;
}

}  // namespace

void throw_changed(const std::string& input) {
  throw_user(fmt::format("the input {} has changed while the program ran", input),
             "parts of it were uploaded before the change, others perhaps after it",
             "leave arrays alone until run() returns");
}

namespace {

/// Where HOIST_CHECK_ARRAYS is set: what the caller's arrays held when a run began, to find out whether they
/// were changed before it ended.
class ArrayCheck {
 public:
  ArrayCheck(const CompiledState& state, const RunArrays& run) : state_(state), run_(run) {
    if (!execute::checks_arrays()) return;
    for (const execute::TrackedArray* array : run.buffers.inputs) {
      if (array) need(array->check_seal());
    }
    for (const auto& input : run.transfers.inputs) hashes_.push_back(execute::hash_of(input));
  }
  void end() const {
    for (std::size_t i = 0; i < hashes_.size(); ++i) {
      if (execute::hash_of(run_.transfers.inputs[i]) == hashes_[i]) continue;
      throw_changed(state_.inputs[i].name);
    }
    for (const auto* arrays : {&run_.buffers.inputs, &run_.buffers.outputs}) {
      for (execute::TrackedArray* array : *arrays) {
        if (array) array->seal();
      }
    }
  }

 private:
  const CompiledState& state_;
  const RunArrays& run_;
  std::vector<std::uint64_t> hashes_;
};

}  // namespace

void record(CompiledState& state, double kernels, const std::vector<Input>& inputs) {
  if (!state.recorder) return;
  state.recorder->count(kernels, [&](std::size_t i) { return tensor_given(state, i, inputs[i]); });
}

namespace {

RunTimes run_in_streams(CompiledState& state, const std::vector<Input>& inputs,
                        const std::vector<Output>& outputs) {
  const RunArrays run = arrays_of_run(state, inputs, outputs);
  const ArrayCheck check(state, run);
  const bool tells_model = state.chosen_by_reading && state.chosen_by_reading->has_run;
  // What is recorded of a run is how long its kernels took, too.
  const bool keeps_times = state.streams->times || state.recorder;
  using enum execute::CommandTimes;
  const execute::StreamTimes times = need(state.streamed->run(
      run.transfers, run.buffers, tells_model ? KeptAndCounted : (keeps_times ? Kept : NotKept)));
  check.end();
  record(state, times.kernels, inputs);
  if (tells_model) choose_streams_again(state, times);
  if (state.chosen_by_reading) state.chosen_by_reading->has_run = true;
  return {times.kernels,       {}, times.uploads, times.downloads, times.wall, times.upload_bytes,
          times.download_bytes};
}

/// Arrays in the host's memory as buffers of the device; null where they are copied.
struct Borrowed {
  std::vector<std::unique_ptr<runtime::Buffer>> inputs, outputs;
};

/// Makes buffers of the caller's arrays where the device uses the host's memory. An output in the memory of
/// another array is copied, because kernels read while they write.
Borrowed borrow(runtime::Device& device, const execute::LaunchPlan& plan,
                const execute::VectorAlignments& alignments, const RunArrays& run) {
  const auto& inputs = run.transfers.inputs;
  const auto& outputs = run.transfers.outputs;
  const bool is_host = device.info().language == target::Language::Host;
  const auto buffer_in = [&](std::size_t array, std::size_t of_vectors, std::span<std::byte> memory) {
    const std::size_t of_elements = plan.arrays[array].alignment;
    const std::size_t alignment = is_host ? of_elements : std::max(of_elements, of_vectors);
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(memory.data()) % alignment == 0;
    return is_aligned ? need(device.buffer_in(memory)) : nullptr;
  };
  Borrowed borrowed;
  borrowed.inputs.resize(inputs.size());
  borrowed.outputs.resize(outputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (run.buffers.inputs[i] || !plan.inputs[i].is_array) continue;
    // No kernel writes to an input.
    auto* const memory = const_cast<std::byte*>(inputs[i].data());  // NOLINT
    borrowed.inputs[i] = buffer_in(plan.inputs[i].index, alignments.inputs[i], {memory, inputs[i].size()});
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (run.buffers.outputs[i]) continue;
    const auto is_elsewhere = [&](const auto& other) { return !share_memory(outputs[i], other); };
    const auto here = outputs.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::ranges::all_of(inputs, is_elsewhere) && std::all_of(outputs.begin(), here, is_elsewhere) &&
        std::all_of(here + 1, outputs.end(), is_elsewhere))
      borrowed.outputs[i] = buffer_in(plan.outputs[i], alignments.outputs[i], outputs[i]);
  }
  return borrowed;
}

/// Runs from inputs to the executable's own memory, or to buffers.
execute::RunTimes run_on(execute::Executable& executable, const RunArrays& run, const Borrowed& borrowed) {
  using Place = execute::ValidRanges::Place;
  execute::Bound bound;
  for (execute::TrackedArray* array : run.buffers.inputs) {
    if (array) need(array->bring_to_device(array->all()));
    bound.inputs.push_back(array ? need(array->on_device()) : nullptr);
  }
  for (execute::TrackedArray* array : run.buffers.outputs)
    bound.outputs.push_back(array ? need(array->on_device()) : nullptr);
  execute::Transfers transfers{.inputs = run.transfers.inputs};
  for (std::size_t i = 0; i < borrowed.inputs.size(); ++i) {
    if (!borrowed.inputs[i]) continue;
    bound.inputs[i] = borrowed.inputs[i].get();
    transfers.inputs[i] = {};
  }
  for (std::size_t i = 0; i < borrowed.outputs.size(); ++i) {
    if (borrowed.outputs[i]) bound.outputs[i] = borrowed.outputs[i].get();
  }
  auto times = executable.run(bound, transfers);
  for (execute::TrackedArray* array : run.buffers.outputs) {
    if (!array) continue;
    array->changed().wrote(Place::Device, array->all());
    if (!times) array->changed().dropped(Place::Device, array->all());
  }
  return need(std::move(times));
}

RunTimes run_at_once(CompiledState& state, const std::vector<Input>& inputs,
                     const std::vector<Output>& outputs) {
  const RunArrays run = arrays_of_run(state, inputs, outputs);
  const ArrayCheck check(state, run);
  const Borrowed borrowed = borrow(*state.device->device, state.executable->plan(), state.alignments, run);
  execute::RunTimes times = run_on(*state.executable, run, borrowed);
  check.end();
  // The run is recorded before results are read: they may go where the inputs came from.
  record(state, times.kernels, inputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::span<std::byte> memory = run.transfers.outputs[i];
    if (borrowed.outputs[i]) need(state.device->device->read(*borrowed.outputs[i], memory));
    if (!borrowed.outputs[i] && !run.buffers.outputs[i]) need(state.executable->read_output(i, memory));
  }
  return {times.kernels, std::move(times.each_kernel), 0, 0, 0, 0, 0};
}

/// Whether nothing of a run is the host's to do, so that nobody need wait for its end.
bool can_start(const CompiledState& state, const std::vector<Input>& inputs,
               const std::vector<Output>& outputs) {
  if (!state.executable || !state.executable->can_start() || state.recorder || execute::checks_arrays())
    return false;
  if (state.device->device->stream() == 0) return false;
  const auto is_there = [](const auto& array) { return Access::buffer(array).has_value(); };
  const auto is_number = [](const Input& input) { return Access::kind(input) == Access::InputKind::Number; };
  return std::ranges::all_of(outputs, is_there) &&
         std::ranges::all_of(inputs, [&](const Input& each) { return is_there(each) || is_number(each); });
}

void start_run(CompiledState& state, const std::vector<Input>& inputs, const std::vector<Output>& outputs,
               const StartOrder& order) {
  using Place = execute::ValidRanges::Place;
  DeviceState& device = *state.device;
  const RunArrays run = arrays_of_run(state, inputs, outputs);
  execute::Bound bound;
  std::vector<runtime::Event> after;
  for (execute::TrackedArray* array : run.buffers.inputs) {
    if (array) need(array->bring_to_device(array->all()));
    bound.inputs.push_back(array ? need(array->memory_on_device()) : nullptr);
    if (array) array->append_writes_to(after);
  }
  for (execute::TrackedArray* array : run.buffers.outputs) {
    bound.outputs.push_back(need(array->memory_on_device()));
    array->append_uses_to(after);
    array->changed().dropped(Place::Host, array->all());
    array->changed().dropped(Place::Device, array->all());
  }
  std::vector<std::unique_ptr<runtime::Queue>> beside;
  for (const std::uintptr_t stream : order.beside) {
    beside.push_back(queue_on(device, stream));
    after.push_back(need(beside.back()->barrier({})));
  }
  const auto queue = queue_on(device, order.stream.value_or(device.device->stream()));
  const runtime::Event end =
      need(state.executable->start(bound, {.inputs = run.transfers.inputs}, *queue, std::move(after)));
  const auto& name = state.executable->name();
  for (execute::TrackedArray* array : run.buffers.inputs) {
    if (array) array->add_read(end, name);
  }
  for (execute::TrackedArray* array : run.buffers.outputs) {
    array->add_write(end, name);
    array->changed().wrote(Place::Device, array->all());
  }
  for (const auto& each : beside) need(each->barrier({&end, 1}));
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
    if (state_->placed) return run_on_places(*state_, inputs, outputs);
    check_arrays(*state_->program, "input", state_->inputs, inputs);
    check_arrays(*state_->program, "output", state_->outputs, outputs);
    const Turn turn(*state_->device);
    return state_->streamed ? run_in_streams(*state_, inputs, outputs)
                            : run_at_once(*state_, inputs, outputs);
  });
}

Result<void> Compiled::start(const std::vector<Input>& inputs, const std::vector<Output>& outputs,
                             const StartOrder& order) {
  bool is_started = false;
  auto started = guarded(&state_->program->source, [&] {
    if (state_->placed) return;
    check_arrays(*state_->program, "input", state_->inputs, inputs);
    check_arrays(*state_->program, "output", state_->outputs, outputs);
    const Turn turn(*state_->device);
    is_started = can_start(*state_, inputs, outputs);
    if (is_started) return start_run(*state_, inputs, outputs, order);
    if (order.stream) need(state_->device->device->follow(*order.stream));
    for (const std::uintptr_t stream : order.beside) need(state_->device->device->follow(stream));
  });
  if (is_started || !started) return started;
  auto ran = run(inputs, outputs);
  return ran ? Result<void>() : Result<void>(ran.error());
}

const std::vector<ArrayFacts>& Compiled::inputs() const { return state_->inputs; }
const std::vector<ArrayFacts>& Compiled::outputs() const { return state_->outputs; }
const std::vector<KernelFacts>& Compiled::kernels() const { return state_->kernels; }
const std::string& Compiled::source() const { return state_->source; }
const std::string& Compiled::mapping() const { return state_->mapping; }
const std::vector<std::string>& Compiled::notes() const { return state_->notes; }
const Work& Compiled::work() const { return state_->work; }
double Compiled::build_seconds() const { return state_->build_seconds; }
const std::optional<Streams>& Compiled::streams() const { return state_->streams; }
const std::vector<Part>& Compiled::input_parts() const { return state_->input_parts; }
const std::vector<Part>& Compiled::output_parts() const { return state_->output_parts; }

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
