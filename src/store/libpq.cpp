#include "store/libpq.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <string>

namespace hoist::store::libpq {

Functions load() {
  const char* named = std::getenv("HOIST_LIBPQ_LIBRARY");
  const std::string library = named ? named : "libpq.so.5";
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle)
    throw_failure(ErrorKind::Device, "PostgreSQL's client library cannot be opened", dlerror(),
                  "install it (libpq5 on Debian), name its libpq.so.5 in HOIST_LIBPQ_LIBRARY, or use a store "
                  "in a file");
  Functions functions;
  const char* missing = nullptr;
#define HOIST_FIND_FUNCTION(result, name, parameters)                            \
  functions.name = reinterpret_cast<result(*) parameters>(dlsym(handle, #name)); \
  if (!functions.name) missing = #name;
  HOIST_LIBPQ_FUNCTIONS(HOIST_FIND_FUNCTION)
#undef HOIST_FIND_FUNCTION
  if (missing)
    throw_failure(ErrorKind::Device,
                  fmt::format("{} is no library of PostgreSQL's: it has no function {}", library, missing),
                  {}, "name another library in HOIST_LIBPQ_LIBRARY");
  return functions;
}

}  // namespace hoist::store::libpq
