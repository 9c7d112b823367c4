#pragma once
// Which kernel of a program runs: what was tuned, else what is expected to be fast, else the default mapping.
#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "driver/compile.hpp"
#include "lower/lower.hpp"
#include "target/target.hpp"

namespace hoist::cli {

struct KernelOptions {
  std::string store;     ///< empty: the user's
  bool untuned = false;  ///< whether the default mapping runs, whatever was tuned or is expected
};
/// Adds --store and --untuned.
void add_kernel_options(CLI::App& command, KernelOptions& options);

struct RunKernel {
  driver::Compiled compiled;
  std::string name;  ///< of its candidate
};

/// `sized` is the program with these sizes put in. Where the kernel is from is told. Throws Failure.
RunKernel run_kernel(const ir::Program& program, const ir::Program& sized, const driver::NamedSizes& sizes,
                     const target::Target& device, const lower::Options& lowering,
                     const KernelOptions& options);
RunKernel default_kernel(const ir::Program& sized, const lower::Options& lowering);

/// The kernels that a program in tasks may have: this one and, where it is another, the default mapping,
/// which can be cut where this one cannot.
std::vector<driver::Compiled> kernels_of_tasks(const RunKernel& kernel, const ir::Program& sized,
                                               const lower::Options& lowering);
/// The plan of the first of them that can be cut at all, else of the first.
const loop::Plan& plan_of_tasks(const std::vector<driver::Compiled>& kernels);

}  // namespace hoist::cli
