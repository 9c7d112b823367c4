#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "plain/libraries.hpp"

namespace hoist::plain {

namespace {

std::vector<Kernel> opened() {
  std::vector<Kernel> kernels;
#ifdef HOIST_PLAIN_BY_CLANG
  // LLVM's OpenMP threads spin for a fifth of a second after a loop, while others are timed.
  setenv("KMP_BLOCKTIME", "0", 0);
  // Its own OpenMP library comes before that of this program.
  void* library = dlopen(HOIST_PLAIN_BY_CLANG, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (!library) throw std::runtime_error(dlerror());
  void (*list)(std::vector<Kernel>&) = nullptr;
  void* symbol = dlsym(library, "hoist_plain_kernels");
  if (!symbol) throw std::runtime_error(dlerror());
  std::memcpy(&list, &symbol, sizeof list);
  list(kernels);
#endif
  return kernels;
}

}  // namespace

LibraryRun clang_run(const std::string& kernel, const Arguments& arguments) {
  // Clang 14 keeps a copy of each element of a scan on the stack, which is too small for long arrays.
  if (kernel == "prefix_sum") return {};
  static const std::vector<Kernel> kernels = opened();
  const auto found =
      std::find_if(kernels.begin(), kernels.end(), [&](const Kernel& each) { return each.name == kernel; });
  if (found == kernels.end()) return {};
  return [run = found->run, &arguments] { run(arguments); };
}

}  // namespace hoist::plain
