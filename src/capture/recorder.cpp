// Captures what an application runs, inside the application (HOIST_CAPTURE=DIR). So it must neither fail nor
// cost much: a failure is told once on standard error and ends the capturing of that program, and after the
// first run only two numbers are counted.
//
// Read `count` first, which is called after every run. The first run makes the case (`make_case`): its
// inputs, its program and its description are written to a directory with a temporary name, which is renamed
// when it is complete. Several threads and processes may do the same at once: whoever renames first has made
// the case, the others throw theirs away. Later runs are counted and, every ten seconds at the most, added
// as one line to runs.jsonl (`add_runs`).
//
// `key_of` says what is one case: the program's hash, its sizes, and the device's language and name.
#include "capture/recorder.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>

#include "base/need.hpp"
#include "base/npy.hpp"
#include "base/sha256.hpp"
#include "capture/layout.hpp"
#include "target/kinds.hpp"

namespace hoist::capture {

namespace {

using Json = nlohmann::ordered_json;

/// Runs are added this often at the most; a process that is killed loses what it counted since.
constexpr std::chrono::seconds between_counts{10};

[[noreturn]] void throw_cannot_write(const std::string& path, int error) {
  throw_failure(ErrorKind::Device, fmt::format("{} cannot be written: {}", path, std::strerror(error)));
}

void write_all(int descriptor, const std::string& path, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_cannot_write(path, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

/// Refuses what would grow a file past its limit (ulimit -f): the system would end the process, which is the
/// application.
void check_file_size(const std::string& path, std::size_t bytes) {
  rlimit most{};
  if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY && bytes > most.rlim_cur)
    throw_cannot_write(path, EFBIG);
}

/// Writes `start` and `rest`. `flags` say whether the file must be new (O_EXCL) or is appended to (O_APPEND).
void write_file(const std::string& path, int flags, std::span<const std::byte> start,
                std::span<const std::byte> rest = {}) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
  if (descriptor < 0) throw_cannot_write(path, errno);
  try {
    struct stat facts {};
    const std::size_t before = fstat(descriptor, &facts) == 0 ? static_cast<std::size_t>(facts.st_size) : 0;
    check_file_size(path, before + start.size() + rest.size());
    write_all(descriptor, path, start);
    write_all(descriptor, path, rest);
  } catch (...) {
    close(descriptor);
    throw;
  }
  // Some file systems tell only here that there was no room.
  if (close(descriptor) != 0) throw_cannot_write(path, errno);
}

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

/// Makes a new directory beside the one that it is to become.
std::string new_directory(const std::string& directory, const std::string& name) {
  static std::atomic<unsigned> next{0};
  for (;;) {
    const std::string path = fmt::format("{}/.{}.{}.{}.part", directory, name, getpid(), next++);
    if (mkdir(path.c_str(), 0777) == 0) return path;
    // A process that had the same number left it behind.
    if (errno != EEXIST) throw_cannot_write(path, errno);
  }
}

std::string key_of(const RunFacts& facts) {
  std::string text =
      fmt::format("{}\n{}\n{}\n", facts.hash, target::name_of(facts.language), facts.device_name);
  for (const auto& [name, value] : facts.sizes) text += fmt::format("{}={}\n", name, value);
  return sha256(text).substr(0, 12);
}

/// Cuts a name short: names of programs may be longer than names of files.
std::string beginning_of(const std::string& name) {
  constexpr std::size_t most = 100;
  return name.substr(0, most);
}
std::string input_file(const std::vector<std::string>& names, std::size_t input) {
  const std::string beginning = beginning_of(names[input]);
  if (beginning == names[input]) return beginning + ".npy";
  return fmt::format("{}.{}.npy", beginning, input);
}

void tell_once(const char* message) {
  static std::atomic_flag is_told;
  if (is_told.test_and_set()) return;
  std::fprintf(stderr,
               "hoist: HOIST_CAPTURE: %s; the program continues, but what it runs may not be captured\n",
               message);
}

}  // namespace

CaseRecorder::CaseRecorder(const std::string& directory, RunFacts facts) : facts_(std::move(facts)) {
  attempt([&] {
    // The application may go to another directory before it runs anything.
    directory_ = std::filesystem::absolute(directory).string();
    place_ = fmt::format("{}/{}-{}", directory_, beginning_of(facts_.program), key_of(facts_));
  });
}

CaseRecorder::~CaseRecorder() {
  if (runs_ > 0 && is_there_) attempt([&] { add_runs(); });
}

template <class Body>
void CaseRecorder::attempt(Body&& body) {
  if (has_failed_) return;
  try {
    body();
  } catch (const Failure& failure) {
    has_failed_ = true;
    tell_once(failure.error().diagnostics.front().message.c_str());
  } catch (const std::exception& failure) {
    has_failed_ = true;
    tell_once(failure.what());
  }
}

void CaseRecorder::count(double seconds, const std::function<Result<Tensor>(std::size_t)>& input) {
  ++runs_;
  seconds_ += seconds;
  if (is_there_ && std::chrono::steady_clock::now() - added_ < between_counts) return;
  attempt([&] {
    if (!is_there_) make_case(input);
    is_there_ = true;
    add_runs();
  });
}

void CaseRecorder::make_case(const std::function<Result<Tensor>(std::size_t)>& input) {
  if (std::filesystem::exists(place_)) return;
  std::filesystem::create_directories(directory_);
  const std::string made = new_directory(directory_, std::filesystem::path(place_).filename().string());
  try {
    for (std::size_t i = 0; i < facts_.inputs.size(); ++i) {
      const Tensor tensor = need(input(i));
      const std::string header = npy_header(tensor);
      write_file(made + "/" + input_file(facts_.inputs, i), O_EXCL, bytes_of(header), tensor.bytes);
    }
    write_file(made + "/" + captured::program_file, O_EXCL, bytes_of(facts_.text));
    const std::string text = case_text();
    write_file(made + "/" + captured::case_file, O_EXCL, bytes_of(text));
    // Whoever came first made the same case.
    if (rename(made.c_str(), place_.c_str()) != 0 && errno != ENOTEMPTY && errno != EEXIST)
      throw_cannot_write(place_, errno);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove_all(made, ignored);
    throw;
  }
  std::error_code ignored;
  std::filesystem::remove_all(made, ignored);
}

std::string CaseRecorder::case_text() const {
  Json sizes = Json::object(), inputs = Json::array();
  for (const auto& [name, value] : facts_.sizes) sizes[name] = value;
  for (std::size_t i = 0; i < facts_.inputs.size(); ++i)
    inputs.push_back({{"name", facts_.inputs[i]}, {"file", input_file(facts_.inputs, i)}});
  const Json json = {
      {"format", captured::format},
      {"version", captured::version},
      {"program", facts_.program},
      {"file", captured::program_file},
      {"entry", facts_.entry},
      {"sizes", std::move(sizes)},
      {"device",
       {{"id", facts_.device}, {"language", target::name_of(facts_.language)}, {"name", facts_.device_name}}},
      {"inputs", std::move(inputs)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void CaseRecorder::add_runs() {
  // One write appends the line, so that lines of several processes do not mix. The line break before it ends
  // a line that a full disk cut off.
  const std::string line = "\n" + Json{{"runs", runs_}, {"seconds", seconds_}}.dump() + "\n";
  write_file(place_ + "/" + captured::runs_file, O_APPEND, bytes_of(line));
  runs_ = 0;
  seconds_ = 0;
  added_ = std::chrono::steady_clock::now();
}

}  // namespace hoist::capture
