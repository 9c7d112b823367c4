#pragma once
// The part of the CUDA driver's and NVRTC's ABI that Hoist calls, found at run time, so that Hoist builds and
// starts on machines that have neither. Names and numbers are those of cuda.h and nvrtc.h; functions have the
// names of the symbols that the libraries export, which carry the version of the interface.
#include <cstddef>

#include "base/error.hpp"

namespace hoist::runtime::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUtexObject = unsigned long long;
using CUgreenCtx = struct CUgreenCtx_st*;
using CUdevResourceDesc = struct CUdevResourceDesc_st*;
using nvrtcResult = int;
using nvrtcProgram = struct _nvrtcProgram*;

// CUresult
inline constexpr CUresult CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1, CUDA_ERROR_OUT_OF_MEMORY = 2,
                          CUDA_ERROR_NO_DEVICE = 100, CUDA_ERROR_INVALID_IMAGE = 200,
                          CUDA_ERROR_NO_BINARY_FOR_GPU = 209, CUDA_ERROR_ECC_UNCORRECTABLE = 214,
                          CUDA_ERROR_INVALID_PTX = 218, CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
                          CUDA_ERROR_NOT_FOUND = 500, CUDA_ERROR_NOT_READY = 600,
                          CUDA_ERROR_ILLEGAL_ADDRESS = 700, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
                          CUDA_ERROR_LAUNCH_TIMEOUT = 702, CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
                          CUDA_ERROR_ASSERT = 710, CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
                          CUDA_ERROR_ILLEGAL_INSTRUCTION = 715, CUDA_ERROR_MISALIGNED_ADDRESS = 716,
                          CUDA_ERROR_INVALID_ADDRESS_SPACE = 717, CUDA_ERROR_INVALID_PC = 718,
                          CUDA_ERROR_LAUNCH_FAILED = 719, CUDA_ERROR_NOT_SUPPORTED = 801;
// CUdevice_attribute
inline constexpr int CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
                     CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5, CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
                     CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
                     CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT = 40,
                     CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH = 69,
                     CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
                     CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
                     CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97;
// CUfunction_attribute
inline constexpr int CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
                     CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3, CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
                     CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8;
// CUresourcetype, CUarray_format, CUaddress_mode, CUfilter_mode
inline constexpr int CU_RESOURCE_TYPE_LINEAR = 2, CU_AD_FORMAT_SIGNED_INT32 = 0x0a, CU_AD_FORMAT_FLOAT = 0x20,
                     CU_TR_ADDRESS_MODE_CLAMP = 1, CU_TR_FILTER_MODE_POINT = 0;
// Flags of textures: integers are read as they are.
inline constexpr unsigned int CU_TRSF_READ_AS_INTEGER = 1;
// CUjit_option
inline constexpr int CU_JIT_ERROR_LOG_BUFFER = 5, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6;
// CUstream_flags
inline constexpr unsigned int CU_STREAM_NON_BLOCKING = 1;
inline constexpr unsigned int CU_EVENT_DISABLE_TIMING = 2;
// Flags of memory that is pinned: for all contexts.
inline constexpr unsigned int CU_MEMHOSTREGISTER_PORTABLE = 1;
// Of green contexts: CUdevResourceType, and flags of divisions and of contexts.
inline constexpr int CU_DEV_RESOURCE_TYPE_SM = 1;
inline constexpr unsigned int CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING = 1,
                              CU_GREEN_CTX_DEFAULT_STREAM = 1;
// nvrtcResult
inline constexpr nvrtcResult NVRTC_SUCCESS = 0, NVRTC_ERROR_COMPILATION = 6;

/// What a texture reads: of the kinds that there are, linear memory.
struct CUDA_RESOURCE_DESC {
  int resType = CU_RESOURCE_TYPE_LINEAR;
  struct Linear {
    CUdeviceptr devPtr = 0;
    int format = CU_AD_FORMAT_FLOAT;
    unsigned int numChannels = 1;
    std::size_t sizeInBytes = 0;
  };
  union {
    Linear linear;
    int reserved[32];
  } res{};
  unsigned int flags = 0;
};

/// How a texture is read: with no filter, and by numbers of elements.
struct CUDA_TEXTURE_DESC {
  int addressMode[3] = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP};
  int filterMode = CU_TR_FILTER_MODE_POINT;
  unsigned int flags = 0;
  unsigned int maxAnisotropy = 0;
  int mipmapFilterMode = CU_TR_FILTER_MODE_POINT;
  float mipmapLevelBias = 0, minMipmapLevelClamp = 0, maxMipmapLevelClamp = 0;
  float borderColor[4] = {};
  int reserved[12] = {};
};

/// CUmemorytype
inline constexpr int CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE = 2;

