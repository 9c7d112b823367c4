#pragma once
// Source text for each target from the loop IR: one printer family, a dialect each.
#include <string>

#include "base/error.hpp"
#include "loop/kernel.hpp"

namespace hoist::codegen {

struct Options {
  bool comments = true;  ///< keep the IR's comments
};

/// OpenCL C 1.2 for all of the plan's kernels, in order. Unsupported where the language has no form for
/// something.
Result<std::string> opencl(const loop::Plan& plan, const Options& options = {});

/// C++17 with OpenMP for all of the plan's kernels; the contract of each function is the host runtime's:
/// extern "C" void NAME(void* const* arguments, const size_t* range), range = global[3] then local[3];
/// arguments[i] is the memory of buffer parameter i or points to scalar or size parameter i (sizes as the
/// kernel's index type).
Result<std::string> host(const loop::Plan& plan, const Options& options = {});

}  // namespace hoist::codegen
