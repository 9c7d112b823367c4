#pragma once
// OpenCL's error codes in words, and whether commands have ended.
#include <string>

#include "base/error.hpp"
#include "runtime/opencl/loader.hpp"

namespace hoist::runtime::opencl {

/// "the device has no memory left for a buffer (CL_MEM_OBJECT_ALLOCATION_FAILURE, -4)".
std::string status_text(cl_int status);

/// A Device error: what was attempted, the code in words and, where the code suggests one, what to do.
tl::unexpected<Error> status_error(cl_int status, const std::string& attempted, std::string note = {});

/// Whether a command has ended, well or not; also where the driver does not tell.
bool has_ended(const Functions& functions, cl_event event);

/// Whether the code speaks of memory or other resources running out, rather than of a wrong request.
bool is_resource_shortage(cl_int status);

}  // namespace hoist::runtime::opencl
