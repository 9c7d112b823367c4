#include "ranks/communicator.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <thread>

#include "base/library.hpp"
#include "ranks/same_machine.hpp"

namespace hoist::ranks {
namespace {

/// MPI promises tags up to this one.
constexpr std::size_t tags = 32768;

// A rank waits while its device computes, which may be the core that it waits on: MPI's own waiting looks
// again and again. Long messages move only while somebody looks, so where devices compute elsewhere it is
// looked for them all the time.
constexpr int looks_without_pause = 50;
constexpr std::chrono::microseconds pause(20);

/// What a launcher tells the processes that it starts.
struct Launcher {
  const char* name;
  const char* ranks;  ///< the variable of the environment that has their number
};
constexpr Launcher launchers[] = {{"Open MPI's mpirun", "OMPI_COMM_WORLD_SIZE"},
                                  {"a launcher", "PMI_SIZE"},
                                  {"MVAPICH's launcher", "MV2_COMM_WORLD_SIZE"}};
/// Without their number.
constexpr const char* ranked = "PMIX_RANK";

struct Started {
  std::string by;
  std::optional<int> ranks;
};

std::optional<Started> started() {
  for (const Launcher& each : launchers) {
    if (const char* ranks = std::getenv(each.ranks)) return Started{each.name, std::atoi(ranks)};
  }
  if (std::getenv(ranked) != nullptr) return Started{"a launcher", std::nullopt};
  return std::nullopt;
}

/// Where libhoist.so lies, in a process that has loaded it.
std::filesystem::path directory_of_library() {
  static const char here = 0;
  Dl_info library;
  if (dladdr(&here, &library) == 0) return {};
  std::error_code ignored;
  return std::filesystem::canonical(library.dli_fname, ignored).parent_path();
}

const LibraryPlace& place() {
  static const LibraryPlace result = [] {
    LibraryPlace made;
    made.what = "Hoist's library for MPI";
    made.variable = "HOIST_MPI_LIBRARY";
    std::error_code ignored;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
    const auto library = directory_of_library();
    // One that is there and cannot be opened says why.
    // Where packages have it, and where `cmake --install` puts it, beside the folder of programs.
    const auto installed = program.parent_path() / HOIST_LIBRARY_FOLDER "/hoist/libhoist-mpi.so";
    for (const auto& path : {program / "libhoist-mpi.so", installed, library / "libhoist-mpi.so",
                             library / "hoist/libhoist-mpi.so"}) {
      if (made.names.empty() && std::filesystem::exists(path, ignored)) made.names.push_back(path);
    }
    if (made.names.empty()) made.names = {"libhoist-mpi.so"};
    made.remedy =
        "install the package libhoist-mpi; or MPI's headers (libopenmpi-dev), and build the target "
        "hoist-mpi; or "
        "name the library in HOIST_MPI_LIBRARY";
    made.kind = ErrorKind::User;
    return made;
  }();
  return result;
}

Result<const Shim*> opened() {
  auto library = Library::open(place());
  if (!library) return tl::unexpected(std::move(library.error()));
  const Shim* (*entry)() = nullptr;
  library->find(Shim::entry, entry);
  if (auto complete = library->check(); !complete) return tl::unexpected(std::move(complete.error()));
  const Shim* shim = entry();
  if (shim->version != api::Messages::current_version)
    return user_error(fmt::format("{} is of another version of Hoist", library->path()), {},
                      "build the target hoist-mpi again");
  return shim;
}

}  // namespace

Result<std::unique_ptr<Communicator>> Communicator::of_launcher() {
  const auto by = started();
  if (!by || by->ranks == 1) return nullptr;
  auto shim = opened();
  if (!shim) {
    Error error = std::move(shim.error());
    error.diagnostics.front().message = fmt::format("{} has started hoist as one of several ranks, but {}",
                                                    by->by, error.diagnostics.front().message);
    return tl::unexpected(std::move(error));
  }
  std::unique_ptr<Communicator> result(new Communicator((*shim)->messages));
  if (auto done = result->checked((*shim)->start(&result->self_), "does not start"); !done)
    return tl::unexpected(std::move(done.error()));
  result->started_by_ = *shim;
  if (auto read = result->read_ranks(); !read) return tl::unexpected(std::move(read.error()));
  if (by->ranks && *by->ranks != result->size_) {
    return user_error(fmt::format("{} has started {} ranks, but {} knows of {}", by->by, *by->ranks,
                                  result->library(), result->size_),
                      "the launcher belongs to another MPI than the one that libhoist-mpi.so was built with",
                      "start it with that MPI's launcher, or build hoist-mpi with the headers of the other");
  }
  if (result->size_ == 1) return nullptr;
  if (auto shared = result->share_memory(); !shared) return tl::unexpected(shared.error());
  return result;
}

Result<std::unique_ptr<Communicator>> Communicator::over(const api::Messages& messages, void* self) {
  if (messages.version != api::Messages::current_version)
    return user_error("the application was compiled with hoist/mpi.hpp of another version of Hoist", {},
                      "compile it with the headers of the library that it runs with");
  std::unique_ptr<Communicator> result(new Communicator(&messages));
  result->self_ = self;
  if (auto read = result->read_ranks(); !read) return tl::unexpected(std::move(read.error()));
  if (auto shared = result->share_memory(); !shared) return tl::unexpected(shared.error());
  return result;
}

Result<std::unique_ptr<Communicator>> Communicator::of_number(int number, const std::string& library) {
  auto shim = opened();
  if (!shim) return tl::unexpected(std::move(shim.error()));
  const std::string own = (*shim)->messages->library();
  const std::string given = library.substr(0, library.find('\n'));
  if (given != own)
    return user_error(
        fmt::format("the communicator is one of {}, but libhoist-mpi.so was built with {}", given, own),
        "communicators of different MPIs mean nothing to each other",
        "build the target hoist-mpi with the headers of that MPI, and name it in HOIST_MPI_LIBRARY");
  void* self = nullptr;
  if (const char* fault = (*shim)->copy(number, &self)) return user_error(fault);
  return over(*(*shim)->messages, self);
}

Communicator::Communicator(const api::Messages* messages) : messages_(messages) {}

Communicator::~Communicator() {
  if (self_ != nullptr) messages_->release(self_);
  if (started_by_ != nullptr) started_by_->finish();
}

Result<void> Communicator::read_ranks() {
  return checked(messages_->ranks(self_, &rank_, &size_, &rank_of_node_), "does not tell its ranks");
}

Result<void> Communicator::share_memory() {
  auto shared =
      SameMachine::of(rank(), size(), [this](std::span<const std::byte> mine) { return all_gather(mine); });
  if (!shared) return tl::unexpected(shared.error());
  same_machine_ = *std::move(shared);
  return {};
}

bool Communicator::reaches_devices() const {
  if (const char* given = std::getenv("HOIST_MPI_DEVICE_MEMORY")) return std::string_view(given) == "1";
  return messages_->reaches_devices() != 0;
}

Result<void> Communicator::checked(int error, const char* what) const {
  if (error == 0) return {};
  char text[512] = {};
  messages_->error_text(error, text, sizeof text);
  return device_error(fmt::format("MPI {}: {}", what, text), library());
}

Result<Communicator::Message> Communicator::send(std::span<const std::byte> from, std::size_t to,
                                                 std::size_t number) {
  Message result;
  const int error = messages_->send(self_, from.data(), from.size(), static_cast<int>(to),
                                    static_cast<int>(number % tags), &result.request_);
  if (auto done = checked(error, "does not send"); !done) return tl::unexpected(std::move(done.error()));
  return result;
}

Result<Communicator::Message> Communicator::receive(std::span<std::byte> to, std::size_t from,
                                                    std::size_t number) {
  Message result;
  const int error = messages_->receive(self_, to.data(), to.size(), static_cast<int>(from),
                                       static_cast<int>(number % tags), &result.request_);
  if (auto done = checked(error, "does not receive"); !done) return tl::unexpected(std::move(done.error()));
  return result;
}

Result<bool> Communicator::has_ended(Message& message) {
  if (message.request_ == nullptr) return true;
  if (auto done = checked(messages_->test(&message.request_), "lost a message"); !done)
    return tl::unexpected(std::move(done.error()));
  return message.request_ == nullptr;
}

Result<void> Communicator::wait(Message& message) {
  for (int looks = 0; message.request_ != nullptr; ++looks) {
    if (computes_elsewhere_) {
      std::this_thread::yield();
    } else if (looks >= looks_without_pause) {
      std::this_thread::sleep_for(pause);
    }
    if (auto done = checked(messages_->test(&message.request_), "lost a message"); !done) return done;
  }
  return {};
}

Result<std::vector<std::byte>> Communicator::all_gather(std::span<const std::byte> mine) {
  std::vector<std::byte> all(mine.size() * size());
  const int error = messages_->all_gather(self_, mine.data(), static_cast<int>(mine.size()), all.data());
  if (auto done = checked(error, "does not gather"); !done) return tl::unexpected(std::move(done.error()));
  return all;
}

void Communicator::abort(int status) {
  messages_->abort(self_, status);
  std::_Exit(status);
}

}  // namespace hoist::ranks
