#include "cli/run_kernel.hpp"

#include <algorithm>
#include <optional>

#include "base/need.hpp"
#include "cli/output.hpp"
#include "cli/store_option.hpp"
#include "tasks/cut.hpp"
#include "tuner/expected_kernel.hpp"
#include "tuner/stored_kernel.hpp"
#include "tuner/tuner.hpp"

namespace hoist::cli {

namespace {

/// The best kernel that the store knows, if it does.
std::optional<tuner::ChosenKernel> known_kernel(const ir::Program& program, const driver::NamedSizes& sizes,
                                                const target::Target& device, const KernelOptions& options) {
  if (!options.store.empty()) {
    store::Store store = open_store(options.store, {.make = false, .only_reads = true});
    return need(tuner::stored_kernel(store, program, sizes, device));
  }
  std::string trouble;
  auto kernel = tuner::users_kernel(program, sizes, device, &trouble);
  if (!trouble.empty()) note("note: " + trouble);
  return kernel;
}

}  // namespace

void add_kernel_options(CLI::App& command, KernelOptions& options) {
  add_store_option(command, options.store);
  command.add_flag("--untuned", options.untuned,
                   "Use the default mapping, whatever was tuned or is expected");
}

RunKernel default_kernel(const ir::Program& sized, const lower::Options& lowering) {
  return {need(driver::compile(sized, lowering)), tuner::baseline_name};
}

std::vector<driver::Compiled> kernels_of_tasks(const RunKernel& kernel, const ir::Program& sized,
                                               const lower::Options& lowering) {
  std::vector<driver::Compiled> kernels{kernel.compiled};
  if (kernel.name != tuner::baseline_name) kernels.push_back(default_kernel(sized, lowering).compiled);
  return kernels;
}

const loop::Plan& plan_of_tasks(const std::vector<driver::Compiled>& kernels) {
  const auto found = std::find_if(kernels.begin(), kernels.end(), [](const driver::Compiled& each) {
    return tasks::most_tasks(each.plan) > 1;
  });
  return found == kernels.end() ? kernels.front().plan : found->plan;
}

RunKernel run_kernel(const ir::Program& program, const ir::Program& sized, const driver::NamedSizes& sizes,
                     const target::Target& device, const lower::Options& lowering,
                     const KernelOptions& options) {
  if (options.untuned) return default_kernel(sized, lowering);
  if (const auto kernel = known_kernel(program, sizes, device, options)) {
    if (auto compiled = driver::compile(kernel->low, lowering)) {
      note("the kernel is " + kernel->origin);
      return {*std::move(compiled), kernel->name};
    }
    note("note: the stored kernel " + kernel->origin + ", does not compile any more; tune again");
  }
  // What is expected only makes a program faster: it runs without, too.
  if (const auto kernel = tuner::expected_kernel(sized, device); kernel && *kernel) {
    if (auto compiled = driver::compile((*kernel)->low, lowering)) {
      note("the kernel is " + (*kernel)->origin);
      return {*std::move(compiled), (*kernel)->name};
    }
  }
  return default_kernel(sized, lowering);
}

}  // namespace hoist::cli
