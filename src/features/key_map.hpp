#pragma once
// Numbers by key: features look up every variable, buffer and index that a kernel mentions.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hoist::features {

/// Keys are addresses, or numbers other than 0.
class KeyMap {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;

  /// The key's number, or none.
  std::uint32_t find(std::uint64_t key) const {
    for (std::size_t at = place(key);; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].key == key) return slots_[at].number;
      if (slots_[at].key == 0) return none;
    }
  }
  void set(std::uint64_t key, std::uint32_t number) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    std::size_t at = place(key);
    while (slots_[at].key != 0 && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
    size_ += slots_[at].key == 0 ? 1 : 0;
    slots_[at] = {key, number};
  }
  std::uint32_t find(const void* key) const { return find(reinterpret_cast<std::uintptr_t>(key)); }
  void set(const void* key, std::uint32_t number) { set(reinterpret_cast<std::uintptr_t>(key), number); }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t number = none;
  };
  std::size_t place(std::uint64_t key) const {
    constexpr unsigned upper_half = 32;
    return (key * 0x9e3779b97f4a7c15U >> upper_half) & (slots_.size() - 1);
  }
  void grow() {
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
    size_ = 0;
    for (const Slot& slot : old) {
      if (slot.key != 0) set(slot.key, slot.number);
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(64);  // a power of two
  std::size_t size_ = 0;
};

}  // namespace hoist::features
