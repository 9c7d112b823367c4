#include "tuner/stored_kernel.hpp"

#include <algorithm>
#include <cmath>

#include "lang/lang.hpp"
#include "target/kinds.hpp"
#include "tuner/records.hpp"
#include "tuner/sizes.hpp"
#include "tuner/tuner.hpp"

namespace hoist::tuner {

namespace {

/// The candidate's derivation done at other sizes, with its parameters' values; nothing where they do not
/// fit.
std::optional<ir::Program> derived_at(const ir::Program& program, const driver::NamedSizes& sizes,
                                      const store::Candidate& candidate) {
  const auto start = driver::with_sizes(program, sizes);
  if (!start) return std::nullopt;
  const std::vector<ir::Program> programs = programs_after(*start, candidate.derivation);
  if (programs.size() != candidate.derivation.size()) return std::nullopt;
  auto sized = driver::with_sizes(programs.empty() ? *start : programs.back(), candidate.parameters);
  if (!sized || !ir::open_parameters(sized->function).empty()) return std::nullopt;
  return *sized;
}

std::optional<ir::Program> program_of(const store::Candidate& candidate) {
  auto program = lang::parse_program(Source{"<store>", candidate.term});
  if (!program) return std::nullopt;
  return *program;
}

bool is_same_device(const store::Device& stored, const target::Target& device) {
  return stored.language == target::name_of(device.language) && stored.name == device.name;
}

/// A task whose best may serve, and how far it is from what is wanted.
struct Near {
  store::StoredTask task;
  double distance = 0;
  bool is_same_device = false, is_same_driver = false;
};

std::vector<Near> nearest_tasks(std::vector<store::StoredTask> tasks, const driver::NamedSizes& sizes,
                                const target::Target& device) {
  std::vector<Near> list;
  for (store::StoredTask& each : tasks) {
    if (each.task.device.language != target::name_of(device.language) || !each.best) continue;
    const double apart = size_distance(each.task.sizes, sizes);
    const bool is_same = is_same_device(each.task.device, device);
    const bool is_same_driver = each.task.device.driver == device.driver;
    if (std::isfinite(apart)) list.push_back({std::move(each), apart, is_same, is_same_driver});
  }
  std::stable_sort(list.begin(), list.end(), [](const Near& a, const Near& b) {
    if (a.is_same_device != b.is_same_device) return a.is_same_device;
    if (a.distance != b.distance) return a.distance < b.distance;
    return a.is_same_driver && !b.is_same_driver;
  });
  return list;
}

/// Whether it is the default mapping, and nothing else of the task has a time.
Result<bool> is_alone(store::Store& store, store::TaskId task, const std::string& name) {
  if (name != baseline_name) return false;
  const auto all = store.summaries(task);
  if (!all) return tl::unexpected(all.error());
  return std::ranges::all_of(
      *all, [](const store::EvaluationSummary& each) { return !each.median || each.name == baseline_name; });
}

std::optional<ChosenKernel> kernel_of(const Near& near, const store::StoredEvaluation& best,
                                      const ir::Program& program, const driver::NamedSizes& sizes) {
  const store::Candidate& candidate = best.candidate;
  const bool is_exact = near.distance == 0;
  auto low = is_exact                                            ? program_of(candidate)
             : candidate.name == baseline_name                   ? std::nullopt
             : best.evaluation.origin == store::Origin::Explored ? derived_at(program, sizes, candidate)
                                                                 : std::nullopt;
  if (!low) return std::nullopt;
  return ChosenKernel{*std::move(low), candidate.name,
                      fmt::format("{}, tuned for {} on {}", candidate.name, sizes_text(near.task.task.sizes),
                                  near.is_same_device ? "this device" : near.task.task.device.name)};
}

}  // namespace

Result<std::optional<ChosenKernel>> stored_kernel(store::Store& store, const ir::Program& program,
                                                  const driver::NamedSizes& sizes,
                                                  const target::Target& device) {
  const std::string hash = stored_program(program).hash;
  auto tasks = store.tasks(hash);
  if (!tasks) return tl::unexpected(tasks.error());
  constexpr std::size_t most = 4;  // what was tuned for sizes far away is no better than the default
  std::size_t looked_at = 0;
  for (const Near& near : nearest_tasks(std::move(*tasks), sizes, device)) {
    if (looked_at++ == most) break;
    const store::Device& on = near.task.task.device;
    const auto best = store.best(hash, on.language, on.name, near.task.task.sizes, on.driver);
    if (!best) return tl::unexpected(best.error());
    if (!*best) continue;
    // A search that had time for nothing but the default mapping says nothing of what is fast.
    const auto alone = is_alone(store, near.task.id, (*best)->candidate.name);
    if (!alone) return tl::unexpected(alone.error());
    if (*alone) continue;
    auto kernel = kernel_of(near, **best, program, sizes);
    if (kernel) return std::optional(std::move(*kernel));
  }
  return std::optional<ChosenKernel>();
}

std::optional<ChosenKernel> users_kernel(const ir::Program& program, const driver::NamedSizes& sizes,
                                         const target::Target& device, std::string* note) {
  auto store = store::users_store();
  if (store && !*store) return std::nullopt;
  auto kernel = store ? stored_kernel(**store, program, sizes, device) : tl::unexpected(store.error());
  if (kernel) return *std::move(kernel);
  if (note != nullptr)
    *note = "the store of tuned kernels is not used: " + kernel.error().diagnostics.front().message;
  return std::nullopt;
}

}  // namespace hoist::tuner
