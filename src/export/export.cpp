#include "export/export.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/need.hpp"
#include "driver/inputs.hpp"
#include "export/c_text.hpp"
#include "ir/print.hpp"
#include "runtime/devices.hpp"
#include "target/kinds.hpp"

namespace hoist::exporting {

namespace {

void add_arrays(const std::string& name, ir::Type type, std::vector<ExportedArray>& arrays) {
  const std::vector<Tensor> leaves = need(driver::empty_leaves(type));
  const std::vector<driver::NamedLeaf> names = driver::named_leaves(type);
  for (std::size_t i = 0; i < names.size(); ++i) {
    arrays.push_back({name + names[i].path, leaves[i].scalar, leaves[i].shape});
  }
}

ExportedStreams as_tasks(const ir::Program& program, const std::string& kernel_names,
                         const lower::Options& options, const StreamsForUnits& streams) {
  ExportedStreams result;
  result.units = streams.units;
  const driver::Compiled whole =
      need(driver::compile(program, {.lowering = options, .kernel_names = kernel_names}));
  execute::Streamed streamed = need(execute::streamed_plan(whole.plan, streams.options));
  driver::Compiled cut = need(driver::with_plan(whole, std::move(streamed.cut.plan), options.target));
  result.plan = std::move(streamed.plan);
  result.kernels = std::move(cut.source);
  result.dynamic_local_memory = std::move(cut.dynamic_local_memory);
  return result;
}

/// Kernels that are the same for all choices are the first one's; else they have names of their own.
std::vector<ExportedStreams> as_tasks(const ir::Program& program, const std::string& name,
                                      const lower::Options& options,
                                      const std::vector<StreamsForUnits>& streams) {
  std::vector<ExportedStreams> result;
  for (const StreamsForUnits& each : streams) result.push_back(as_tasks(program, name, options, each));
  if (result.size() < 2) return result;
  const bool are_shared = std::ranges::all_of(
      result, [&](const ExportedStreams& each) { return each.kernels == result.front().kernels; });
  for (std::size_t i = 0; i < result.size(); ++i) {
    const execute::StreamOptions& choice = streams[i].options;
    const std::string suffix = fmt::format("_{}x{}", choice.partitions, choice.tasks);
    if (are_shared && i > 0) result[i].kernels.clear();
    if (!are_shared) {
      result[i] = as_tasks(program, name + suffix, options, streams[i]);
      result[i].kernels_suffix = suffix;
    }
    result[i].suffix = suffix;
  }
  return result;
}

/// The launches and loops of a placed plan, as those of tasks on one device with whole arrays are.
execute::StreamedPlan tasks_of(const execute::PlacedPlan& plan) {
  execute::StreamedPlan tasks;
  tasks.launch = plan.launch;
  tasks.slots.assign(plan.arrays.size(), 1);
  tasks.is_windowed.assign(plan.arrays.size(), false);
  tasks.program_inputs = plan.program_inputs;
  for (const auto& phase : plan.phases) {
    for (const execute::PlacedPlan::Work& each : phase) {
      const auto* launch = std::get_if<execute::TaskLaunch>(&each.work);
      if (launch) tasks.nodes.push_back({.work = *launch});
    }
  }
  return tasks;
}

void cut_for_ranks(const driver::Compiled& whole, const target::Target& target, const RanksOption& ranks,
                   Exported& result) {
  if (target.language != target::Language::Host)
    throw_unsupported("programs for ranks are exported for the host alone", {}, "give --device host");
  // Whoever may run several steps has parts whose borders come first.
  execute::Placed placed =
      need(execute::placed_plan(whole.plan, {std::vector<double>(ranks.count, 1.0),
                                             ranks.fed ? std::size_t{2} : 1, ranks.fed.value_or(0)}));
  driver::Compiled cut = need(driver::with_plan(whole, std::move(placed.cut.plan), target));
  result.kernels = std::move(cut.source);
  ExportedRanks& made = result.ranks.emplace();
  made.has_steps = ranks.fed.has_value();
  made.tasks.plan = tasks_of(placed.plan);
  made.plan = std::move(placed.plan);
}

}  // namespace

Result<ExportDevice> export_device(const std::string& device) {
  const auto id = target::device_id(device);
  if (!id)
    return user_error(fmt::format("'{}' is no device to export for", device), {},
                      fmt::format("give one of {}", fmt::join(target::example_ids(), ", ")));
  for (target::Target& info : runtime::list_devices()) {
    if (id->means(info)) return ExportDevice{id->language, std::move(info)};
  }
  if (id->number) {
    // The error lists the devices that there are.
    if (auto known = runtime::describe_device(to_string(*id)); !known) return tl::unexpected(known.error());
  }
  return ExportDevice{id->language, std::nullopt};
}

target::Target target_of(const ExportDevice& device) {
  target::Target target = target::any_device(device.language);
  if (device.here) target.max_group_size = device.here->max_group_size;
  return target;
}

Result<Exported> exported(const ir::Program& program, const driver::NamedSizes& sizes,
                          const std::string& name, const lower::Options& options,
                          const std::vector<StreamsForUnits>& streams,
                          const std::optional<RanksOption>& ranks) {
  return catch_failure([&] {
    if (!is_c_identifier(name)) {
      throw_user("'" + name + "' is no name for functions in C", {},
                 "use letters, digits and _, a letter first, no keyword");
    }
    constexpr std::size_t longest = 200;  // beside what is added to it, of the name of a file
    if (name.size() > longest)
      throw_user("the name '" + name.substr(0, 40) + "...' is too long for files", {},
                 "--name gives a shorter one");
    const target::Language language = options.target.language;
    Exported result{language, name, ir::to_string(program), sizes, {}, {}, {}, {}, {}, {}, {}};
    for (const ir::ParameterDeclaration& parameter : program.parameters) {
      add_arrays(parameter.name, parameter.type, result.inputs);
    }
    add_arrays("result", program.result(), result.outputs);
    // Several exports are linked into one program: for the host kernels are functions of it.
    driver::Compiled compiled = need(driver::compile(
        program, {.lowering = options, .kernel_names = name, .lowered = [&](const loop::Plan& plan) {
                    result.plan = need(execute::launch_plan(plan));
                  }}));
    result.streams = as_tasks(program, name, options, streams);
    if (ranks) cut_for_ranks(compiled, options.target, *ranks, result);
    if (ranks || !streams.empty()) return result;
    result.kernels = std::move(compiled.source);
    result.dynamic_local_memory = std::move(compiled.dynamic_local_memory);
    return result;
  });
}

std::vector<ExportedFile> export_files(const Exported& exported) {
  switch (exported.language) {
    case target::Language::OpenCL:
      return opencl_text(exported)->files();
    case target::Language::Cuda:
      return cuda_text(exported)->files();
    case target::Language::Host:
      return host_text(exported)->files();
  }
  throw Bug("not a language");
}

}  // namespace hoist::exporting
