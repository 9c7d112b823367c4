#include "runtime/host/cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace hoist::runtime::host {

namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string cache_directory() {
  // The specification has relative paths ignored: they would name another directory in every other.
  if (const std::string cache = variable("XDG_CACHE_HOME"); cache.starts_with('/')) return cache + "/hoist";
  if (const std::string home = variable("HOME"); !home.empty()) return home + "/.cache/hoist";
  return {};
}

/// Libraries are run, so nobody else may be able to put one there.
bool is_private_directory(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0 && access(path.c_str(), W_OK) == 0;
}

/// Marks an entry as used now.
void touch(const std::string& path) { utimensat(AT_FDCWD, path.c_str(), nullptr, 0); }

/// Whether the directory was tidied a short while ago; if not, it is from now on. A cache of 1 GiB has some
/// 30,000 files, which take a fifth of a second to look at, and a tuner starts many processes.
bool was_tidied_lately(const std::string& directory) {
  constexpr std::chrono::minutes interval{10};
  const std::string marker = directory + "/tidied";
  std::error_code failure;
  const auto last = fs::last_write_time(marker, failure);
  const auto now = fs::file_time_type::clock::now();
  if (!failure && last <= now && now < last + interval) return true;
  const std::ofstream created(marker);
  touch(marker);
  return false;
}

/// Removes what builds that were killed left behind, and the entries that were not used for longest where all
/// of them have more bytes than there may be. Files of an entry have one time: that of its last use.
void tidy(const std::string& directory, std::uintmax_t most_bytes) {
  struct File {
    fs::file_time_type used;
    fs::path path;
    std::uintmax_t bytes = 0;
  };
  std::error_code ignored;
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(24);
  std::vector<File> files;
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(directory, ignored)) {
    std::error_code failure;
    const auto used = entry.last_write_time(failure);
    if (failure) continue;
    if (entry.path().filename().string().starts_with("stage.")) {
      if (used < old) fs::remove_all(entry.path(), ignored);
    } else if (const auto size = entry.file_size(failure); !failure) {
      files.push_back({used, entry.path(), size});
      bytes += size;
    }
  }
  if (bytes <= most_bytes) return;
  // Down to half of the bound, so that it is not for every process to do.
  std::ranges::sort(files, {}, &File::used);
  for (const File& file : files) {
    if (bytes <= most_bytes / 2) break;
    if (fs::remove(file.path, ignored)) bytes -= file.bytes;
  }
}

/// FNV-1a.
std::uint64_t hash_text(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const unsigned char byte : text) hash = (hash ^ byte) * 0x100000001b3u;
  return hash;
}

std::optional<std::string> contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return std::nullopt;
  return std::move(text).str();
}

/// What a key file holds: a library that was cut off or damaged does not fit its own.
std::string key_file_text(const std::string& key, const std::string& library) {
  return fmt::format("{} bytes, checksum {:016x}\n{}", library.size(), hash_text(library), key);
}

/// Whether what a file or directory holds now outlasts a loss of power.
bool is_on_disk(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool is_synchronised = fsync(descriptor) == 0;
  close(descriptor);
  return is_synchronised;
}

std::optional<std::string> make_directory(std::string pattern) {
  if (!mkdtemp(pattern.data())) return std::nullopt;
  return pattern;
}

}  // namespace

StagingDirectory::~StagingDirectory() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

Cache::Cache(std::uintmax_t most_bytes) : directory_(cache_directory()) {
  if (directory_.empty()) return;
  std::error_code ignored;
  fs::create_directories(fs::path(directory_).parent_path(), ignored);
  mkdir(directory_.c_str(), S_IRWXU);
  if (!is_private_directory(directory_))
    directory_.clear();
  else if (!was_tidied_lately(directory_))
    tidy(directory_, most_bytes);
}

std::string Cache::entry(const std::string& key) const {
  return fmt::format("{}/{:016x}", directory_, hash_text(key));
}

std::optional<std::string> Cache::find(const std::string& key) const {
  if (directory_.empty()) return std::nullopt;
  std::string path = entry(key) + ".so";
  const auto stored = contents(entry(key) + ".key"), library = contents(path);
  if (!stored || !library || *stored != key_file_text(key, *library)) return std::nullopt;
  touch(path);
  touch(entry(key) + ".key");
  return path;
}

Result<StagingDirectory> Cache::stage() const {
  if (!directory_.empty()) {
    if (auto path = make_directory(directory_ + "/stage.XXXXXX")) return StagingDirectory(std::move(*path));
  }
  const std::string temporary = variable("TMPDIR").empty() ? "/tmp" : variable("TMPDIR");
  if (auto path = make_directory(temporary + "/hoist.XXXXXX")) return StagingDirectory(std::move(*path));
  return device_error(
      fmt::format("no directory to build host kernels in: {}: {}", temporary, std::strerror(errno)),
      directory_.empty() ? "" : fmt::format("{} cannot be written either", directory_),
      "free space on the disk, or name another directory in XDG_CACHE_HOME or TMPDIR");
}

void Cache::store(const std::string& key, const StagingDirectory& staging, const std::string& library) const {
  if (directory_.empty()) return;
  const std::string key_file = staging.file("stored.key"), library_file = staging.file(library);
  const auto built = contents(library_file);
  if (!built) return;
  std::ofstream file(key_file, std::ios::binary);
  file << key_file_text(key, *built);
  file.close();
  // Names appear only once what they name is on the disk.
  if (!file || !is_on_disk(library_file) || !is_on_disk(key_file)) return;
  // The key last: whoever sees it finds its library.
  if (std::rename(library_file.c_str(), (entry(key) + ".so").c_str()) != 0) return;
  std::rename(key_file.c_str(), (entry(key) + ".key").c_str());
  is_on_disk(directory_);
}

}  // namespace hoist::runtime::host
