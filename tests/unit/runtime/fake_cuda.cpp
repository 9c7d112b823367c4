// A CUDA driver, an NVRTC (fake_compiler.cpp) and an NVML for tests, in one library: kernels are compiled by
// the host's compiler and run on the processor, each block's threads as coroutines that wait for each other
// at barriers and shuffles. Environment variables make it fail:
//   FAKE_CUDA_DEVICES        how many devices there are (1)
//   FAKE_CUDA_ARCHITECTURES  what NVRTC compiles for ("75,80,90"); the device is 9.0
//   FAKE_CUDA_GONE           a file: while it exists, the device whose number it holds is gone
//   FAKE_CUDA_MEMORY         bytes of the device's memory (1 GiB)
//   FAKE_CUDA_HELD           bytes of it that other programs hold (0)
//   FAKE_CUDA_TEXELS         elements of the largest texture over linear memory (2^28); 0: only the
//                            attribute tells
//   FAKE_CUDA_LAUNCH_STATUS  what a launch of a kernel whose name begins with "bad" gives, at once (below
//                            700) or when it is waited for, and then the context is lost
//   FAKE_CUDA_FAIL_LAUNCH    a number: that launch of a context, counted while the variable is set, runs half
//                            of its blocks, and then the context is lost
//   FAKE_CUDA_PACE           percent: kernels take so much of their time, and up to twice as long by their
//                            source, which says it alone: the same on every day
// fake_streams.hpp has those of streams.
#include <dlfcn.h>
#include <ucontext.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fake_streams.hpp"
#include "runtime/cuda/driver.hpp"

using namespace hoist::runtime::cuda;
using namespace fake;

