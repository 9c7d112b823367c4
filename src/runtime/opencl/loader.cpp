#include "runtime/opencl/loader.hpp"

#include "base/library.hpp"

namespace hoist::runtime::opencl {

Result<Functions> load_functions() {
  static const LibraryPlace place{
      .what = "OpenCL's loader",
      .variable = "HOIST_OPENCL_LIBRARY",
      .names = {"libOpenCL.so.1"},
      .oldest = "OpenCL 1.2",
      .remedy = "install it (Debian: ocl-icd-libopencl1) and a driver, or name it in HOIST_OPENCL_LIBRARY"};
  return functions_of<Functions>(Library::open(place), [](Library& library, Functions& functions) {
#define HOIST_FIND_FUNCTION(name) library.find(#name, functions.name);
    HOIST_OPENCL_FUNCTIONS(HOIST_FIND_FUNCTION)
#undef HOIST_FIND_FUNCTION
  });
}

}  // namespace hoist::runtime::opencl
