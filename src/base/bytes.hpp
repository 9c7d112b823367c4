#pragma once
// Arrays of the caller's as runs of bytes.
#include <cstddef>
#include <functional>
#include <span>

namespace hoist {

/// Whether two arrays have a byte in common.
inline bool share_memory(std::span<const std::byte> a, std::span<const std::byte> b) {
  constexpr std::less<const std::byte*> is_before;
  return !a.empty() && !b.empty() && is_before(a.data(), b.data() + b.size()) &&
         is_before(b.data(), a.data() + a.size());
}

}  // namespace hoist
