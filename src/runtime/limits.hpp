#pragma once
// What every backend checks before it asks its device: launches, allocations and transfers against the limits
// that the device reports, so that a candidate that does not fit is refused with words instead of crashing a
// driver.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "runtime/device.hpp"

namespace hoist::runtime {

/// "48 KiB", "1.5 GiB (1610612736 bytes)": the size for a reader, and exactly.
std::string bytes_text(std::size_t bytes);

/// "128x4x1".
std::string range_text(const std::array<std::size_t, 3>& sizes);

/// The text with a line number before each line, for errors about generated source.
std::string numbered(const std::string& source);

/// Work-items of the range, 0 when there is nothing to do; saturates at the largest size_t.
std::size_t work_items(const std::array<std::size_t, 3>& sizes);

/// Device error when the group is larger than the device or the kernel allows, or when the kernel needs more
/// local memory than there is. Bug error when local does not divide global: whoever chose the range must have
/// seen to it.
Result<void> check_launch(const target::Target& device, const Kernel& kernel, const std::string& kernel_name,
                          const Range& range);

/// Device error when `bytes` more do not fit beside the `allocated` bytes that live buffers hold.
Result<void> check_allocation(const target::Target& device, std::size_t bytes, std::size_t allocated);

/// Bug error when a transfer of `bytes` passes the end of a buffer; `what` names it: "write", "copy from".
Result<void> check_transfer(const target::Target& device, const std::string& what, std::size_t bytes,
                            std::size_t buffer_bytes);

/// The bytes that a fill writes: those that were asked for, or all from `offset` to the buffer's end.
inline std::size_t filled_bytes(const Buffer& buffer, std::size_t offset, std::optional<std::size_t> bytes) {
  return bytes.value_or(buffer.bytes() - std::min(offset, buffer.bytes()));
}

/// Whether a copy has no bytes, or is one of a range onto itself.
inline bool moves_nothing(const Buffer& from, std::size_t from_offset, const Buffer& to,
                          std::size_t to_offset, std::size_t bytes) {
  return bytes == 0 || (&from == &to && from_offset == to_offset);
}

/// Bug error where an end of a copy passes the end of its buffer, or the ranges overlap in one buffer without
/// being the same.
Result<void> check_copy(const target::Target& device, const Buffer& from, std::size_t from_offset,
                        const Buffer& to, std::size_t to_offset, std::size_t bytes);

}  // namespace hoist::runtime
