#include "base/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

namespace hoist {

std::vector<std::string> LibraryPlace::candidates() const {
  const char* named = std::getenv(variable);
  return named != nullptr && *named != '\0' ? std::vector<std::string>{named} : names;
}

Result<Library> Library::open(const LibraryPlace& place) {
  const std::vector<std::string> candidates = place.candidates();
  auto library = open(place, candidates.front());
  for (std::size_t i = 1; i < candidates.size() && !library; ++i) library = open(place, candidates[i]);
  return library;
}

Result<Library> Library::open(const LibraryPlace& place, const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr)
    return fail(place.kind, fmt::format("{} cannot be opened", place.what), dlerror(), place.remedy);
  return Library(place, path, handle);
}

void* Library::symbol_if_any(const char* name) const { return dlsym(handle_, name); }

void* Library::symbol(const char* name) {
  void* found = symbol_if_any(name);
  if (found == nullptr && missing_.empty()) missing_ = name;
  return found;
}

Result<void> Library::check() const {
  if (missing_.empty()) return {};
  return fail(place_->kind,
              fmt::format("{} is not {}, or {}: it has no function {}", path_, place_->what,
                          place_->oldest.empty() ? "too old" : "older than " + place_->oldest, missing_),
              {}, fmt::format("install a newer one, or name another library in {}", place_->variable));
}

}  // namespace hoist