namespace {

// ---- The device

CUdevice opened = 0;  // the one that this process uses

bool is_gone(CUdevice device) {
  const char* path = std::getenv("FAKE_CUDA_GONE");
  std::ifstream file(path ? path : "");
  CUdevice which = -1;
  return file >> which && which == device;
}

std::size_t context = 0, retained = 0, used = 0;
std::map<CUdeviceptr, std::size_t> allocations;
/// A texture object points to one of these; the prelude of fake_compiler.cpp declares the same.
struct Texture {
  CUdeviceptr memory;
  std::size_t bytes;
};
std::set<CUtexObject> textures;  // those that were not destroyed

std::size_t memory() { return static_cast<std::size_t>(number("FAKE_CUDA_MEMORY", 1L << 30)); }
std::size_t held() { return static_cast<std::size_t>(number("FAKE_CUDA_HELD", 0)); }

bool is_inside(CUdeviceptr at, std::size_t bytes) {
  const auto after = allocations.upper_bound(at);
  if (after == allocations.begin()) return false;
  const auto& [begin, size] = *std::prev(after);
  return at + bytes <= begin + size;
}

void* host(CUdeviceptr at) { return reinterpret_cast<void*>(at); }

double copy_seconds(std::size_t bytes) { return static_cast<double>(bytes) * 1e-9; }

CUresult copied(void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
  return CUDA_SUCCESS;
}

long launches = 0;  // in this context, while FAKE_CUDA_FAIL_LAUNCH is set

/// Whether this is the launch that FAKE_CUDA_FAIL_LAUNCH means.
bool is_to_fail() {
  const long which = number("FAKE_CUDA_FAIL_LAUNCH", 0);
  return which > 0 && ++launches == which;
}

// ---- Blocks

struct Index {
  unsigned int x, y, z;
};
/// What a compiled kernel reads of its thread: the prelude of fake_compiler.cpp declares the same.
struct Thread {
  Index thread, block, size, grid;
};

constexpr std::size_t stack_bytes = 64 * 1024;
enum class Wait { Nobody, Warp, Block, Forever };
struct Copy {
  void* to;
  const void* from;
  std::size_t bytes, given;  // the others become zeros
};
struct Coroutine {
  ucontext_t context;
  std::vector<char> stack;
  Index thread;
  Wait wait = Wait::Nobody;
  /// Asynchronous copies, which happen as late as they may: when the thread waits for their group.
  std::vector<Copy> uncommitted;
  std::deque<std::vector<Copy>> committed;
};
ucontext_t scheduler;
Coroutine* running = nullptr;
using Call = void (*)(void**);
Call kernel_call = nullptr;
void** kernel_parameters = nullptr;

void wait(Wait for_whom) {
  running->wait = for_whom;
  swapcontext(&running->context, &scheduler);
}
void wait_for_block() { wait(Wait::Block); }
void wait_for_warp() { wait(Wait::Warp); }

void copy_later(void* to, const void* from, int bytes, int given) {
  running->uncommitted.push_back(
      {to, from, static_cast<std::size_t>(bytes), static_cast<std::size_t>(given)});
}
void commit_copies() { running->committed.push_back(std::exchange(running->uncommitted, {})); }
void wait_for_copies(int pending) {
  for (; running->committed.size() > static_cast<std::size_t>(pending); running->committed.pop_front()) {
    for (const Copy& each : running->committed.front()) {
      std::memset(each.to, 0, each.bytes);
      std::memcpy(each.to, each.from, each.given);
    }
  }
}

void run_thread() {
  kernel_call(kernel_parameters);
  running->wait = Wait::Forever;
}

void prepare(Coroutine& thread, Index id) {
  thread.stack.resize(stack_bytes);
  thread.thread = id;
  thread.wait = Wait::Nobody;
  thread.uncommitted.clear();
  thread.committed.clear();
  getcontext(&thread.context);
  thread.context.uc_stack.ss_sp = thread.stack.data();
  thread.context.uc_stack.ss_size = stack_bytes;
  thread.context.uc_link = &scheduler;
  makecontext(&thread.context, run_thread, 0);
}

/// Lets the threads go on if all of them (or, if some may have ended, of the others) wait for each other.
bool release(std::span<Coroutine> threads, Wait for_whom, bool may_have_ended) {
  bool is_any = false;
  for (const Coroutine& each : threads) {
    if (each.wait == Wait::Forever && may_have_ended) continue;
    if (each.wait != for_whom) return false;
    is_any = true;
  }
  for (Coroutine& each : threads) {
    if (each.wait == for_whom) each.wait = Wait::Nobody;
  }
  return is_any;
}

void run_block(Thread& state) {
  const Index size = state.size;
  static std::vector<Coroutine> threads;
  threads.resize(std::size_t{size.x} * size.y * size.z);
  unsigned int at = 0;
  for (Coroutine& each : threads) {
    prepare(each, {at % size.x, at / size.x % size.y, at / size.x / size.y});
    ++at;
  }
  for (bool is_alive = true; is_alive;) {
    for (Coroutine& each : threads) {
      if (each.wait != Wait::Nobody) continue;
      running = &each;
      state.thread = each.thread;
      swapcontext(&scheduler, &each.context);
    }
    is_alive = false;
    constexpr std::size_t warp = 32;
    for (std::size_t first = 0; first + warp <= threads.size(); first += warp) {
      is_alive |= release(std::span(threads).subspan(first, warp), Wait::Warp, false);
    }
    is_alive |= release(threads, Wait::Block, true);
  }
  for (const Coroutine& each : threads) {
    if (each.wait == Wait::Forever) continue;
    std::fprintf(stderr, "fake CUDA: not all threads came to a barrier or a shuffle\n");
    std::abort();
  }
}

/// Sets a pointer that a compiled library has.
template <class Function>
void provide(void* library, const char* name, Function* function) {
  *reinterpret_cast<Function**>(dlsym(library, name)) = function;
}

}  // namespace

