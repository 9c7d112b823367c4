#pragma once
// Source text for each target from the loop IR: one printer family, a dialect each.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "loop/kernel.hpp"

namespace hoist::codegen {

struct Options {
  bool comments = true;  ///< keep the IR's comments
  /// Of the host's vector registers. Texts are correct on all processors, and as fast as can be on those.
  std::int64_t vector_bytes = 32;
  /// That the host shares out a kernel to; 0: not known.
  std::int64_t threads = 0;
};

/// OpenCL C 1.2 for all of the plan's kernels, in order. Unsupported where the language has no form for
/// something.
Result<std::string> opencl(const loop::Plan& plan, const Options& options = {});

/// CUDA C++17 for all of the plan's kernels, each `extern "C" __global__` with the parameters of the kernel
/// in order. A launch has global / local blocks of local threads.
Result<std::string> cuda(const loop::Plan& plan, const Options& options = {});
/// The bytes of dynamic shared memory that a launch of the kernel's CUDA text must give: 0 where its local
/// arrays fit the 48 KiB that a kernel may declare.
std::size_t cuda_dynamic_shared_memory(const loop::Kernel& kernel);

/// C++17 with OpenMP for all of the plan's kernels; the contract of each function is the host runtime's:
/// extern "C" void NAME(void* const* arguments, const size_t* range), range = global[3] then local[3];
/// arguments[i] is the memory of buffer parameter i or points to scalar or size parameter i (sizes as the
/// kernel's index type).
Result<std::string> host(const loop::Plan& plan, const Options& options = {});

/// Whether a kernel may have this name: an identifier, and neither a keyword of the language nor a name that
/// its library or these texts have.
bool may_name_opencl_kernel(const std::string& name);
bool may_name_cuda_kernel(const std::string& name);
bool may_name_host_kernel(const std::string& name);

}  // namespace hoist::codegen
