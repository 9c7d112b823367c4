#pragma once
// Memory of the host that transfers between places go through: of its own, pinned where a device needs that,
// or, between ranks of one machine, blocks that both have open (ranks/same_machine.hpp), of which only the
// place is sent.
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "ranks/communicator.hpp"
#include "ranks/same_machine.hpp"
#include "runtime/device.hpp"
#include "runtime/queue.hpp"

namespace hoist::execute {

/// Memory for one transfer.
struct Staging {
  std::unique_ptr<runtime::HostMemory> memory;  ///< null: a block's
  std::unique_ptr<ranks::SameMachine::Place> place = nullptr;
  std::byte* bytes = nullptr;                 ///< those of what is sent
  runtime::Event event = {};                  ///< of the command that uses it
  ranks::Communicator::Message message = {};  ///< that uses it
  bool is_given = false;                      ///< whether a transfer has it

  /// What a message of a transfer of so many bytes carries.
  std::span<std::byte> sent(std::size_t count) const {
    return place ? std::as_writable_bytes(std::span(place.get(), 1)) : memory->bytes().first(count);
  }
};

class StagingPool {
 public:
  /// Null: there are no other ranks.
  explicit StagingPool(ranks::Communicator* others) : others_(others) {}

  /// Nothing is given any more: what a run before had, which may have failed.
  void begin();
  /// Memory that nothing uses, for a transfer within this process.
  Result<Staging*> take(runtime::Device& device, std::size_t bytes);
  /// The same for what a rank is sent, or sends.
  Result<Staging*> take_to_send(runtime::Device& device, std::size_t bytes, std::size_t rank);
  Result<Staging*> take_to_receive(runtime::Device& device, std::size_t bytes, std::size_t rank);
  /// What a message has brought from that rank.
  Result<const std::byte*> received(runtime::Device& device, const Staging& staging, std::size_t rank);
  /// It is used again when the command that reads it has ended.
  void give(Staging& staging, std::size_t rank, runtime::Event event);
  /// Blocks of other ranks that no command reads any more are theirs again.
  void give_back();

  /// Moves what is on its way.
  Result<void> progress();
  /// Waits for all that was sent.
  Result<void> end_sends();

 private:
  /// A block of another rank that a command reads.
  struct Borrowed {
    std::size_t rank;
    ranks::SameMachine::Place place;
    runtime::Event event;
  };

  Result<Staging*> unused(const std::function<bool(const Staging&)>& fits);
  Result<Staging*> take_place();
  ranks::SameMachine* shared_with(std::size_t rank) const;
  Result<void> pin(runtime::Device& device, std::span<std::byte> block);

  ranks::Communicator* others_;
  std::list<Staging> all_;
  std::vector<Borrowed> borrowed_;
  std::map<std::pair<runtime::Device*, std::byte*>, std::unique_ptr<runtime::HostMemory>>
      pinned_;  ///< blocks
};

}  // namespace hoist::execute
