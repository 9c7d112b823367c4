// What the interface does with programs beside running them (include/hoist/tools.hpp): kernels as text,
// export, reports. Tuning is in tune.cpp.
#include <hoist/tools.hpp>

#include <fmt/ranges.h>

#include "api/access.hpp"
#include "api/given.hpp"
#include "base/scalar.hpp"
#include "export/export.hpp"
#include "ir/primitive.hpp"
#include "lang/lang.hpp"
#include "measure/worker/worker.hpp"
#include "report/page.hpp"
#include "store/store.hpp"
#include "target/kinds.hpp"
#include "tuner/report_data.hpp"

namespace hoist::api {

std::string version() { return HOIST_VERSION; }

std::vector<std::string> names_of_patterns() {
  std::vector<std::string> names;
  for (const ir::Primitive& each : ir::all_primitives()) names.emplace_back(each.name);
  for (const lang::PreludeDefinition& each : lang::prelude_definitions()) names.push_back(each.name);
  for (const ScalarOpInfo& each : all_scalar_ops()) {
    if (each.symbol.empty()) names.emplace_back(each.name);
  }
  return names;
}

Result<std::size_t> fed_input(const Program& program, const std::string& name) {
  const ProgramState& state = Access::state(program);
  return guarded(&state.source, [&] {
    const ir::Arena arena;
    return need(driver::fed_input(read(state), name, "name one of them"));
  });
}

Result<std::string> source_of(const Program& program, const std::string& language, const Sizes& sizes) {
  const ProgramState& state = Access::state(program);
  return guarded(&state.source, [&] {
    const auto found = target::language_named(language);
    if (!found)
      throw_user(fmt::format("there is no language '{}' of kernels", language), {},
                 fmt::format("give one of {}", fmt::join(target::names_of_kinds(), ", ")));
    const ir::Arena arena;
    const ir::Program sized = need(driver::with_sizes(read(state), {sizes.begin(), sizes.end()}));
    lower::Options lowering;
    lowering.target = target::any_device(*found);
    return need(driver::compile(sized, lowering)).source;
  });
}

Result<std::vector<TextFile>> export_files(const Program& program, const std::string& device,
                                           const Sizes& sizes, const std::string& name) {
  const ProgramState& state = Access::state(program);
  return guarded(&state.source, [&] {
    lower::Options lowering;
    lowering.target = exporting::target_of(need(exporting::export_device(device)));
    const ir::Arena arena;
    const driver::NamedSizes values{sizes.begin(), sizes.end()};
    const ir::Program sized = need(driver::with_sizes(read(state), values));
    check_sizes_given(sized);
    std::vector<TextFile> files;
    const auto exported =
        need(exporting::exported(sized, values, name.empty() ? sized.name : name, lowering));
    for (exporting::ExportedFile& each : exporting::export_files(exported))
      files.push_back({std::move(each.name), std::move(each.text)});
    return files;
  });
}

Result<std::string> report(const Program& program, const Sizes& sizes, const std::string& device,
                           const std::string& store) {
  const ProgramState& state = Access::state(program);
  return guarded(&state.source, [&] {
    const auto id = target::device_id(device);
    if (!id && !device.empty())
      throw_user(fmt::format("'{}' is no device or kind of device", device), {},
                 fmt::format("give one of {}", fmt::join(target::example_ids(), ", ")));
    store::Store opened = need(store::Store::open(store.empty() ? need(store::default_place()) : store,
                                                  {.make = false, .only_reads = true}));
    const ir::Arena arena;
    const auto task = need(tuner::last_measured(opened, read(state), {sizes.begin(), sizes.end()},
                                                id ? std::optional(id->language) : std::nullopt));
    if (!task)
      throw_user(fmt::format("nothing was measured of {} with these sizes yet", state.name),
                 "the store is " + opened.place(), "tune it first");
    return need(report::page(need(tuner::report_data(opened, *task))));
  });
}

std::optional<int> run_as_worker(int count, char** arguments) {
  return measure::run_as_worker(count, arguments);
}

}  // namespace hoist::api
