#pragma once
// Compiled host kernels kept between runs, in $XDG_CACHE_HOME/hoist or ~/.cache/hoist. The directory may be
// deleted at any time. When a process opens a cache that has grown beyond its bound, what was not used for
// longest is removed; that is looked at every ten minutes.
#include <cstdint>
#include <optional>
#include <string>

#include "base/error.hpp"

namespace hoist::runtime::host {

/// A directory of one build's own, removed with it.
class StagingDirectory {
 public:
  explicit StagingDirectory(std::string path) : path_(std::move(path)) {}
  ~StagingDirectory();
  StagingDirectory(StagingDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  StagingDirectory& operator=(StagingDirectory&&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// Maps a key, a text that says all that a library depends on, to the library. An entry is two files, named
/// by the key's hash: the library, and the key itself, which is compared, so that equal hashes do no harm,
/// with the library's size and checksum, so that one that was cut off or damaged is built again instead of
/// being run. Entries appear by renaming what is on the disk already, so that processes may share the
/// directory, and neither a process that dies nor a loss of power leaves half of one.
class Cache {
 public:
  /// Without a directory that this user owns and alone can write, the cache stays empty.
  explicit Cache(std::uintmax_t most_bytes = std::uintmax_t{1} << 30);

  /// The path of the library stored for the key.
  std::optional<std::string> find(const std::string& key) const;

  /// A place to build in: in the cache's directory, else in $TMPDIR or /tmp. Device error when none can be
  /// written.
  Result<StagingDirectory> stage() const;

  /// Moves the library `staging.file(library)` in. When that fails nothing is stored, which costs time only.
  void store(const std::string& key, const StagingDirectory& staging, const std::string& library) const;

 private:
  std::string entry(const std::string& key) const;

  std::string directory_;  ///< empty when there is none
};

}  // namespace hoist::runtime::host
