// A CUDA driver, an NVRTC and an NVML for tests, in one library: kernels are compiled by the host's compiler
// and run on the processor, each block's threads as coroutines that wait for each other at barriers and
// shuffles. Environment variables make it fail:
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
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "fake_streams.hpp"
#include "runtime/cuda/driver.hpp"

using namespace hoist::runtime::cuda;
using namespace fake;

namespace {

std::string temporary(const std::string& suffix) {
  std::string path = "/tmp/fake_cuda.XXXXXX" + suffix;
  const int file = mkstemps(path.data(), static_cast<int>(suffix.size()));
  if (file >= 0) close(file);
  return path;
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

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
/// A texture object points to one of these; the prelude below declares the same.
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
/// What a compiled kernel reads of its thread: the prelude below declares the same.
struct Thread {
  Index thread, block, size, grid;
};

constexpr std::size_t stack_bytes = 64 * 1024;
enum class Wait { Nobody, Warp, Block, Forever };
struct Coroutine {
  ucontext_t context;
  std::vector<char> stack;
  Index thread;
  Wait wait = Wait::Nobody;
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

void run_thread() {
  kernel_call(kernel_parameters);
  running->wait = Wait::Forever;
}

void prepare(Coroutine& thread, Index id) {
  thread.stack.resize(stack_bytes);
  thread.thread = id;
  thread.wait = Wait::Nobody;
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

// ---- The compiler

constexpr const char* prelude = R"(#include <climits>
#include <cmath>
#define __device__
#define __global__
#define __launch_bounds__(threads)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __shared__ static
struct Index { unsigned int x, y, z; };
extern "C" { struct { Index thread, block, size, grid; } fake_thread; void (*fake_barrier)(); void (*fake_warp)(); }
#define threadIdx fake_thread.thread
#define blockIdx fake_thread.block
#define blockDim fake_thread.size
#define gridDim fake_thread.grid
#define __syncthreads() fake_barrier()
#define __threadfence()
template <class T> T __shfl_xor_sync(unsigned, T value, int mask) {
  static T lanes[1024];
  const unsigned lane = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  lanes[lane] = value;
  fake_warp();
  const T other = lanes[lane ^ mask];
  fake_warp();
  return other;
}
#define ATOMIC(name, type, updated)           \
  inline type name(type* place, type value) { \
    const type old = *place;                  \
    *place = updated;                         \
    return old;                               \
  }
#define ATOMIC_OF_INTEGERS(type)                          \
  ATOMIC(atomicAdd, type, old + value)                    \
  ATOMIC(atomicMin, type, old < value ? old : value)      \
  ATOMIC(atomicMax, type, old < value ? value : old)      \
  ATOMIC(atomicAnd, type, old & value)                    \
  ATOMIC(atomicOr, type, old | value)                     \
  ATOMIC(atomicXor, type, old ^ value)
ATOMIC_OF_INTEGERS(int)
ATOMIC_OF_INTEGERS(unsigned int)
ATOMIC(atomicMin, long long, old < value ? old : value)
ATOMIC(atomicMax, long long, old < value ? value : old)
ATOMIC_OF_INTEGERS(unsigned long long)
ATOMIC(atomicAdd, float, old + value)
ATOMIC(atomicAdd, double, old + value)
template <class T> T atomicExch(T* place, T value) {
  const T old = *place;
  *place = value;
  return old;
}
template <class T> T atomicCAS(T* place, T expected, T value) {
  const T old = *place;
  if (old == expected) *place = value;
  return old;
}
struct float4 { float x, y, z, w; };
struct int4 { int x, y, z, w; };
// What a texture object is here: memory that has so many bytes.
using cudaTextureObject_t = unsigned long long;
struct Texture { const char* memory; std::size_t bytes; };
template <class T> T tex1Dfetch(cudaTextureObject_t object, int place) {
  const Texture& texture = *(const Texture*)object;
  const std::size_t at = place * sizeof(T);
  if (place < 0 || at + sizeof(T) > texture.bytes) return T{};
  return *(const T*)(texture.memory + at);
}
inline float rsqrtf(float a) { return 1 / std::sqrt(a); }
inline double rsqrt(double a) { return 1 / std::sqrt(a); }
)";

/// A number from 1 to 2 that a text says (FNV-1a).
double effort_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char each : text) hash = (hash ^ static_cast<unsigned char>(each)) * 0x100000001b3;
  return 1 + static_cast<double>(hash >> 11) / static_cast<double>(std::uint64_t{1} << 53);
}

/// A function for each kernel that takes its parameters as the driver does.
std::string trampolines(const std::string& source) {
  static const std::regex head(R"(__global__ void (?:__launch_bounds__\(\d+\) )?(\w+)\(([^)]*)\))");
  static const std::regex parameter(R"(\s*(.*\S)\s+\w+\s*)");
  std::string text;
  for (std::sregex_iterator kernel(source.begin(), source.end(), head), end; kernel != end; ++kernel) {
    std::string arguments, sizes, declared = (*kernel)[2];
    for (std::size_t begin = 0, at = 0; begin < declared.size(); ++at) {
      const std::size_t stop = std::min(declared.find(',', begin), declared.size());
      std::string each = declared.substr(begin, stop - begin);
      for (char& c : each) c = c == '\n' ? ' ' : c;
      std::smatch parts;
      std::regex_match(each, parts, parameter);
      const std::string type = std::regex_replace(parts[1].str(), std::regex("__restrict__"), "");
      arguments += (at ? ", *(" : "*(") + type + "*)fake_given[" + std::to_string(at) + "]";
      sizes += "sizeof(" + type + "), ";
      begin = stop + 1;
    }
    // What the driver copies of the parameters when a kernel is launched, which may run later.
    text += "extern \"C\" const unsigned long sizes_" + (*kernel)[1].str() + "[] = {" + sizes + "0};\n";
    text += "extern \"C\" const double effort_" + (*kernel)[1].str() + " = " +
            std::to_string(effort_of(source)) + ";\n";
    text += "extern \"C\" void call_" + (*kernel)[1].str() + "(void** fake_given) { " + (*kernel)[1].str() +
            "(" + arguments + "); }\n";
  }
  return text;
}

struct Program {
  std::string source, code, ptx, log;
};
Program& of(nvrtcProgram program) { return *reinterpret_cast<Program*>(program); }

nvrtcResult give(const std::string& text, std::size_t* bytes, char* to) {
  if (bytes) *bytes = text.size() + 1;
  if (to) std::memcpy(to, text.c_str(), text.size() + 1);
  return NVRTC_SUCCESS;
}

std::string architectures() {
  const char* given = std::getenv("FAKE_CUDA_ARCHITECTURES");
  return given ? given : "75,80,90";
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
  *reinterpret_cast<void (**)()>(dlsym(library, "fake_barrier")) = wait_for_block;
  *reinterpret_cast<void (**)()>(dlsym(library, "fake_warp")) = wait_for_warp;
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

nvrtcResult nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = 0;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
  const std::string all = architectures();
  *count = static_cast<int>((all.size() + 1) / 3);
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetSupportedArchs(int* to) {
  const std::string all = architectures();
  for (std::size_t at = 0; at < all.size(); at += 3) *to++ = std::stoi(all.substr(at, 2));
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* source, const char*, int,
                               const char* const*, const char* const*) {
  *program = reinterpret_cast<nvrtcProgram>(new Program{source, {}, {}, {}});
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  delete &of(*program);
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcCompileProgram(nvrtcProgram handle, int, const char* const* options) {
  Program& program = of(handle);
  const std::string text = temporary(".cpp"), library = temporary(".so"), log = temporary(".log");
  const bool has_namespace = program.source.find("namespace kernels") != std::string::npos;
  std::ofstream(text) << prelude << (has_namespace ? "namespace kernels {\n" : "")
                      << "alignas(128) unsigned char shared_memory[1 << 18];\n"
                      << (has_namespace ? "}\n" : "")
                      << std::regex_replace(program.source, std::regex("extern __shared__"), "extern")
                      << (has_namespace ? "using namespace kernels;\n" : "") << trampolines(program.source);
  const std::string command = std::string(HOIST_CXX) + " -w -std=c++17 -O1 -shared -fPIC -Wl,-Bsymbolic -o " +
                              library + " " + text + " 2> " + log;
  const bool is_compiled = std::system(command.c_str()) == 0;
  program.log = is_compiled ? "" : contents(log);
  (std::strstr(options[0], "compute_") ? program.ptx : program.code) =
      (std::strstr(options[0], "compute_") ? "ptx\n" : "") + library;
  unlink(text.c_str());
  unlink(log.c_str());
  return is_compiled ? NVRTC_SUCCESS : NVRTC_ERROR_COMPILATION;
}
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, std::size_t* bytes) {
  return give(of(program).log, bytes, nullptr);
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log) {
  return give(of(program).log, nullptr, log);
}
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, std::size_t* bytes) {
  return give(of(program).code, bytes, nullptr);
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* cubin) {
  return give(of(program).code, nullptr, cubin);
}
nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, std::size_t* bytes) {
  return give(of(program).ptx, bytes, nullptr);
}
nvrtcResult nvrtcGetPTX(nvrtcProgram program, char* ptx) { return give(of(program).ptx, nullptr, ptx); }
const char* nvrtcGetErrorString(nvrtcResult) { return "words for it"; }

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
