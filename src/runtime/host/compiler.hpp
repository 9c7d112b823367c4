#pragma once
// The system's C++ compiler, and the libraries that it makes of host kernels.
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "runtime/device.hpp"
#include "runtime/host/cache.hpp"
#include "runtime/host/process.hpp"
#include "target/instruction_set.hpp"

namespace hoist::runtime::host {

/// A loaded shared library, unloaded with it.
class Library {
 public:
  /// Device error when the library cannot be loaded, Bug when it lacks something that it refers to.
  static Result<Library> load(const std::string& path);
  ~Library();
  Library(Library&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Library& operator=(Library&&) = delete;
  /// Null when there is no such symbol.
  void* symbol(const std::string& name) const;

 private:
  explicit Library(void* handle) : handle_(handle) {}
  void* handle_;
};

class Compiler {
 public:
  /// The compiler that $CXX names, with any words after the first as its first arguments; else the first of
  /// c++, g++ and clang++ on PATH. `processor` is what the code will run on, in words; of its instructions
  /// the code has those of the set, or all for none. Device error when there is no compiler.
  static Result<Compiler> find(std::string processor, const target::InstructionSet* set = nullptr);

  /// "gcc 12.2.0", "clang 14.0.6 -O2": whose times are comparable.
  std::string description() const;

  /// Compiles and loads `source`, or loads what an earlier build of the same left in the cache. Bug error
  /// with the compiler's log and the numbered source when it does not compile; Device error when the disk is
  /// full or the compiler is killed.
  Result<Library> build(const std::string& source, BuildFacts& facts);

  /// The assembly text that the compiler makes of `source` when it builds it, by the same flags; not kept in
  /// the cache. Fails as build() does.
  Result<std::string> assembly(const std::string& source);

  /// Whether kernels are built with OpenMP, so that they use all threads; known after the first build.
  bool has_openmp() const;

 private:
  Compiler() = default;
  bool is_gcc() const;
  /// What is made of a source.
  enum class Product { Library, Assembly };
  static const char* file_name(Product product);
  std::vector<std::string> command_line(Product product, const std::string& source_path,
                                        const std::string& product_path) const;
  std::string key(const std::string& source) const;
  Result<Library> compile(const std::string& source, BuildFacts& facts);
  Result<std::string> make(Product product, const std::string& source, const StagingDirectory& staging);
  bool takes_empty_source(const StagingDirectory& staging) const;
  bool drop_refused_flags(const StagingDirectory& staging);
  std::optional<std::string> needed_flag_refused(const StagingDirectory& staging) const;
  tl::unexpected<Error> refused(const std::string& source, const ProcessOutcome& outcome,
                                const std::optional<std::string>& needed_flag) const;

  std::vector<std::string> program_;  ///< path, then what $CXX has after it
  std::string version_;               ///< what the compiler says of itself
  std::string processor_;
  std::vector<std::string> flags_;           ///< that code must be built with
  std::vector<std::string> optional_flags_;  ///< those that the compiler is not known to refuse
  Cache cache_;
};

}  // namespace hoist::runtime::host
