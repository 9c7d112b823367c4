#include "execute/staging_pool.hpp"

namespace hoist::execute {

void StagingPool::begin() {
  for (Staging& each : all_) each.is_given = false;
}

Result<Staging*> StagingPool::unused(const std::function<bool(const Staging&)>& fits) {
  for (Staging& each : all_) {
    if (each.is_given || !fits(each) || !each.event.has_ended()) continue;
    if (others_ != nullptr) {
      auto ended = others_->has_ended(each.message);
      if (!ended) return tl::unexpected(ended.error());
      if (!*ended) continue;
    }
    each.is_given = true;
    return &each;
  }
  return nullptr;
}

Result<Staging*> StagingPool::take(runtime::Device& device, std::size_t bytes) {
  auto known =
      unused([&](const Staging& each) { return each.memory && each.memory->bytes().size() >= bytes; });
  if (!known || *known != nullptr) return known;
  auto memory = device.host_memory(bytes);
  if (!memory) return tl::unexpected(memory.error());
  std::byte* const first = (*memory)->bytes().data();
  all_.push_back({.memory = *std::move(memory), .bytes = first, .is_given = true});
  return &all_.back();
}

/// One for the place of a block.
Result<Staging*> StagingPool::take_place() {
  auto known = unused([](const Staging& each) { return each.place != nullptr; });
  if (!known || *known != nullptr) return known;
  all_.push_back(
      {.memory = nullptr, .place = std::make_unique<ranks::SameMachine::Place>(), .is_given = true});
  return &all_.back();
}

/// Null: that rank gets messages.
ranks::SameMachine* StagingPool::shared_with(std::size_t rank) const {
  ranks::SameMachine* const shared = others_ == nullptr ? nullptr : others_->same_machine();
  return shared != nullptr && shared->reaches(rank) ? shared : nullptr;
}

Result<void> StagingPool::pin(runtime::Device& device, std::span<std::byte> block) {
  auto& pinned = pinned_[{&device, block.data()}];
  if (pinned) return {};
  auto made = device.pin(block);
  if (!made) return tl::unexpected(made.error());
  pinned = *std::move(made);
  return {};
}

Result<Staging*> StagingPool::take_to_send(runtime::Device& device, std::size_t bytes, std::size_t rank) {
  ranks::SameMachine* const shared = shared_with(rank);
  if (shared == nullptr) return take(device, bytes);
  auto block = shared->take(bytes);
  if (!block) return tl::unexpected(block.error());
  if (auto pinned = pin(device, block->bytes); !pinned) return tl::unexpected(pinned.error());
  auto staging = take_place();
  if (!staging) return staging;
  *(*staging)->place = block->place;
  (*staging)->bytes = block->bytes.data();
  return staging;
}

Result<Staging*> StagingPool::take_to_receive(runtime::Device& device, std::size_t bytes, std::size_t rank) {
  return shared_with(rank) != nullptr ? take_place() : take(device, bytes);
}

Result<const std::byte*> StagingPool::received(runtime::Device& device, const Staging& staging,
                                               std::size_t rank) {
  if (!staging.place) return staging.bytes;
  auto block = shared_with(rank)->block(rank, *staging.place);
  if (!block) return tl::unexpected(block.error());
  if (auto pinned = pin(device, *block); !pinned) return tl::unexpected(pinned.error());
  return block->data();
}

void StagingPool::give(Staging& staging, std::size_t rank, runtime::Event event) {
  if (staging.place) borrowed_.push_back({rank, *staging.place, event});
  staging.event = std::move(event);
  staging.is_given = false;
}

void StagingPool::give_back() {
  std::erase_if(borrowed_, [&](const Borrowed& each) {
    if (!each.event.has_ended()) return false;
    shared_with(each.rank)->give_back(each.rank, each.place);
    return true;
  });
}

Result<void> StagingPool::progress() {
  for (Staging& each : all_) {
    auto ended = others_->has_ended(each.message);
    if (!ended) return tl::unexpected(ended.error());
    if (!*ended) break;  // whoever looks for one moves all
  }
  return {};
}

Result<void> StagingPool::end_sends() {
  for (Staging& each : all_) {
    if (each.is_given) continue;
    if (auto ended = others_->wait(each.message); !ended) return ended;
  }
  return {};
}

}  // namespace hoist::execute
