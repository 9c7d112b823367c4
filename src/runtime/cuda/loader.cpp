#include <dlfcn.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "runtime/cuda/driver.hpp"

namespace hoist::runtime::cuda {

namespace {

std::string named_library(const char* variable) {
  const char* named = std::getenv(variable);
  return named ? named : "";
}

void* open(const std::string& library) {
  return dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

template <class Function>
void find(void* library, const char* name, Function& function, const char*& missing) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (!function) missing = name;
}

/// NVRTC where distributions and CUDA's own installer put it, the newest first.
std::vector<std::string> nvrtc_candidates() {
  std::vector<std::string> folders = {""};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const std::string root = named_library(variable); !root.empty()) {
      folders.push_back(root + "/lib64/");
      folders.push_back(root + "/lib/");
    }
  }
  folders.emplace_back("/usr/local/cuda/lib64/");
  folders.emplace_back("/usr/local/cuda/lib/");
  std::vector<std::string> candidates;
  for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"}) {
    for (const std::string& folder : folders) candidates.push_back(folder + name);
  }
  return candidates;
}

/// NVRTC in an open library; nothing where it lacks a function, which `missing` then names.
std::optional<Nvrtc> nvrtc_in(void* library, const char*& missing) {
  Nvrtc functions;
  missing = nullptr;
#define HOIST_FIND_FUNCTION(name, parameters) find(library, #name, functions.name, missing);
  HOIST_NVRTC_FUNCTIONS(HOIST_FIND_FUNCTION)
#undef HOIST_FIND_FUNCTION
  find(library, "nvrtcGetErrorString", functions.nvrtcGetErrorString, missing);
  if (missing) return std::nullopt;
  if (functions.nvrtcVersion(&functions.major, &functions.minor) != NVRTC_SUCCESS) {
    missing = "nvrtcVersion that succeeds";
    return std::nullopt;
  }
  return functions;
}

}  // namespace

Result<Driver> load_driver() {
  const std::string named = named_library("HOIST_CUDA_LIBRARY");
  const std::string library = named.empty() ? "libcuda.so.1" : named;
  void* handle = open(library);
  if (!handle)
    return device_error("NVIDIA's driver library cannot be opened", dlerror(),
                        "install NVIDIA's driver, or name its libcuda.so.1 in HOIST_CUDA_LIBRARY");
  Driver functions;
  const char* missing = nullptr;
#define HOIST_FIND_FUNCTION(name, parameters) find(handle, #name, functions.name, missing);
  HOIST_CUDA_FUNCTIONS(HOIST_FIND_FUNCTION)
#undef HOIST_FIND_FUNCTION
  if (missing)
    return device_error(
        fmt::format("{} is no driver that Hoist can use: it has no function {}", library, missing), {},
        "install a newer driver of NVIDIA, or name another library in HOIST_CUDA_LIBRARY");
  return functions;
}

Result<Nvrtc> load_nvrtc(int driver_major) {
  const std::string named = named_library("HOIST_NVRTC_LIBRARY");
  std::optional<Nvrtc> newer;
  std::string reason;
  const char* missing = nullptr;
  for (const std::string& candidate : named.empty() ? nvrtc_candidates() : std::vector<std::string>{named}) {
    void* handle = open(candidate);
    if (!handle) {
      if (reason.empty()) reason = dlerror();
      continue;
    }
    const std::optional<Nvrtc> found = nvrtc_in(handle, missing);
    if (!found) {
      reason = fmt::format("{} has no function {}", candidate, missing);
      continue;
    }
    if (!named.empty() || driver_major == 0 || found->major <= driver_major) return *found;
    if (!newer) newer = found;  // its code may yet run, on a device that takes it
  }
  if (newer) return *newer;
  return device_error(
      "NVIDIA's compiler at run time, NVRTC, cannot be opened", reason,
      "install it (a part of CUDA: libnvrtc.so, version 11.2 or later), or name it in HOIST_NVRTC_LIBRARY");
}

}  // namespace hoist::runtime::cuda