/// A copy of rows.
struct CUDA_MEMCPY2D {
  std::size_t srcXInBytes = 0, srcY = 0;
  int srcMemoryType = CU_MEMORYTYPE_DEVICE;
  const void* srcHost = nullptr;
  CUdeviceptr srcDevice = 0;
  void* srcArray = nullptr;
  std::size_t srcPitch = 0;
  std::size_t dstXInBytes = 0, dstY = 0;
  int dstMemoryType = CU_MEMORYTYPE_DEVICE;
  void* dstHost = nullptr;
  CUdeviceptr dstDevice = 0;
  void* dstArray = nullptr;
  std::size_t dstPitch = 0;
  std::size_t WidthInBytes = 0, Height = 0;
};

/// The same between two devices.
struct CUDA_MEMCPY3D_PEER {
  std::size_t srcXInBytes = 0, srcY = 0, srcZ = 0, srcLOD = 0;
  int srcMemoryType = CU_MEMORYTYPE_DEVICE;
  const void* srcHost = nullptr;
  CUdeviceptr srcDevice = 0;
  void* srcArray = nullptr;
  CUcontext srcContext = nullptr;
  std::size_t srcPitch = 0, srcHeight = 0;
  std::size_t dstXInBytes = 0, dstY = 0, dstZ = 0, dstLOD = 0;
  int dstMemoryType = CU_MEMORYTYPE_DEVICE;
  void* dstHost = nullptr;
  CUdeviceptr dstDevice = 0;
  void* dstArray = nullptr;
  CUcontext dstContext = nullptr;
  std::size_t dstPitch = 0, dstHeight = 0;
  std::size_t WidthInBytes = 0, Height = 0, Depth = 1;
};

/// A set of multiprocessors: of the resources that there are, the one kind that Hoist asks for.
struct CUdevResource {
  int type = 0;  ///< CUdevResourceType
  unsigned char _internal_padding[92] = {};
  struct Multiprocessors {
    unsigned int smCount = 0;
    unsigned int minSmPartitionSize = 0;
    unsigned int smCoscheduledAlignment = 0;
  } sm;
  unsigned char rest[36] = {};  ///< of the union in which `sm` is
};

// clang-format off
#define HOIST_CUDA_FUNCTIONS(X)                                                                            \
  X(cuInit, (unsigned int flags))                                                                          \
  X(cuDriverGetVersion, (int* version))                                                                    \
  X(cuDeviceGetCount, (int* count))                                                                        \
  X(cuDeviceGet, (CUdevice* device, int ordinal))                                                          \
  X(cuDeviceGetName, (char* name, int length, CUdevice device))                                            \
  X(cuDeviceGetPCIBusId, (char* id, int length, CUdevice device))                                          \
  X(cuDeviceTotalMem_v2, (std::size_t* bytes, CUdevice device))                                            \
  X(cuDeviceGetAttribute, (int* value, int attribute, CUdevice device))                                    \
  X(cuDevicePrimaryCtxRetain, (CUcontext* context, CUdevice device))                                       \
  X(cuDevicePrimaryCtxRelease_v2, (CUdevice device))                                                       \
  X(cuDevicePrimaryCtxReset_v2, (CUdevice device))                                                         \
  X(cuCtxSetCurrent, (CUcontext context))                                                                  \
  X(cuStreamCreate, (CUstream* stream, unsigned int flags))                                                \
  X(cuStreamDestroy_v2, (CUstream stream))                                                                 \
  X(cuStreamSynchronize, (CUstream stream))                                                                \
  X(cuEventCreate, (CUevent* event, unsigned int flags))                                                   \
  X(cuEventDestroy_v2, (CUevent event))                                                                    \
  X(cuEventRecord, (CUevent event, CUstream stream))                                                       \
  X(cuEventSynchronize, (CUevent event))                                                                   \
  X(cuEventQuery, (CUevent event))                                                                         \
  X(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned int flags))                               \
  X(cuEventElapsedTime, (float* milliseconds, CUevent start, CUevent end))                                 \
  X(cuMemAlloc_v2, (CUdeviceptr* memory, std::size_t bytes))                                               \
  X(cuMemFree_v2, (CUdeviceptr memory))                                                                    \
  X(cuMemHostAlloc, (void** memory, std::size_t bytes, unsigned int flags))                                \
  X(cuMemFreeHost, (void* memory))                                                                         \
  X(cuMemHostRegister_v2, (void* memory, std::size_t bytes, unsigned int flags))                           \
  X(cuMemHostUnregister, (void* memory))                                                                   \
  X(cuMemGetInfo_v2, (std::size_t* free, std::size_t* total))                                              \
  X(cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream))          \
  X(cuMemcpyDtoHAsync_v2, (void* to, CUdeviceptr from, std::size_t bytes, CUstream stream))                \
  X(cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream))          \
  X(cuMemcpyPeerAsync, (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,    \
                        std::size_t bytes, CUstream stream))                                               \
  X(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D* copy, CUstream stream))                                      \
  X(cuMemcpy3DPeerAsync, (const CUDA_MEMCPY3D_PEER* copy, CUstream stream))                                \
  X(cuDeviceCanAccessPeer, (int* can, CUdevice device, CUdevice other))                                    \
  X(cuCtxEnablePeerAccess, (CUcontext other, unsigned int flags))                                          \
  X(cuMemsetD8Async, (CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream stream))            \
  X(cuTexObjectCreate, (CUtexObject* texture, const CUDA_RESOURCE_DESC* resource,                            \
                        const CUDA_TEXTURE_DESC* description, const void* view))                            \
  X(cuTexObjectDestroy, (CUtexObject texture))                                                              \
  X(cuModuleLoadDataEx, (CUmodule* module, const void* image, unsigned int count, int* options, void** values)) \
  X(cuModuleUnload, (CUmodule module))                                                                     \
  X(cuModuleGetFunction, (CUfunction* function, CUmodule module, const char* name))                        \
  X(cuFuncGetAttribute, (int* value, int attribute, CUfunction function))                                  \
  X(cuFuncSetAttribute, (CUfunction function, int attribute, int value))                                   \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int* blocks, CUfunction function, int threads, std::size_t bytes)) \
  X(cuLaunchKernel, (CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,   \
                     unsigned int block_x, unsigned int block_y, unsigned int block_z,                     \
                     unsigned int shared_bytes, CUstream stream, void** parameters, void** extra))         \
  X(cuGetErrorName, (CUresult status, const char** name))                                                  \
  X(cuGetErrorString, (CUresult status, const char** words))

