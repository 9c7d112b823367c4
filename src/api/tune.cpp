// Tuning through the C++ interface: from arrays of the caller's to a task of the tuner, and back.
#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <hoist/tools.hpp>

#include "api/access.hpp"
#include "api/given.hpp"
#include "driver/work.hpp"
#include "runtime/devices.hpp"
#include "tuner/default_parameters.hpp"
#include "tuner/tuner.hpp"

namespace hoist::api {

namespace {

/// The worker that is installed with the library that this code is in: beside it, or in hoist/ below its
/// directory. Device error where there is none.
std::string installed_worker() {
  Dl_info library{};
  const auto here = reinterpret_cast<void*>(&installed_worker);
  const std::filesystem::path directory =
      dladdr(here, &library) != 0 ? std::filesystem::path(library.dli_fname).parent_path() : "";
  for (const char* name : {"hoist-worker", "hoist/hoist-worker"}) {
    std::error_code error;
    if (std::filesystem::exists(directory / name, error))
      return std::filesystem::absolute(directory / name).string();
  }
  throw_failure(hoist::ErrorKind::Device,
                fmt::format("there is no hoist-worker in {}", directory.empty() ? "." : directory.string()),
                "candidates are built and run by processes of their own",
                "install it with the library, or name it in TuneOptions::worker");
}

/// The inputs as the tuner takes them: copies, one Data for each parameter.
std::vector<Data> data_of(const ir::Program& sized, const ProgramState& state,
                          const std::vector<Input>& inputs) {
  std::vector<Data> data;
  std::size_t next = 0;
  for (const ir::ParameterDeclaration& parameter : sized.parameters) {
    Data leaves = need(driver::empty_leaves(parameter.type));
    for (Tensor& leaf : leaves) {
      const std::string& name = state.inputs[next].name;
      const Input& input = inputs[next++];
      const auto elements = static_cast<std::size_t>(leaf.elements());
      if (Access::type(input) != outer(leaf.scalar) || elements_given(input) != elements)
        throw_about(state, name,
                    fmt::format("the input {} is {}, but {} of {} were given", name,
                                shape_text(outer(leaf.scalar), leaf.shape), elements_given(input),
                                name_of(Access::type(input))));
      leaf.bytes.resize(elements * hoist::size_of(leaf.scalar));
      if (const auto& buffer = Access::buffer(input)) {
        need(Access::state(*buffer).array.download(0, leaf.bytes));
      } else {
        std::ranges::copy(Access::bytes(input), leaf.bytes.begin());
      }
    }
    data.push_back(std::move(leaves));
  }
  return data;
}

/// All values of a task: sizes that are given or follow from the inputs, and, of tuning parameters that the
/// program leaves open, those by which the default mapping runs; the names of these go to `open`.
Sizes task_sizes(const ProgramState& state, const std::vector<Input>& inputs, const Sizes& given,
                 const std::string& device, std::vector<std::string>& open) {
  for (const std::string& each : state.tuning_parameters) {
    if (given.count(each) == 0) open.push_back(each);
  }
  Sizes sizes = inferred_sizes(state, inputs, given, OpenParameters::Allowed);
  if (open.empty()) return sizes;
  const ir::Program sized = need(driver::with_sizes(read(state), {sizes.begin(), sizes.end()}));
  const target::Target info = need(runtime::describe_device(device));
  for (const auto& [name, value] : need(tuner::default_parameters(sized, info))) sizes[name] = value;
  return sizes;
}

}  // namespace

Result<TuneResult> tune(const Program& program, const std::string& device, const std::vector<Input>& inputs,
                        const Sizes& sizes, const TuneOptions& options) {
  const ProgramState& state = Access::state(program);
  return guarded(&state.source, [&] {
    const ir::Arena arena;
    tuner::TuningOptions tuning;
    const std::string id = device.empty() ? runtime::default_device() : device;
    tuning.measuring.devices = {id};
    tuning.measuring.program = options.worker.empty() ? installed_worker() : options.worker;
    const Sizes values = task_sizes(state, inputs, sizes, id, tuning.open_parameters);
    tuning.strategy = options.strategy;
    tuning.seed = options.seed;
    tuning.seconds = options.seconds;
    tuning.evaluations = options.evaluations;
    tuning.resumes = !options.is_fresh;
    tuning.hoist = HOIST_VERSION;
    tuning.is_cancelled = options.is_cancelled;
    tuning.progress = [&](const tuner::TuningProgress& now) {
      if (options.progress)
        options.progress(
            {now.phase, now.evaluated, now.failed, now.seconds, now.seconds_left, now.best, now.baseline});
    };
    const ir::Program read_program = read(state);
    const driver::NamedSizes named{values.begin(), values.end()};
    const ir::Program sized = need(driver::with_sizes(read_program, named));
    const measure::Task task{read_program, named, data_of(sized, state, inputs)};
    const driver::Work work = need(driver::work_of(sized));
    store::Store store =
        need(store::Store::open(options.store.empty() ? need(store::default_place()) : options.store));
    tuner::TuningResult found = need(tuner::tune(task, tuning, store));
    TuneResult result;
    for (tuner::Tried& each : found.best)
      result.best.push_back({std::move(each.name), each.median, std::move(each.derivation),
                             Sizes(each.values.begin(), each.values.end())});
    result.baseline = found.baseline;
    result.evaluated = found.evaluated;
    result.known = found.known;
    result.outcomes = std::move(found.outcomes);
    result.seconds = found.seconds;
    result.ended_by = std::move(found.ended_by);
    result.notes = std::move(found.notes);
    result.store = store.place();
    result.work = {work.bytes, work.flops};
    return result;
  });
}

}  // namespace hoist::api
