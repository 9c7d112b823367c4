#include "runtime/opencl/status.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace hoist::runtime::opencl {

namespace {

struct Status {
  cl_int code;
  const char* name;
  const char* words;
  const char* help;
};

constexpr const char* less_memory =
    "use smaller arrays, or free memory that other programs hold on the device";
constexpr const char* reinstall = "check the driver's installation with `clinfo`";
constexpr const char* outside_access =
    "if the kernel was running, it may have accessed memory outside its buffers or run for too long; "
    "otherwise use "
    "smaller arrays or fewer work-items";

// Ordered by code, from 0 down. The last rows are the loader's and one vendor's.
constexpr Status statuses[] = {
    {CL_SUCCESS, "CL_SUCCESS", "no error", ""},
    {CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND", "the platform has no such device", reinstall},
    {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE", "the device is not available now",
     "another program may hold it exclusively"},
    {CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE", "the platform has no compiler", reinstall},
    {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE",
     "the device has no memory left for a buffer", less_memory},
    {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES", "the device ran out of resources", outside_access},
    {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY", "the driver ran out of memory on the host",
     "free memory on the host"},
    {CL_PROFILING_INFO_NOT_AVAILABLE, "CL_PROFILING_INFO_NOT_AVAILABLE",
     "the driver has no times for the command", ""},
    {CL_MEM_COPY_OVERLAP, "CL_MEM_COPY_OVERLAP", "source and destination of a copy overlap", ""},
    {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE", "the source does not compile", ""},
    {CL_MAP_FAILURE, "CL_MAP_FAILURE", "a buffer could not be mapped", ""},
    {CL_MISALIGNED_SUB_BUFFER_OFFSET, "CL_MISALIGNED_SUB_BUFFER_OFFSET", "a sub-buffer is misaligned", ""},
    {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
     "the command failed while running", outside_access},
    {CL_COMPILE_PROGRAM_FAILURE, "CL_COMPILE_PROGRAM_FAILURE", "the source does not compile", ""},
    {CL_LINKER_NOT_AVAILABLE, "CL_LINKER_NOT_AVAILABLE", "the platform has no linker", reinstall},
    {CL_LINK_PROGRAM_FAILURE, "CL_LINK_PROGRAM_FAILURE", "the program does not link", ""},
    {CL_KERNEL_ARG_INFO_NOT_AVAILABLE, "CL_KERNEL_ARG_INFO_NOT_AVAILABLE",
     "the driver knows nothing of the kernel's arguments", ""},
    {CL_INVALID_VALUE, "CL_INVALID_VALUE", "a value is outside what the device accepts", ""},
    {CL_INVALID_DEVICE_TYPE, "CL_INVALID_DEVICE_TYPE", "the device type is invalid", ""},
    {CL_INVALID_PLATFORM, "CL_INVALID_PLATFORM", "the platform is invalid", reinstall},
    {CL_INVALID_DEVICE, "CL_INVALID_DEVICE", "the device is invalid", reinstall},
    {CL_INVALID_CONTEXT, "CL_INVALID_CONTEXT", "the context is invalid", ""},
    {CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE",
     "the command queue is no longer usable, as after a kernel that failed", outside_access},
    {CL_INVALID_MEM_OBJECT, "CL_INVALID_MEM_OBJECT", "a buffer is invalid", ""},
    {CL_INVALID_BINARY, "CL_INVALID_BINARY", "a program binary is invalid", ""},
    {CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS", "the compiler does not know a build option",
     "the platform must support OpenCL C 1.2"},
    {CL_INVALID_PROGRAM, "CL_INVALID_PROGRAM", "the program is invalid", ""},
    {CL_INVALID_PROGRAM_EXECUTABLE, "CL_INVALID_PROGRAM_EXECUTABLE",
     "the program was not built for the device", ""},
    {CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME", "the program has no kernel of that name", ""},
    {CL_INVALID_KERNEL_DEFINITION, "CL_INVALID_KERNEL_DEFINITION", "the kernel's definition is invalid", ""},
    {CL_INVALID_KERNEL, "CL_INVALID_KERNEL", "the kernel is invalid", ""},
    {CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX", "the kernel has no such argument", ""},
    {CL_INVALID_ARG_VALUE, "CL_INVALID_ARG_VALUE", "the kernel does not accept the argument's value", ""},
    {CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE", "the argument's size is not that of the kernel's parameter",
     ""},
    {CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS", "an argument of the kernel is not set", ""},
    {CL_INVALID_WORK_DIMENSION, "CL_INVALID_WORK_DIMENSION", "the number of dimensions is invalid", ""},
    {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE", "the device refuses work-groups of this size",
     "choose other local sizes"},
    {CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE",
     "the device refuses so many work-items in one dimension of a group", "choose other local sizes"},
    {CL_INVALID_GLOBAL_OFFSET, "CL_INVALID_GLOBAL_OFFSET", "the global offset is invalid", ""},
    {CL_INVALID_EVENT_WAIT_LIST, "CL_INVALID_EVENT_WAIT_LIST", "a list of events is invalid", ""},
    {CL_INVALID_EVENT, "CL_INVALID_EVENT", "an event is invalid", ""},
    {CL_INVALID_OPERATION, "CL_INVALID_OPERATION", "the operation is not allowed here", ""},
    {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE", "the device refuses buffers of this size",
     less_memory},
    {CL_INVALID_GLOBAL_WORK_SIZE, "CL_INVALID_GLOBAL_WORK_SIZE", "the device refuses so many work-items",
     "choose smaller global sizes"},
    {CL_INVALID_PROPERTY, "CL_INVALID_PROPERTY", "a property is invalid", ""},
    {CL_INVALID_COMPILER_OPTIONS, "CL_INVALID_COMPILER_OPTIONS", "the compiler does not know an option", ""},
    {CL_INVALID_LINKER_OPTIONS, "CL_INVALID_LINKER_OPTIONS", "the linker does not know an option", ""},
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR", "OpenCL's loader found no driver",
     "install an OpenCL driver, for example Debian's pocl-opencl-icd for processors"},
    {-9999, "illegal access", "the kernel read or wrote memory outside its buffers",
     "this process can no longer use the device; start another"},
};

const Status* find_status(cl_int code) {
  const auto found = std::find_if(std::begin(statuses), std::end(statuses),
                                  [code](const Status& status) { return status.code == code; });
  return found == std::end(statuses) ? nullptr : found;
}

}  // namespace

std::string status_text(cl_int status) {
  if (const Status* known = find_status(status))
    return fmt::format("{} ({}, {})", known->words, known->name, status);
  return fmt::format("an error that OpenCL does not name ({})", status);
}

tl::unexpected<Error> status_error(cl_int status, const std::string& attempted, std::string note) {
  const Status* known = find_status(status);
  return device_error(fmt::format("{} failed: {}", attempted, status_text(status)), std::move(note),
                      known ? known->help : "");
}

bool has_ended(const Functions& functions, cl_event event) {
  cl_int status = CL_QUEUED;
  const cl_int asked =
      functions.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
  return asked != CL_SUCCESS || status <= CL_COMPLETE;
}

bool is_resource_shortage(cl_int status) {
  constexpr std::array shortages{CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES,
                                 CL_OUT_OF_HOST_MEMORY};
  return std::find(shortages.begin(), shortages.end(), status) != shortages.end();
}

}  // namespace hoist::runtime::opencl