// Of drivers since CUDA 12.4.
#define HOIST_GREEN_CONTEXT_FUNCTIONS(X)                                                                   \
  X(cuDeviceGetDevResource, (CUdevice device, CUdevResource* resource, int type))                          \
  X(cuDevSmResourceSplitByCount, (CUdevResource* groups, unsigned int* count, const CUdevResource* whole,  \
                                  CUdevResource* rest, unsigned int flags, unsigned int least))            \
  X(cuDevResourceGenerateDesc, (CUdevResourceDesc* description, CUdevResource* resources, unsigned int count)) \
  X(cuGreenCtxCreate, (CUgreenCtx* context, CUdevResourceDesc description, CUdevice device, unsigned int flags)) \
  X(cuGreenCtxDestroy, (CUgreenCtx context))                                                               \
  X(cuCtxFromGreenCtx, (CUcontext* context, CUgreenCtx green))

#define HOIST_NVRTC_FUNCTIONS(X)                                                                           \
  X(nvrtcVersion, (int* major, int* minor))                                                                \
  X(nvrtcGetNumSupportedArchs, (int* count))                                                               \
  X(nvrtcGetSupportedArchs, (int* architectures))                                                          \
  X(nvrtcCreateProgram, (nvrtcProgram* program, const char* source, const char* name, int header_count,    \
                         const char* const* headers, const char* const* include_names))                    \
  X(nvrtcDestroyProgram, (nvrtcProgram* program))                                                          \
  X(nvrtcCompileProgram, (nvrtcProgram program, int option_count, const char* const* options))             \
  X(nvrtcGetProgramLogSize, (nvrtcProgram program, std::size_t* bytes))                                    \
  X(nvrtcGetProgramLog, (nvrtcProgram program, char* log))                                                 \
  X(nvrtcGetCUBINSize, (nvrtcProgram program, std::size_t* bytes))                                         \
  X(nvrtcGetCUBIN, (nvrtcProgram program, char* cubin))                                                    \
  X(nvrtcGetPTXSize, (nvrtcProgram program, std::size_t* bytes))                                           \
  X(nvrtcGetPTX, (nvrtcProgram program, char* ptx))
// clang-format on

/// The driver's functions under their own names.
struct Driver {
#define HOIST_DECLARE_FUNCTION(name, parameters) CUresult(*name) parameters = nullptr;
  HOIST_CUDA_FUNCTIONS(HOIST_DECLARE_FUNCTION)
  HOIST_GREEN_CONTEXT_FUNCTIONS(HOIST_DECLARE_FUNCTION)  // null in older drivers
#undef HOIST_DECLARE_FUNCTION
  /// Of drivers since CUDA 11.1; older ones tell it as an attribute.
  CUresult (*cuDeviceGetTexture1DLinearMaxWidth)(std::size_t* elements, int format, unsigned int channels,
                                                 CUdevice device) = nullptr;
};

/// NVRTC's functions under their own names.
struct Nvrtc {
#define HOIST_DECLARE_FUNCTION(name, parameters) nvrtcResult(*name) parameters = nullptr;
  HOIST_NVRTC_FUNCTIONS(HOIST_DECLARE_FUNCTION)
#undef HOIST_DECLARE_FUNCTION
  const char* (*nvrtcGetErrorString)(nvrtcResult status) = nullptr;
  int major = 0, minor = 0;
};

/// Opens the driver: the library that the environment variable HOIST_CUDA_LIBRARY names, else libcuda.so.1.
/// Device error when it is missing. Libraries stay open until the process ends.
Result<Driver> load_driver();

/// Opens NVRTC: the library that HOIST_NVRTC_LIBRARY names, else the newest one found whose code a driver for
/// CUDA `driver_major` takes (0: whichever is found first). Device error when there is none.
Result<Nvrtc> load_nvrtc(int driver_major = 0);

}  // namespace hoist::runtime::cuda
