// The declarations of our own against NVIDIA's headers, where those are installed.
#include <gtest/gtest.h>

#include <tuple>

#include "runtime/cuda/driver.hpp"
#include "support/abi.hpp"

#if __has_include(<cuda.h>) && __has_include(<nvrtc.h>)
#include <cuda.h>
#include <nvrtc.h>

// The header gives this name to a newer interface, which takes the same.
#ifdef cuEventElapsedTime
#undef cuEventElapsedTime
extern "C" decltype(cuEventElapsedTime_v2) cuEventElapsedTime;
#endif

// Macros in the header, and constants of ours.
constexpr unsigned int read_as_integer = CU_TRSF_READ_AS_INTEGER;
#undef CU_TRSF_READ_AS_INTEGER
constexpr unsigned int pinned_for_all = CU_MEMHOSTREGISTER_PORTABLE;
#undef CU_MEMHOSTREGISTER_PORTABLE

namespace hoist::runtime {
namespace {

using testing_support::are_alike;

// The header's macros give the names of the newest interface; the event's has a newer one than ours, which is
// alike.
#define HOIST_CHECK(name, parameters) \
  static_assert(are_alike(decltype(cuda::Driver::name)(), decltype (&::name)()), #name);
HOIST_CUDA_FUNCTIONS(HOIST_CHECK)
#if CUDA_VERSION >= 12040
HOIST_GREEN_CONTEXT_FUNCTIONS(HOIST_CHECK)
#endif
#undef HOIST_CHECK
#define HOIST_CHECK(name, parameters) \
  static_assert(are_alike(decltype(cuda::Nvrtc::name)(), decltype (&::name)()), #name);
HOIST_NVRTC_FUNCTIONS(HOIST_CHECK)
#undef HOIST_CHECK

// clang-format off
#define HOIST_CUDA_NUMBERS(X) \
  X(CUDA_SUCCESS) X(CUDA_ERROR_INVALID_VALUE) X(CUDA_ERROR_OUT_OF_MEMORY) X(CUDA_ERROR_NO_DEVICE) \
  X(CUDA_ERROR_INVALID_IMAGE) X(CUDA_ERROR_NO_BINARY_FOR_GPU) X(CUDA_ERROR_ECC_UNCORRECTABLE) \
  X(CUDA_ERROR_INVALID_PTX) X(CUDA_ERROR_UNSUPPORTED_PTX_VERSION) X(CUDA_ERROR_NOT_FOUND) X(CUDA_ERROR_NOT_READY) X(CUDA_ERROR_NOT_SUPPORTED) \
  X(CUDA_ERROR_ILLEGAL_ADDRESS) X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES) X(CUDA_ERROR_LAUNCH_TIMEOUT) \
  X(CUDA_ERROR_CONTEXT_IS_DESTROYED) X(CUDA_ERROR_ASSERT) X(CUDA_ERROR_HARDWARE_STACK_ERROR) \
  X(CUDA_ERROR_ILLEGAL_INSTRUCTION) X(CUDA_ERROR_MISALIGNED_ADDRESS) \
  X(CUDA_ERROR_INVALID_ADDRESS_SPACE) X(CUDA_ERROR_INVALID_PC) X(CUDA_ERROR_LAUNCH_FAILED) \
  X(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK) X(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X) \
  X(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X) X(CU_DEVICE_ATTRIBUTE_WARP_SIZE) \
  X(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) X(CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT) X(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH) \
  X(CU_MEMORYTYPE_HOST) X(CU_MEMORYTYPE_DEVICE) \
  X(CU_RESOURCE_TYPE_LINEAR) X(CU_AD_FORMAT_SIGNED_INT32) X(CU_AD_FORMAT_FLOAT) X(CU_TR_ADDRESS_MODE_CLAMP) \
  X(CU_TR_FILTER_MODE_POINT) X(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) \
  X(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) X(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR) \
  X(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) X(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK) \
  X(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES) X(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES) \
  X(CU_FUNC_ATTRIBUTE_NUM_REGS) X(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) \
  X(CU_JIT_ERROR_LOG_BUFFER) X(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) X(CU_STREAM_NON_BLOCKING) X(CU_EVENT_DISABLE_TIMING) \
  X(NVRTC_SUCCESS) X(NVRTC_ERROR_COMPILATION)
// clang-format on

TEST(CudaAbi, NumbersAreThoseOfTheHeader) {
#define HOIST_CHECK(name) EXPECT_EQ(static_cast<int>(cuda::name), static_cast<int>(::name)) << #name;
  HOIST_CUDA_NUMBERS(HOIST_CHECK)
#undef HOIST_CHECK
  static_assert(sizeof(cuda::CUdeviceptr) == sizeof(::CUdeviceptr));
  static_assert(sizeof(cuda::CUtexObject) == sizeof(::CUtexObject));
  EXPECT_EQ(cuda::CU_TRSF_READ_AS_INTEGER, read_as_integer);
  EXPECT_EQ(cuda::CU_MEMHOSTREGISTER_PORTABLE, pinned_for_all);
}

TEST(CudaAbi, StructuresAreThoseOfTheHeader) {
  static_assert(are_alike(decltype(cuda::Driver::cuDeviceGetTexture1DLinearMaxWidth)(),
                          &::cuDeviceGetTexture1DLinearMaxWidth));
  static_assert(sizeof(cuda::CUDA_RESOURCE_DESC) == sizeof(::CUDA_RESOURCE_DESC));
  static_assert(sizeof(cuda::CUDA_TEXTURE_DESC) == sizeof(::CUDA_TEXTURE_DESC));
  static_assert(sizeof(cuda::CUDA_MEMCPY2D) == sizeof(::CUDA_MEMCPY2D));
  static_assert(sizeof(cuda::CUDA_MEMCPY3D_PEER) == sizeof(::CUDA_MEMCPY3D_PEER));
#define HOIST_CHECK(type, field) static_assert(offsetof(cuda::type, field) == offsetof(::type, field))
  HOIST_CHECK(CUDA_RESOURCE_DESC, resType);
  HOIST_CHECK(CUDA_RESOURCE_DESC, res.linear.devPtr);
  HOIST_CHECK(CUDA_RESOURCE_DESC, res.linear.format);
  HOIST_CHECK(CUDA_RESOURCE_DESC, res.linear.numChannels);
  HOIST_CHECK(CUDA_RESOURCE_DESC, res.linear.sizeInBytes);
  HOIST_CHECK(CUDA_RESOURCE_DESC, flags);
  HOIST_CHECK(CUDA_TEXTURE_DESC, addressMode);
  HOIST_CHECK(CUDA_TEXTURE_DESC, filterMode);
  HOIST_CHECK(CUDA_TEXTURE_DESC, flags);
  HOIST_CHECK(CUDA_TEXTURE_DESC, maxAnisotropy);
  HOIST_CHECK(CUDA_TEXTURE_DESC, mipmapFilterMode);
  HOIST_CHECK(CUDA_TEXTURE_DESC, borderColor);
  HOIST_CHECK(CUDA_MEMCPY2D, srcXInBytes);
  HOIST_CHECK(CUDA_MEMCPY2D, srcMemoryType);
  HOIST_CHECK(CUDA_MEMCPY2D, srcHost);
  HOIST_CHECK(CUDA_MEMCPY2D, srcDevice);
  HOIST_CHECK(CUDA_MEMCPY2D, srcPitch);
  HOIST_CHECK(CUDA_MEMCPY2D, dstXInBytes);
  HOIST_CHECK(CUDA_MEMCPY2D, dstMemoryType);
  HOIST_CHECK(CUDA_MEMCPY2D, dstHost);
  HOIST_CHECK(CUDA_MEMCPY2D, dstDevice);
  HOIST_CHECK(CUDA_MEMCPY2D, dstPitch);
  HOIST_CHECK(CUDA_MEMCPY2D, WidthInBytes);
  HOIST_CHECK(CUDA_MEMCPY2D, Height);
  HOIST_CHECK(CUDA_MEMCPY3D_PEER, srcXInBytes);
  HOIST_CHECK(CUDA_MEMCPY3D_PEER, srcMemoryType);
  HOIST_CHECK(CUDA_MEMCPY3D_PEER, srcDevice);
  HOIST_CHECK(CUDA_MEMCPY3D_PEER, srcContext);
  HOIST_CHECK(CUDA_MEMCPY3D_PEER, srcPitch);
  HOIST_CHECK(CUDA_MEMCPY3D_PEER, srcHeight);
  HOIST_CHECK(CUDA_MEMCPY3D_PEER, dstXInBytes);
  HOIST_CHECK(CUDA_MEMCPY3D_PEER, dstMemoryType);
  HOIST_CHECK(CUDA_MEMCPY3D_PEER, dstDevice);
  HOIST_CHECK(CUDA_MEMCPY3D_PEER, dstContext);
  HOIST_CHECK(CUDA_MEMCPY3D_PEER, dstPitch);
  HOIST_CHECK(CUDA_MEMCPY3D_PEER, dstHeight);
  HOIST_CHECK(CUDA_MEMCPY3D_PEER, WidthInBytes);
  HOIST_CHECK(CUDA_MEMCPY3D_PEER, Height);
  HOIST_CHECK(CUDA_MEMCPY3D_PEER, Depth);
#undef HOIST_CHECK
}

#if CUDA_VERSION >= 12040
TEST(CudaAbi, GreenContextsAreThoseOfTheHeader) {
  static_assert(sizeof(cuda::CUdevResource) == sizeof(::CUdevResource));
#define HOIST_CHECK(field) \
  static_assert(offsetof(cuda::CUdevResource, field) == offsetof(::CUdevResource, field))
  HOIST_CHECK(type);
  HOIST_CHECK(sm);
  HOIST_CHECK(sm.smCount);
  HOIST_CHECK(sm.minSmPartitionSize);
  HOIST_CHECK(sm.smCoscheduledAlignment);
#undef HOIST_CHECK
#define HOIST_CHECK(name) EXPECT_EQ(static_cast<int>(cuda::name), static_cast<int>(::name)) << #name
  HOIST_CHECK(CU_DEV_RESOURCE_TYPE_SM);
  HOIST_CHECK(CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING);
  HOIST_CHECK(CU_GREEN_CTX_DEFAULT_STREAM);
#undef HOIST_CHECK
}
#endif

}  // namespace
}  // namespace hoist::runtime

#else

TEST(CudaAbi, NumbersAreThoseOfTheHeader) { GTEST_SKIP() << "CUDA's headers are not installed"; }

#endif
