#pragma once
// Launches of one kernel in several sizes at the same time, which PoCL before version 7 may not get.
#include <cstddef>
#include <functional>
#include <string>

#include "runtime/device.hpp"
#include "runtime/opencl/loader.hpp"

namespace hoist::runtime::opencl {

/// A kernel as PoCL knows it: in all programs of the same text it is the same.
struct KernelCode {
  std::size_t program = 0;  ///< a hash of its text
  std::string name;
};

/// Gives a launch to a queue of PoCL by `enqueue`, which sets the event. Returns what `enqueue` does.
///
/// PoCL finds what it has loaded of a kernel by the local size and the widest grid that it serves, and counts
/// its uses; but it ends a use by the local size alone. Where a launch of a wider grid than any before begins
/// while others run, the wrong use ends, and in the end the process ("Assertion `found->ref_count > 0'
/// failed", pocl_release_dlhandle_cache; mended in PoCL 7.0 by its commit c9ac4c0c). So such a launch is made
/// alone here: after those of its kernel that run, and it has ended when this function returns.
cl_int enqueue_on_pocl(const Functions& functions, const KernelCode& kernel, const Range& range,
                       const cl_event* event, const std::function<cl_int()>& enqueue);

}  // namespace hoist::runtime::opencl
