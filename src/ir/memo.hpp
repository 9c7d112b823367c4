#pragma once
// Private to ir: results by node and a number, for walks over terms that share subterms. Small walks allocate
// once.
#include <cstdint>
#include <vector>

#include "ir/arena_data.hpp"

namespace hoist::ir {

template <class Value>
class Memo {
 public:
  /// The value remembered for the node; null if there is none. Valid until the next `remember`.
  const Value* recall(const TermNode* node, std::uint32_t number = 0) const {
    if (slots_.empty()) return nullptr;
    const Slot& slot = slots_[place(slots_, node, number)];
    return slot.node == nullptr ? nullptr : &slot.value;
  }
  void remember(const TermNode* node, std::uint32_t number, Value value) {
    if (2 * count_ >= slots_.size()) grow();
    Slot& slot = slots_[place(slots_, node, number)];
    if (slot.node == nullptr) ++count_;
    slot = {node, number, std::move(value)};
  }

 private:
  struct Slot {
    const TermNode* node = nullptr;
    std::uint32_t number = 0;
    Value value{};
  };
  /// Where the key is or belongs.
  static std::size_t place(const std::vector<Slot>& slots, const TermNode* node, std::uint32_t number) {
    const std::size_t last = slots.size() - 1;
    std::size_t at = mix(node->hash, number) & last;
    while (slots[at].node != nullptr && (slots[at].node != node || slots[at].number != number)) {
      at = (at + 1) & last;
    }
    return at;
  }
  void grow() {
    constexpr std::size_t fewest = 32;
    std::vector<Slot> larger(slots_.empty() ? fewest : 2 * slots_.size());
    for (Slot& slot : slots_) {
      if (slot.node != nullptr) larger[place(larger, slot.node, slot.number)] = std::move(slot);
    }
    slots_ = std::move(larger);
  }

  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

}  // namespace hoist::ir
