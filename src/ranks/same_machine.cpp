#include "ranks/same_machine.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <string_view>

namespace hoist::ranks {
namespace {

constexpr std::size_t page = 4096;
/// The token, then the flags.
constexpr std::size_t most_blocks = 16384, head_bytes = page + most_blocks * sizeof(std::uint32_t);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free && head_bytes % page == 0);

/// Processes with the same number see the same processes of one machine.
std::uint64_t machine_number() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  char space[64] = {};
  if (boot.empty() || readlink("/proc/self/ns/pid", space, sizeof space - 1) <= 0) return 0;
  return std::hash<std::string>()(boot + space) | 1;
}

std::span<std::byte> mapped(int descriptor, std::uint64_t offset, std::size_t bytes) {
  void* memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, static_cast<off_t>(offset));
  if (memory == MAP_FAILED) return {};
  return {static_cast<std::byte*>(memory), bytes};
}

void close_all(int descriptor, std::span<std::byte> head,
               const std::map<std::uint64_t, std::span<std::byte>>& blocks) {
  for (const auto& [offset, bytes] : blocks) munmap(bytes.data(), bytes.size());
  if (!head.empty()) munmap(head.data(), head.size());
  if (descriptor >= 0) close(descriptor);
}

Error no_memory(const char* what) {
  return device_error(fmt::format("{}: {}", what, std::strerror(errno)), {},
                      "HOIST_MPI_SHARED_MEMORY=0 has ranks of one machine send messages instead")
      .value();
}

}  // namespace

SameMachine::~SameMachine() {
  close_all(own_.descriptor, own_.head, own_.blocks);
  for (const Opened& each : peers_) close_all(each.descriptor, each.head, each.blocks);
}

SameMachine::Told SameMachine::create() {
  const char* given = std::getenv("HOIST_MPI_SHARED_MEMORY");
  if (given != nullptr && std::string_view(given) == "0") return {};
  own_.descriptor = memfd_create("hoist", MFD_CLOEXEC);
  if (own_.descriptor < 0 || ftruncate(own_.descriptor, head_bytes) != 0) return {};
  own_.head = mapped(own_.descriptor, 0, head_bytes);
  if (own_.head.empty()) return {};
  end_ = head_bytes;
  std::random_device random;
  const Told told{machine_number(), std::uint64_t{random()} << 32 | random(), getpid(), own_.descriptor};
  std::memcpy(own_.head.data(), &told.token, sizeof told.token);
  return told;
}

bool SameMachine::open(const Told& told, Opened& peer) const {
  const std::string path = fmt::format("/proc/{}/fd/{}", told.process, told.descriptor);
  peer.descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
  struct stat status {};
  if (peer.descriptor < 0 || fstat(peer.descriptor, &status) != 0 || status.st_size < off_t{head_bytes})
    return false;
  peer.head = mapped(peer.descriptor, 0, head_bytes);
  return !peer.head.empty() && std::memcmp(peer.head.data(), &told.token, sizeof told.token) == 0;
}

Result<std::unique_ptr<SameMachine>> SameMachine::of(std::size_t rank, std::size_t size,
                                                     const Gather& gather) {
  std::unique_ptr<SameMachine> result(new SameMachine());
  const Told own = result->create();
  const auto told = gather(std::as_bytes(std::span(&own, 1)));
  if (!told) return tl::unexpected(told.error());
  result->peers_.resize(size);
  std::vector<std::byte> reached(size);
  for (std::size_t other = 0; other < size; ++other) {
    Told each;
    std::memcpy(&each, told->data() + other * sizeof each, sizeof each);
    if (other == rank || own.machine == 0 || each.machine != own.machine) continue;
    reached[other] = std::byte{result->open(each, result->peers_[other])};
  }
  // Both must reach the other.
  const auto all = gather(reached);
  if (!all) return tl::unexpected(all.error());
  for (std::size_t other = 0; other < size; ++other) {
    const bool is_reached_back = (*all)[other * size + rank] != std::byte{0};
    result->peers_[other].is_reached = reached[other] != std::byte{0} && is_reached_back;
  }
  if (std::ranges::all_of(*all, [](std::byte each) { return each == std::byte{0}; })) return nullptr;
  return result;
}

SameMachine::Flag& SameMachine::flag(const Opened& of, std::uint64_t number) {
  return reinterpret_cast<Flag*>(of.head.data() + page)[number];  // NOLINT
}

Result<SameMachine::Block> SameMachine::take(std::size_t bytes) {
  for (const Place& each : places_) {
    if (each.bytes < bytes || flag(own_, each.number).load(std::memory_order_acquire) != 0) continue;
    flag(own_, each.number).store(1, std::memory_order_relaxed);
    return Block{own_.blocks.at(each.offset), each};
  }
  const Place place{end_, (bytes + page - 1) / page * page, places_.size()};
  if (places_.size() == most_blocks) errno = ENOSPC;
  if (places_.size() == most_blocks ||
      ftruncate(own_.descriptor, static_cast<off_t>(end_ + place.bytes)) != 0)
    return tl::unexpected(no_memory("no memory can be shared with ranks of this machine"));
  const std::span<std::byte> memory = mapped(own_.descriptor, place.offset, place.bytes);
  if (memory.empty()) return tl::unexpected(no_memory("shared memory cannot be mapped"));
  end_ += place.bytes;
  places_.push_back(place);
  own_.blocks.emplace(place.offset, memory);
  flag(own_, place.number).store(1, std::memory_order_relaxed);
  return Block{memory, place};
}

Result<std::span<std::byte>> SameMachine::block(std::size_t rank, const Place& place) {
  Opened& peer = peers_.at(rank);
  std::span<std::byte>& known = peer.blocks[place.offset];
  if (known.empty()) known = mapped(peer.descriptor, place.offset, place.bytes);
  if (known.empty()) return tl::unexpected(no_memory("another rank's memory cannot be mapped"));
  return known;
}

void SameMachine::give_back(std::size_t rank, const Place& place) {
  flag(peers_.at(rank), place.number).store(0, std::memory_order_release);
}

}  // namespace hoist::ranks