extern "C" {

#define REQUIRE_CONTEXT              \
  const std::lock_guard lock(mutex); \
  if (lost != CUDA_SUCCESS) return lost

CUresult cuInit(unsigned int) {
  return number("FAKE_CUDA_DEVICES", 1) > 0 ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}
CUresult cuDriverGetVersion(int* version) {
  *version = 13000;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int* count) {
  *count = static_cast<int>(number("FAKE_CUDA_DEVICES", 1));
  return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char* name, int length, CUdevice) {
  std::strncpy(name, "Fake", static_cast<std::size_t>(length));
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetPCIBusId(char* id, int length, CUdevice device) {
  std::snprintf(id, static_cast<std::size_t>(length), "00000000:%02X:00.0", device + 16);
  return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice) {
  *bytes = memory();
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, int attribute, CUdevice) {
  static const std::map<int, int> values = {{1, 1024}, {2, 1024},     {3, 1024},   {4, 64},
                                            {10, 32},  {13, 1980000}, {16, 132},   {69, 1 << 20},
                                            {75, 9},   {76, 0},       {97, 232448}};
  *value = attribute == CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT
               ? static_cast<int>(number("FAKE_CUDA_COPY_ENGINES", 2))
               : values.at(attribute);
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* to, CUdevice device) {
  opened = device;
  if (is_gone(device)) return CUDA_ERROR_NO_DEVICE;
  if (retained++ == 0) ++context;
  // Each device has its own.
  *to = reinterpret_cast<CUcontext>(context * 256 + static_cast<std::size_t>(device));
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) {
  --retained;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxReset_v2(CUdevice) {
  const std::lock_guard lock(mutex);
  forget_all();
  launches = 0;
  lost = pending = CUDA_SUCCESS;
  for (const auto& [at, bytes] : allocations) std::free(host(at));
  allocations.clear();
  textures.clear();
  used = 0;
  return CUDA_SUCCESS;
}
CUresult cuMemAlloc_v2(CUdeviceptr* to, std::size_t bytes) {
  REQUIRE_CONTEXT;
  if (used + bytes > memory() - held()) return CUDA_ERROR_OUT_OF_MEMORY;
  *to = reinterpret_cast<CUdeviceptr>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  allocations[*to] = bytes;
  used += bytes;
  return CUDA_SUCCESS;
}
CUresult cuMemFree_v2(CUdeviceptr at) {
  REQUIRE_CONTEXT;
  const auto known = allocations.find(at);
  if (known == allocations.end()) return CUDA_ERROR_INVALID_VALUE;
  check_unused(at, known->second);
  run_all();
  used -= known->second;
  allocations.erase(known);
  std::free(host(at));
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetTexture1DLinearMaxWidth(std::size_t* elements, int, unsigned int, CUdevice) {
  *elements = static_cast<std::size_t>(number("FAKE_CUDA_TEXELS", 1L << 28));
  return *elements == 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
CUresult cuTexObjectCreate(CUtexObject* texture, const CUDA_RESOURCE_DESC* resource,
                           const CUDA_TEXTURE_DESC* description, const void*) {
  REQUIRE_CONTEXT;
  const auto& linear = resource->res.linear;
  const bool is_integer = linear.format == CU_AD_FORMAT_SIGNED_INT32;
  if (resource->resType != CU_RESOURCE_TYPE_LINEAR || !is_inside(linear.devPtr, linear.sizeInBytes) ||
      linear.devPtr % 256 != 0 || linear.sizeInBytes % (4 * linear.numChannels) != 0 ||
      (!is_integer && linear.format != CU_AD_FORMAT_FLOAT) ||
      description->flags != (is_integer ? CU_TRSF_READ_AS_INTEGER : 0))
    return CUDA_ERROR_INVALID_VALUE;
  *texture = reinterpret_cast<CUtexObject>(new Texture{linear.devPtr, linear.sizeInBytes});
  textures.insert(*texture);
  return CUDA_SUCCESS;
}
CUresult cuTexObjectDestroy(CUtexObject texture) {
  REQUIRE_CONTEXT;
  if (textures.erase(texture) == 0) return CUDA_ERROR_INVALID_VALUE;
  run_all();
  delete reinterpret_cast<Texture*>(texture);
  return CUDA_SUCCESS;
}
CUresult cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  *total = memory();
  *free = memory() - held() - used;
  return lost;
}
// Of memory that is not pinned, what is uploaded is taken at once, and a download waits for its end.
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
  REQUIRE_CONTEXT;
  if (!is_inside(to, bytes)) return CUDA_ERROR_INVALID_VALUE;
  if (is_pinned(from, bytes)) {
    give(stream, Engine::Upload, copy_seconds(bytes), [=] { return copied(host(to), from, bytes); });
    return CUDA_SUCCESS;
  }
  const char* const begin = static_cast<const char*>(from);
  give(stream, Engine::Upload, 2 * copy_seconds(bytes),
       [to, taken = std::vector<char>(begin, begin + bytes)] {
         return copied(host(to), taken.data(), taken.size());
       });
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  REQUIRE_CONTEXT;
  if (!is_inside(from, bytes)) return CUDA_ERROR_INVALID_VALUE;
  const bool is_fast = is_pinned(to, bytes);
  give(stream, Engine::Download, copy_seconds(bytes) * (is_fast ? 1 : 2),
       [=] { return copied(to, host(from), bytes); });
  if (!is_fast) run_stream(stream);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  REQUIRE_CONTEXT;
  if (!is_inside(from, bytes) || !is_inside(to, bytes)) return CUDA_ERROR_INVALID_VALUE;
  give(stream, Engine::Compute, copy_seconds(bytes) / 16,
       [=] { return copied(host(to), host(from), bytes); });
  return CUDA_SUCCESS;
}
// Devices share the processor's memory. A copy engine moves it, ten times as fast where it reaches the other
// device.
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                           std::size_t bytes, CUstream stream) {
  REQUIRE_CONTEXT;
  if (!is_inside(from, bytes) || !is_inside(to, bytes)) return CUDA_ERROR_INVALID_VALUE;
  const double seconds = copy_seconds(bytes) / (is_reached(to_context, from_context) ? 10 : 1);
  give(stream, Engine::Upload, seconds, [=] { return copied(host(to), host(from), bytes); });
  return CUDA_SUCCESS;
}
// As the others, row by row; a device's rows all lie in one allocation.
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* copy, CUstream stream) {
  REQUIRE_CONTEXT;
  const CUDA_MEMCPY2D rows = *copy;
  const auto span = [&](std::size_t pitch) { return (rows.Height - 1) * pitch + rows.WidthInBytes; };
  const bool is_upload = rows.srcMemoryType == CU_MEMORYTYPE_HOST,
             is_download = rows.dstMemoryType == CU_MEMORYTYPE_HOST;
  if (rows.Height == 0 || rows.srcPitch < rows.WidthInBytes || rows.dstPitch < rows.WidthInBytes ||
      (!is_upload && !is_inside(rows.srcDevice, span(rows.srcPitch))) ||
      (!is_download && !is_inside(rows.dstDevice, span(rows.dstPitch))))
    return CUDA_ERROR_INVALID_VALUE;
  const auto move = [rows](const void* from, void* to) {
    for (std::size_t row = 0; row < rows.Height; ++row) {
      const CUresult status = copied(static_cast<char*>(to) + row * rows.dstPitch,
                                     static_cast<const char*>(from) + row * rows.srcPitch, rows.WidthInBytes);
      if (status != CUDA_SUCCESS) return status;
    }
    return CUDA_SUCCESS;
  };
  const double seconds = copy_seconds(rows.WidthInBytes * rows.Height);
  if (is_upload && !is_pinned(rows.srcHost, span(rows.srcPitch))) {
    const char* const begin = static_cast<const char*>(rows.srcHost);
    give(stream, Engine::Upload, 2 * seconds,
         [move, rows, taken = std::vector<char>(begin, begin + span(rows.srcPitch))] {
           return move(taken.data(), host(rows.dstDevice));
         });
  } else if (is_upload) {
    give(stream, Engine::Upload, seconds, [=] { return move(rows.srcHost, host(rows.dstDevice)); });
  } else if (is_download) {
    const bool is_fast = is_pinned(rows.dstHost, span(rows.dstPitch));
    give(stream, Engine::Download, seconds * (is_fast ? 1 : 2),
         [=] { return move(host(rows.srcDevice), rows.dstHost); });
    if (!is_fast) run_stream(stream);
  } else {
    give(stream, Engine::Compute, seconds / 16,
         [=] { return move(host(rows.srcDevice), host(rows.dstDevice)); });
  }
  return CUDA_SUCCESS;
}
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* copy, CUstream stream) {
  REQUIRE_CONTEXT;
  const CUDA_MEMCPY3D_PEER rows = *copy;
  const auto span = [&](std::size_t pitch) { return (rows.Height - 1) * pitch + rows.WidthInBytes; };
  if (rows.Depth != 1 || rows.Height == 0 || !is_inside(rows.srcDevice, span(rows.srcPitch)) ||
      !is_inside(rows.dstDevice, span(rows.dstPitch)))
    return CUDA_ERROR_INVALID_VALUE;
  const double seconds = copy_seconds(rows.WidthInBytes * rows.Height);
  give(stream, Engine::Upload, seconds / (is_reached(rows.dstContext, rows.srcContext) ? 10 : 1), [rows] {
    for (std::size_t row = 0; row < rows.Height; ++row) {
      const CUresult status =
          copied(static_cast<char*>(host(rows.dstDevice)) + row * rows.dstPitch,
                 static_cast<const char*>(host(rows.srcDevice)) + row * rows.srcPitch, rows.WidthInBytes);
      if (status != CUDA_SUCCESS) return status;
    }
    return CUDA_SUCCESS;
  });
  return CUDA_SUCCESS;
}
CUresult cuDeviceCanAccessPeer(int* can, CUdevice, CUdevice) {
  *can = 1;
  return CUDA_SUCCESS;
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream stream) {
  REQUIRE_CONTEXT;
  if (!is_inside(to, bytes)) return CUDA_ERROR_INVALID_VALUE;
  give(stream, Engine::Compute, copy_seconds(bytes) / 16, [=]() -> CUresult {
    std::memset(host(to), value, bytes);
    return CUDA_SUCCESS;
  });
  return CUDA_SUCCESS;
}

