// The NVRTC of the fake CUDA driver (fake_cuda.cpp): the host's compiler makes a library of a kernel's
// source, behind a prelude that has what CUDA has, in terms of what the driver provides when it loads the
// library.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <utility>

#include "runtime/cuda/driver.hpp"

using namespace hoist::runtime::cuda;

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

constexpr const char* prelude = R"(#include <climits>
#include <cmath>
#define __device__
#define __global__
#define __launch_bounds__(threads)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __shared__ static
struct Index { unsigned int x, y, z; };
extern "C" { struct { Index thread, block, size, grid; } fake_thread; void (*fake_barrier)(); void (*fake_warp)(); }
extern "C" { void (*fake_copy)(void*, const void*, int, int); void (*fake_commit)(); void (*fake_await)(int); }
inline unsigned int __cvta_generic_to_shared(const void*) { return 0; }
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

/// The source with calls of the prelude's functions where it has instructions, those of asynchronous copies.
std::string without_instructions(const std::string& source) {
  static const std::pair<std::regex, const char*> calls[] = {
      {std::regex(R"re(asm volatile\("cp\.async\.c[ag]\.shared\.global \[%0\], \[%1\], %2;"[^;]*;)re"),
       "fake_copy(to, from, bytes, bytes);"},
      {std::regex(R"re(asm volatile\("cp\.async\.c[ag]\.shared\.global \[%0\], \[%1\], %2, %3;"[^;]*;)re"),
       "fake_copy(to, from, bytes, given);"},
      {std::regex(R"re(asm volatile\("cp\.async\.commit_group;"[^;]*;)re"), "fake_commit();"},
      {std::regex(R"re(asm volatile\("cp\.async\.wait_group (\d+);"[^;]*;)re"), "fake_await($1);"}};
  std::string text = source;
  for (const auto& [instruction, call] : calls) text = std::regex_replace(text, instruction, call);
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
                      << std::regex_replace(without_instructions(program.source),
                                            std::regex("extern __shared__"), "extern")
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
}
