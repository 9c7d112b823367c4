#include "runtime/opencl/loader.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <string>

namespace hoist::runtime::opencl {

Result<Functions> load_functions() {
  const char* named = std::getenv("HOIST_OPENCL_LIBRARY");
  const std::string library = named && *named ? named : "libOpenCL.so.1";
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle)
    return device_error(
        "OpenCL's loader cannot be opened", dlerror(),
        "install it (Debian: ocl-icd-libopencl1) and a driver, or name it in HOIST_OPENCL_LIBRARY");
  Functions functions;
  const char* missing = nullptr;
#define HOIST_FIND_FUNCTION(name)                                                    \
  functions.name = reinterpret_cast<decltype(functions.name)>(dlsym(handle, #name)); \
  if (!functions.name) missing = #name;
  HOIST_OPENCL_FUNCTIONS(HOIST_FIND_FUNCTION)
#undef HOIST_FIND_FUNCTION
  if (missing)
    return device_error(fmt::format("{} is no OpenCL 1.2 loader: it has no function {}", library, missing),
                        {}, "name another library in HOIST_OPENCL_LIBRARY, or unset it");
  return functions;
}

}  // namespace hoist::runtime::opencl
