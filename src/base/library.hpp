#pragma once
// Libraries that are found at run time, so that Hoist builds and starts on machines that have none.
#include <string>
#include <vector>

#include "base/error.hpp"

namespace hoist {

/// Where a library is looked for, and what is said where it is not.
struct LibraryPlace {
  std::string what;                ///< as messages call it: "OpenCL's loader"
  const char* variable = nullptr;  ///< of the environment: the library to open in place of `names`
  std::vector<std::string> names;  ///< the first that can be opened is taken
  std::string oldest = {};         ///< the first version that has all functions, where messages name one
  std::string remedy = {};         ///< what to do where there is none
  ErrorKind kind = ErrorKind::Device;

  /// What the variable names, else `names`.
  std::vector<std::string> candidates() const;
};

/// A library that is open until the process ends: drivers keep threads running in theirs.
class Library {
 public:
  /// The first of the place's candidates, or this one. An error of the place's kind where none can be opened.
  static Result<Library> open(const LibraryPlace& place);
  static Result<Library> open(const LibraryPlace& place, const std::string& path);

  /// Sets `function` to the library's function of that name.
  template <class Function>
  void find(const char* name, Function& function) {
    function = reinterpret_cast<Function>(symbol(name));
  }
  /// The same of a function that the library need not have: null where it lacks it.
  template <class Function>
  void find_if_any(const char* name, Function& function) {
    function = reinterpret_cast<Function>(symbol_if_any(name));
  }
  /// An error of the place's kind where a function was looked for that the library lacks.
  Result<void> check() const;
  const std::string& path() const { return path_; }

 private:
  Library(const LibraryPlace& place, std::string path, void* handle)
      : place_(&place), path_(std::move(path)), handle_(handle) {}
  void* symbol(const char* name);
  void* symbol_if_any(const char* name) const;

  const LibraryPlace* place_;
  std::string path_;
  void* handle_;
  std::string missing_;  ///< the first function that the library lacks
};

/// All functions of a library, which `find_all(library, functions)` looks for. Errors: those of open and
/// check.
template <class Functions, class FindAll>
Result<Functions> functions_of(Result<Library> library, FindAll&& find_all) {
  if (!library) return tl::unexpected(std::move(library.error()));
  Functions functions;
  find_all(*library, functions);
  if (auto complete = library->check(); !complete) return tl::unexpected(std::move(complete.error()));
  return functions;
}

}  // namespace hoist
