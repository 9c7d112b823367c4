#pragma once
// Memory that ranks of one machine have open together, so that what one has written another reads where it
// lies, and only its place is sent:
//
//   rank 1: takes a block, writes it, sends its place        rank 0: receives the place, reads the block,
//                                                                    gives it back
//
// Each rank has a memory of its own, without a name in any file system, which the others open through /proc.
// It begins with a flag for each of its blocks: whether somebody has it. Where that cannot be done (another
// machine, another container, a system that forbids it), ranks send what they have by messages.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace hoist::ranks {

class SameMachine {
 public:
  /// Where a block lies: what is sent in its place.
  struct Place {
    std::uint64_t offset = 0, bytes = 0;
    std::uint64_t number = 0;
  };
  /// Memory of this rank that others read. It stays as long as the object.
  struct Block {
    std::span<std::byte> bytes;
    Place place;
  };

  /// The bytes of every rank, one rank after the other; all ranks call it.
  using Gather = std::function<Result<std::vector<std::byte>>(std::span<const std::byte> mine)>;

  /// All ranks call it, each as one of `size`. Null at all of them where no two can, or
  /// HOIST_MPI_SHARED_MEMORY is 0. Errors: those of `gather`.
  static Result<std::unique_ptr<SameMachine>> of(std::size_t rank, std::size_t size, const Gather& gather);
  ~SameMachine();
  SameMachine(const SameMachine&) = delete;
  SameMachine& operator=(const SameMachine&) = delete;

  /// Whether that rank and this one read each other's blocks.
  bool reaches(std::size_t rank) const { return rank < peers_.size() && peers_[rank].is_reached; }
  /// A block of as many bytes at least, nobody's until now. Device error: there is no memory left.
  Result<Block> take(std::size_t bytes);
  /// A block of another rank, which has sent its place. Device error: it cannot be mapped.
  Result<std::span<std::byte>> block(std::size_t rank, const Place& place);
  /// Its owner may take it again.
  void give_back(std::size_t rank, const Place& place);

 private:
  using Flag = std::atomic<std::uint32_t>;
  /// A memory, and its flags.
  struct Opened {
    int descriptor = -1;
    std::span<std::byte> head;
    bool is_reached = false;
    std::map<std::uint64_t, std::span<std::byte>> blocks = {};  ///< those mapped, by their offset
  };
  /// What a rank tells of its memory.
  struct Told {
    std::uint64_t machine = 0;  ///< of it and what it sees of processes; 0: it has no memory
    std::uint64_t token = 0;    ///< that the memory begins with
    std::int64_t process = 0, descriptor = 0;
  };

  SameMachine() = default;
  Told create();
  bool open(const Told& told, Opened& peer) const;
  static Flag& flag(const Opened& of, std::uint64_t number);

  Opened own_;
  std::vector<Opened> peers_;  ///< by rank
  std::vector<Place> places_;  ///< of own blocks, by number
  std::uint64_t end_ = 0;      ///< of the own memory
};

}  // namespace hoist::ranks