// PTX is the path of what was compiled, after its first line; a cubin is the path alone.
CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned int, int*, void**) {
  REQUIRE_CONTEXT;
  std::string path = static_cast<const char*>(image);
  if (path.starts_with("ptx\n")) path = path.substr(4);
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return CUDA_ERROR_INVALID_IMAGE;
  provide(library, "fake_barrier", wait_for_block);
  provide(library, "fake_warp", wait_for_warp);
  provide(library, "fake_copy", copy_later);
  provide(library, "fake_commit", commit_copies);
  provide(library, "fake_await", wait_for_copies);
  *module = reinterpret_cast<CUmodule>(library);
  return CUDA_SUCCESS;
}
CUresult cuModuleUnload(CUmodule) { return CUDA_SUCCESS; }  // the process ends soon

struct CUfunc {
  std::string name;
  Call call;
  Thread* thread;
  const unsigned long* sizes;  // of its parameters, then 0
  const double* effort;        // of all that is in its source
  int dynamic = 0;
};
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  REQUIRE_CONTEXT;
  void* call = dlsym(module, (std::string("call_") + name).c_str());
  if (!call) return CUDA_ERROR_NOT_FOUND;
  // They stay to the end, as modules do, whoever ends last.
  static auto& functions = *new std::deque<CUfunc>;
  functions.push_back(
      {name, reinterpret_cast<Call>(call), static_cast<Thread*>(dlsym(module, "fake_thread")),
       static_cast<const unsigned long*>(dlsym(module, (std::string("sizes_") + name).c_str())),
       static_cast<const double*>(dlsym(module, (std::string("effort_") + name).c_str()))});
  *function = reinterpret_cast<CUfunction>(&functions.back());
  return CUDA_SUCCESS;
}
CUresult cuFuncGetAttribute(int* value, int attribute, CUfunction) {
  static const std::map<int, int> values = {{0, 1024}, {1, 16}, {3, 8}, {4, 40}};
  *value = values.at(attribute);
  return lost;
}
CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value) {
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) return CUDA_ERROR_INVALID_VALUE;
  reinterpret_cast<CUfunc*>(function)->dynamic = value;
  return lost;
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int threads, std::size_t) {
  *blocks = 2048 / threads;
  return lost;
}
CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y, unsigned int block_z,
                        unsigned int shared_bytes, CUstream stream, void** parameters, void**) {
  REQUIRE_CONTEXT;
  const CUfunc& kernel = *reinterpret_cast<CUfunc*>(function);
  if (is_gone(opened)) lost = CUDA_ERROR_LAUNCH_FAILED;
  if (lost != CUDA_SUCCESS) return lost;
  if (shared_bytes > 48 * 1024 && static_cast<int>(shared_bytes) > kernel.dynamic)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult failure = CUDA_SUCCESS;
  if (kernel.name.starts_with("bad")) {
    failure = static_cast<CUresult>(number("FAKE_CUDA_LAUNCH_STATUS", 0));
    if (failure == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES || failure < CUDA_ERROR_ILLEGAL_ADDRESS) return failure;
  } else if (is_to_fail()) {
    failure = CUDA_ERROR_ILLEGAL_ADDRESS;
  }
  std::vector<std::vector<char>> values;
  for (std::size_t at = 0; kernel.sizes[at] != 0; ++at) {
    const char* const value = static_cast<const char*>(parameters[at]);
    values.emplace_back(value, value + kernel.sizes[at]);
  }
  // Of the parameters those that may be addresses.
  std::vector<CUdeviceptr> uses;
  for (const std::vector<char>& value : values) {
    CUdeviceptr address = 0;
    if (value.size() == sizeof address) std::memcpy(&address, value.data(), sizeof address);
    uses.push_back(address);
  }
  const long pace = number("FAKE_CUDA_PACE", 0);
  const double share = pace > 0 ? static_cast<double>(pace) / 100 * *kernel.effort : 1;
  give(
      stream, Engine::Compute, share * kernel_seconds(stream),
      [=, values = std::move(values)]() mutable {
        std::vector<void*> given;
        for (auto& value : values) given.push_back(value.data());
        Thread& thread = *kernel.thread;
        thread.size = {block_x, block_y, block_z};
        thread.grid = {grid_x, grid_y, grid_z};
        kernel_call = kernel.call;
        kernel_parameters = given.data();
        const std::size_t blocks = std::size_t{grid_x} * grid_y * grid_z;
        for (std::size_t block = 0; block < (failure == CUDA_SUCCESS ? blocks : blocks / 2); ++block) {
          const auto at = static_cast<unsigned int>(block);
          thread.block = {at % grid_x, at / grid_x % grid_y, at / grid_x / grid_y};
          run_block(thread);
        }
        return failure;
      },
      std::move(uses));
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult, const char** name) {
  *name = "FAKE_STATUS";
  return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult, const char** words) {
  *words = "words for it";
  return CUDA_SUCCESS;
}

// Of its devices the first alone has an NVML, which does not tell how much it draws.
int nvmlInit_v2() { return 0; }
int nvmlDeviceGetHandleByPciBusId_v2(const char* id, void** device) {
  *device = nullptr;
  return std::strcmp(id, "00000000:10:00.0") == 0 ? 0 : 6;
}
int nvmlDeviceGetClockInfo(void*, int type, unsigned int* mhz) {
  *mhz = type == 1 ? 1755 : 2619;
  return 0;
}
int nvmlDeviceGetTemperature(void*, int, unsigned int* celsius) {
  *celsius = 41;
  return 0;
}
int nvmlDeviceGetPowerUsage(void*, unsigned int*) { return 3; }
}
