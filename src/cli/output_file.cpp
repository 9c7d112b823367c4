// Writes files atomically: a file is there complete, or not at all. `-o y.npy` writes to
//
//   .y.npy.4711.part
//
// beside it, where 4711 is the process's number, and renames that to y.npy when all is written. Renaming
// replaces an older y.npy in one step.
//
// Read `OutputFile::create`, `write` and `commit`; the destructor removes what was not committed.
// `write_arrays` writes all files before it renames the first. A pipe or a device cannot be replaced and is
// written directly.
//
// A signal that ends the process must not leave temporary files behind. Its handler may call little (what is
// async-signal-safe: no memory allocation, no locks), so the files' names are kept in fixed memory, in
// `places`. Files beyond those that have a place there stay behind when the process is interrupted.
#include "cli/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/npy.hpp"
#include "cli/session.hpp"

namespace hoist::cli {

namespace {

/// The name of a temporary file that exists now, where a signal handler may read it.
struct Place {
  std::atomic<bool> is_used{false};
  char path[PATH_MAX] = {};
};
Place places[32];

void remember(const std::string& path) {
  for (Place& place : places) {
    if (place.is_used.load()) continue;
    path.copy(place.path, sizeof place.path - 1);
    place.path[std::min(path.size(), sizeof place.path - 1)] = '\0';
    place.is_used.store(true);
    return;
  }
}

void forget(const std::string& path) {
  for (Place& place : places) {
    if (place.is_used.load() && path == place.path) place.is_used.store(false);
  }
}

extern "C" void remove_temporaries_and_end(int signal_number) {
  for (Place& place : places) {
    if (place.is_used.load()) unlink(place.path);
  }
  // The default action was restored by SA_RESETHAND: the caller sees that a signal ended the process.
  raise(signal_number);
}

bool is_special(const std::string& path) {
  struct stat facts {};
  return stat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode);
}

/// Follows symbolic links, so that a link stays one and its target is replaced.
std::string resolved(const std::string& path) {
  std::error_code ignored;
  const auto target = std::filesystem::canonical(path, ignored);
  return ignored ? path : target.string();
}

tl::unexpected<Error> cannot_write(const std::string& path, int error) {
  std::string help;
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  if (error == ENOENT) help = fmt::format("make the directory {} first", directory.string());
  if (error == ENAMETOOLONG) help = "choose a shorter name";
  if (error == ENOSPC) help = "nothing was left behind; free some space, or write elsewhere";
  return device_error(fmt::format("{} cannot be written: {}", path, std::strerror(error)), {}, help);
}

}  // namespace

void write_text_file(const std::string& path, const std::string& text) {
  OutputFile file = need(OutputFile::create(path));
  need(file.write(std::as_bytes(std::span(text))));
  need(file.commit());
}

namespace {

/// Makes the directory, if it is not there, and sees that no file is replaced.
void prepare_directory(const std::string& directory, const std::vector<std::string>& paths, bool force) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (!std::filesystem::is_directory(directory)) {
    const std::string reason = error ? error.message() : "it is a file";
    need(Result<void>(device_error("the directory " + directory + " cannot be made: " + reason)));
  }
  std::vector<std::string> existing;
  for (const std::string& path : paths) {
    if (std::filesystem::exists(path)) existing.push_back(path);
  }
  if (!existing.empty() && !force) {
    constexpr std::size_t most_named = 5;
    const std::size_t more = existing.size() - std::min(existing.size(), most_named);
    const bool is_one = existing.size() == 1;
    existing.resize(existing.size() - more);
    throw_user(
        fmt::format("{}{}{}", fmt::join(existing, ", "),
                    more == 0 ? "" : fmt::format(" and {} more files", more), is_one ? " exists" : " exist"),
        {}, "--force replaces files");
  }
  need(check_writable(paths));
}

}  // namespace

std::vector<std::string> write_text_files(const std::string& directory, const std::vector<NamedText>& files,
                                          bool force) {
  std::vector<std::string> paths;
  for (const NamedText& file : files)
    paths.push_back((std::filesystem::path(directory) / file.name).string());
  prepare_directory(directory, paths, force);
  std::vector<OutputFile> outputs;
  for (std::size_t i = 0; i < files.size(); ++i) {
    outputs.push_back(need(OutputFile::create(paths[i])));
    need(outputs.back().write(std::as_bytes(std::span(files[i].text))));
  }
  for (OutputFile& output : outputs) need(output.commit());
  return paths;
}

void install_signal_handlers() {
  struct sigaction action {};
  action.sa_handler = remove_temporaries_and_end;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction old {};
    // What the parent ignores (nohup) stays ignored.
    if (sigaction(number, nullptr, &old) == 0 && old.sa_handler != SIG_IGN)
      sigaction(number, &action, nullptr);
  }
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

