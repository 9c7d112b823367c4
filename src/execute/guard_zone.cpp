#include "execute/guard_zone.hpp"

#include <algorithm>
#include <array>

namespace hoist::execute {

Result<std::unique_ptr<runtime::Buffer>> allocate_guarded(runtime::Device& device, std::size_t bytes) {
  auto buffer = device.allocate(bytes + guard_zone);
  if (!buffer) return buffer;
  if (auto filled = device.fill(**buffer, poison_byte); !filled) return tl::unexpected(filled.error());
  return buffer;
}

Result<bool> is_zone_intact(runtime::Device& device, const runtime::Buffer& buffer, std::size_t bytes) {
  std::array<std::byte, guard_zone> zone{};
  if (auto read = device.read(buffer, zone, bytes); !read) return tl::unexpected(read.error());
  return std::all_of(zone.begin(), zone.end(), [](std::byte each) { return each == std::byte{poison_byte}; });
}

}  // namespace hoist::execute
