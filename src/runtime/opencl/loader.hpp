#pragma once
// OpenCL's functions, found at run time, so that Hoist starts on machines that have no OpenCL.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <utility>

#include "base/error.hpp"

namespace hoist::runtime::opencl {

// The functions that Hoist calls, all of OpenCL 1.2.
// clang-format off
#define HOIST_OPENCL_FUNCTIONS(X)                                                                          \
  X(clGetPlatformIDs) X(clGetPlatformInfo) X(clGetDeviceIDs) X(clGetDeviceInfo)                            \
  X(clCreateContext) X(clReleaseContext) X(clCreateCommandQueue) X(clReleaseCommandQueue)                  \
  X(clCreateBuffer) X(clCreateImage) X(clReleaseMemObject) X(clEnqueueCopyBufferToImage)                   \
  X(clCreateProgramWithSource) X(clBuildProgram) X(clGetProgramBuildInfo) X(clReleaseProgram)              \
  X(clCreateProgramWithBinary) X(clGetProgramInfo)                                                         \
  X(clCreateKernel) X(clReleaseKernel) X(clGetKernelInfo) X(clGetKernelWorkGroupInfo) X(clSetKernelArg)    \
  X(clEnqueueReadBuffer) X(clEnqueueWriteBuffer) X(clEnqueueFillBuffer) X(clEnqueueCopyBuffer)             \
  X(clEnqueueNDRangeKernel) X(clWaitForEvents) X(clGetEventProfilingInfo) X(clReleaseEvent) X(clFinish)    \
  X(clRetainEvent) X(clGetEventInfo) X(clCreateSubDevices) X(clFlush) X(clEnqueueMarkerWithWaitList)       \
  X(clEnqueueMapBuffer) X(clEnqueueUnmapMemObject)                                                         \
  X(clEnqueueReadBufferRect) X(clEnqueueWriteBufferRect) X(clEnqueueCopyBufferRect)
// clang-format on

/// OpenCL's functions under their own names.
struct Functions {
#define HOIST_DECLARE_FUNCTION(name) decltype(&::name) name = nullptr;
  HOIST_OPENCL_FUNCTIONS(HOIST_DECLARE_FUNCTION)
#undef HOIST_DECLARE_FUNCTION
};

/// Opens the loader: the library that the environment variable HOIST_OPENCL_LIBRARY names, else
/// libOpenCL.so.1. It stays open until the process ends, because drivers keep threads running in it. Device
/// error when it is missing.
Result<Functions> load_functions();

/// One reference to an OpenCL object, released with its handle.
template <class Object>
class Handle {
 public:
  using Release = cl_int (*)(Object);
  Handle() = default;
  Handle(Object object, Release release) : object_(object), release_(release) {}
  Handle(Handle&& other) noexcept { *this = std::move(other); }
  Handle& operator=(Handle&& other) noexcept {
    std::swap(object_, other.object_);
    std::swap(release_, other.release_);
    return *this;
  }
  // The status of a release is of no use: nothing can be done about an object that will not go.
  ~Handle() {
    if (object_) release_(object_);
  }
  Object get() const { return object_; }

 private:
  Object object_ = nullptr;
  Release release_ = nullptr;
};

}  // namespace hoist::runtime::opencl