tl::unexpected<Error> OutputFile::failure(int error) const { return cannot_write(path_, error); }

Result<OutputFile> OutputFile::create(const std::string& path) {
  if (path == "-")
    return user_error("'-' does not name a file to write: standard output carries what the command prints",
                      {}, "name a file; ./- is a file called -");
  OutputFile file;
  file.path_ = path;
  if (is_special(path)) {
    file.target_ = path;
    file.descriptor_ = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file.descriptor_ < 0) return file.failure(errno);
    return file;
  }
  file.target_ = resolved(path);
  if (std::filesystem::is_directory(file.target_)) return file.failure(EISDIR);
  const std::filesystem::path target(file.target_);
  const auto temporary =
      target.parent_path() / fmt::format(".{}.{}.part", target.filename().string(), getpid());
  file.descriptor_ = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file.descriptor_ < 0) return file.failure(errno);
  file.temporary_ = temporary.string();
  remember(file.temporary_);
  return file;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (temporary_.empty()) return;
  unlink(temporary_.c_str());
  forget(temporary_);
}

Result<void> OutputFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failure(errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

Result<OutputFile> OutputFile::join(const std::string& path, const std::string& temporary) {
  OutputFile file;
  file.path_ = path;
  file.target_ = path;
  file.descriptor_ = open(temporary.c_str(), O_WRONLY | O_CLOEXEC);
  if (file.descriptor_ < 0) return file.failure(errno);
  return file;
}

Result<void> OutputFile::write_at(std::size_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failure(errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::size_t>(written);
  }
  return {};
}

Result<void> OutputFile::reserve(std::size_t bytes) {
  const int error = posix_fallocate(descriptor_, 0, static_cast<off_t>(bytes));
  // Some file systems cannot say whether there is room.
  const bool is_refused = error == EOPNOTSUPP || error == EINVAL;
  if (error != 0 && !is_refused) return failure(error);
  if (is_refused && ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) return failure(errno);
  return {};
}

Result<void> OutputFile::commit() {
  // Some file systems tell only here that there was no room.
  if (close(std::exchange(descriptor_, -1)) != 0) return failure(errno);
  if (temporary_.empty()) return {};
  if (rename(temporary_.c_str(), target_.c_str()) != 0) return failure(errno);
  forget(std::exchange(temporary_, {}));
  return {};
}

std::string numbered_paths(std::string_view stem, std::size_t count) {
  std::string paths;
  for (std::size_t i = 0; i < count; ++i) paths += fmt::format("{}{}{}.npy", i == 0 ? "" : ",", stem, i);
  return paths;
}

Result<std::vector<std::string>> output_paths(const std::string& argument, std::size_t count) {
  std::vector<std::string> paths;
  // A comma may be part of the name when there is only one, but not where what is before it is a whole name.
  const bool is_whole = count == 1 && argument.find(".npy,") == std::string::npos;
  for (std::size_t begin = 0; !is_whole && begin <= argument.size();) {
    const std::size_t end = std::min(argument.find(',', begin), argument.size());
    paths.push_back(argument.substr(begin, end - begin));
    begin = end + 1;
  }
  if (is_whole) paths.push_back(argument);
  if (paths.size() != count) {
    return user_error(
        fmt::format("the result is {} array{}, but -o names {}", count, count == 1 ? "" : "s", paths.size()),
        {}, count == 1 ? "name one file" : fmt::format("name them all: -o {}", numbered_paths("", count)));
  }
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (paths[i].empty()) return user_error("-o has an empty file name");
    if (std::find(paths.begin(), paths.begin() + static_cast<std::ptrdiff_t>(i), paths[i]) !=
        paths.begin() + static_cast<std::ptrdiff_t>(i)) {
      return user_error(fmt::format("-o names {} twice", paths[i]));
    }
  }
  return paths;
}

Result<void> check_writable(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    // Opening a pipe would wait for its reader.
    if (is_special(path)) continue;
    if (auto file = OutputFile::create(path); !file) return tl::unexpected(file.error());
  }
  return {};
}

bool takes_parts(const std::string& path) { return !is_special(path); }

Result<void> write_arrays(const std::vector<std::string>& paths, const Data& arrays) {
  std::vector<OutputFile> files;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    auto file = OutputFile::create(paths[i]);
    if (!file) return tl::unexpected(file.error());
    const std::string header = npy_header(arrays[i]);
    if (auto written = file->write(std::as_bytes(std::span(header))); !written) return written;
    if (auto written = file->write(arrays[i].bytes); !written) return written;
    files.push_back(std::move(*file));
  }
  for (OutputFile& file : files) {
    if (auto committed = file.commit(); !committed) return committed;
  }
  return {};
}

}  // namespace hoist::cli
