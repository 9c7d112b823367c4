#include "runtime/cuda/driver.hpp"

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/library.hpp"

namespace hoist::runtime::cuda {

namespace {

/// NVRTC where distributions and CUDA's own installer put it, the newest first.
std::vector<std::string> nvrtc_paths() {
  std::vector<std::string> folders = {""};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* root = std::getenv(variable);
    if (root == nullptr || *root == '\0') continue;
    folders.push_back(std::string(root) + "/lib64/");
    folders.push_back(std::string(root) + "/lib/");
  }
  folders.emplace_back("/usr/local/cuda/lib64/");
  folders.emplace_back("/usr/local/cuda/lib/");
  std::vector<std::string> paths;
  for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"}) {
    for (const std::string& folder : folders) paths.push_back(folder + name);
  }
  return paths;
}

Result<Nvrtc> nvrtc_in(Library library) {
  const std::string path = library.path();
  auto functions = functions_of<Nvrtc>(std::move(library), [](Library& opened, Nvrtc& found) {
#define HOIST_FIND_FUNCTION(name, parameters) opened.find(#name, found.name);
    HOIST_NVRTC_FUNCTIONS(HOIST_FIND_FUNCTION)
#undef HOIST_FIND_FUNCTION
    opened.find("nvrtcGetErrorString", found.nvrtcGetErrorString);
  });
  if (functions && functions->nvrtcVersion(&functions->major, &functions->minor) != NVRTC_SUCCESS)
    return device_error(path + " does not tell its version", {},
                        "name another library in HOIST_NVRTC_LIBRARY");
  return functions;
}

}  // namespace

Result<Driver> load_driver() {
  static const LibraryPlace place{
      .what = "NVIDIA's driver library",
      .variable = "HOIST_CUDA_LIBRARY",
      .names = {"libcuda.so.1"},
      .remedy = "install NVIDIA's driver, or name its libcuda.so.1 in HOIST_CUDA_LIBRARY"};
  return functions_of<Driver>(Library::open(place), [](Library& library, Driver& functions) {
#define HOIST_FIND_FUNCTION(name, parameters) library.find(#name, functions.name);
    HOIST_CUDA_FUNCTIONS(HOIST_FIND_FUNCTION)
#undef HOIST_FIND_FUNCTION
#define HOIST_FIND_FUNCTION(name, parameters) library.find_if_any(#name, functions.name);
    HOIST_GREEN_CONTEXT_FUNCTIONS(HOIST_FIND_FUNCTION)
#undef HOIST_FIND_FUNCTION
    library.find_if_any("cuDeviceGetTexture1DLinearMaxWidth", functions.cuDeviceGetTexture1DLinearMaxWidth);
  });
}

Result<Nvrtc> load_nvrtc(int driver_major) {
  const LibraryPlace place{.what = "NVIDIA's compiler at run time (NVRTC)",
                           .variable = "HOIST_NVRTC_LIBRARY",
                           .names = nvrtc_paths(),
                           .oldest = "11.2",
                           .remedy =
                               "install it (a part of CUDA: libnvrtc.so, version 11.2 or later), or name it "
                               "in HOIST_NVRTC_LIBRARY"};
  const std::vector<std::string> candidates = place.candidates();
  const bool is_named = candidates != place.names;
  std::optional<Nvrtc> newer;
  std::optional<Error> reason;
  for (const std::string& candidate : candidates) {
    auto library = Library::open(place, candidate);
    if (!library) {
      if (!reason) reason = std::move(library.error());
      continue;
    }
    auto found = nvrtc_in(*std::move(library));
    if (!found) {
      // A library that is there and of no use says more than all that are not there.
      reason = std::move(found.error());
      continue;
    }
    if (is_named || driver_major == 0 || found->major <= driver_major) return found;
    if (!newer) newer = *found;  // its code may yet run, on a device that takes it
  }
  if (newer) return *newer;
  return tl::unexpected(*reason);
}

}  // namespace hoist::runtime::cuda
