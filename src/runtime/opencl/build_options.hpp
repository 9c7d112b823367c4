#pragma once
// What kernels are compiled with, by the runtime and by exported C alike.

namespace hoist::runtime::opencl {

inline constexpr const char* usual_build_options = "-cl-std=CL1.2";
/// HOIST_CP_ASYNC tells a kernel (codegen/opencl/helpers.cpp) that the device has asynchronous copies.
inline constexpr const char* build_options_with_copies = "-cl-std=CL1.2 -D HOIST_CP_ASYNC";
/// CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, which NVIDIA's devices alone tell; the first that has them.
inline constexpr unsigned nvidia_capability_query = 0x4000, first_capability_with_copies = 8;

}  // namespace hoist::runtime::opencl
