#include "runtime/cuda/compiler.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "runtime/limits.hpp"

namespace hoist::runtime::cuda {

namespace {

/// What NVRTC made of one text, destroyed with it.
class Compilation {
 public:
  Compilation(const Nvrtc& nvrtc, const std::string& source) : nvrtc_(nvrtc) {
    require(nvrtc_.nvrtcCreateProgram(&program_, source.c_str(), "kernels.cu", 0, nullptr, nullptr),
            "creating a program for NVRTC");
  }
  ~Compilation() { nvrtc_.nvrtcDestroyProgram(&program_); }
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;

  nvrtcResult run(const std::string& architecture) {
    const std::string target = "--gpu-architecture=" + architecture;
    // No fast-math options: results are compared with those of an interpreter. Division and square root are
    // as exact as OpenCL asks: within 2.5 and 3 units in the last place.
    const std::array options{target.c_str(),     "-std=c++17",        "--fmad=true",
                             "--prec-div=false", "--prec-sqrt=false", "-default-device"};
    return nvrtc_.nvrtcCompileProgram(program_, static_cast<int>(options.size()), options.data());
  }

  std::string log() { return text(nvrtc_.nvrtcGetProgramLogSize, nvrtc_.nvrtcGetProgramLog); }
  std::string code(bool is_ptx) {
    return is_ptx ? text(nvrtc_.nvrtcGetPTXSize, nvrtc_.nvrtcGetPTX)
                  : bytes(nvrtc_.nvrtcGetCUBINSize, nvrtc_.nvrtcGetCUBIN);
  }

  void require(nvrtcResult status, const std::string& attempted) const {
    if (status != NVRTC_SUCCESS)
      throw_failure(ErrorKind::Device,
                    fmt::format("{} failed: {} (NVRTC {}.{})", attempted, nvrtc_.nvrtcGetErrorString(status),
                                nvrtc_.major, nvrtc_.minor));
  }

 private:
  using Size = nvrtcResult (*)(nvrtcProgram, std::size_t*);
  using Get = nvrtcResult (*)(nvrtcProgram, char*);
  std::string bytes(Size size, Get get) const {
    std::size_t count = 0;
    require(size(program_, &count), "asking NVRTC for its output");
    std::string result(count, '\0');
    require(get(program_, result.data()), "asking NVRTC for its output");
    return result;
  }
  std::string text(Size size, Get get) const {
    std::string result = bytes(size, get);
    result.resize(std::min(result.find('\0'), result.size()));
    return result.find_first_not_of(" \t\r\n") == std::string::npos ? "" : result;
  }

  const Nvrtc& nvrtc_;
  nvrtcProgram program_ = nullptr;
};

std::vector<int> known_architectures(const Nvrtc& nvrtc) {
  int count = 0;
  if (nvrtc.nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS || count <= 0) return {};
  std::vector<int> architectures(static_cast<std::size_t>(count));
  if (nvrtc.nvrtcGetSupportedArchs(architectures.data()) != NVRTC_SUCCESS) return {};
  return architectures;
}

}  // namespace

std::string to_bytes(const Image& image) { return image.architecture + "\n" + image.code; }

Result<Image> image_of(const std::string& bytes) {
  const std::size_t end = bytes.find('\n');
  Image image;
  image.architecture = bytes.substr(0, end);
  image.is_ptx = image.architecture.starts_with("compute_");
  if (end == std::string::npos || (!image.is_ptx && !image.architecture.starts_with("sm_")))
    return device_error("the binary to be loaded holds no code for a CUDA device");
  image.code = bytes.substr(end + 1);
  return image;
}

Result<Image> compile(const Nvrtc& nvrtc, const std::string& source, int major, int minor) {
  return catch_failure([&] {
    Image image;
    const int wanted = 10 * major + minor;
    int newest = 0;
    for (const int each : known_architectures(nvrtc)) {
      if (each <= wanted) newest = std::max(newest, each);
    }
    if (newest == 0)
      throw_failure(
          ErrorKind::Device,
          fmt::format("NVRTC {}.{} does not compile for devices of compute capability {}.{}", nvrtc.major,
                      nvrtc.minor, major, minor),
          {},
          "install the version of CUDA that is for this device, or name its NVRTC in HOIST_NVRTC_LIBRARY");
    image.is_ptx = newest != wanted;
    image.architecture = fmt::format("{}_{}", image.is_ptx ? "compute" : "sm", newest);
    Compilation compilation(nvrtc, source);
    const nvrtcResult status = compilation.run(image.architecture);
    image.log = compilation.log();
    if (status == NVRTC_ERROR_COMPILATION) {
      const std::string note = fmt::format(
          "{}\n{}", image.log.empty() ? "(the compiler left no log)" : image.log, numbered(source));
      if (image.log.find("too much shared data") != std::string::npos)
        throw_failure(ErrorKind::Device,
                      fmt::format("the kernel does not fit architecture {}", image.architecture), note,
                      "choose smaller tiles or groups");
      throw_failure(ErrorKind::Bug, fmt::format("NVRTC {}.{} refused the source", nvrtc.major, nvrtc.minor),
                    note);
    }
    compilation.require(status, fmt::format("compiling for {}", image.architecture));
    image.code = compilation.code(image.is_ptx);
    return image;
  });
}

}  // namespace hoist::runtime::cuda
