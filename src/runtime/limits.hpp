#pragma once
// What every backend checks before it asks its device: launches, allocations and transfers against the limits
// that the device reports, so that a candidate that does not fit is refused with words instead of crashing a
// driver.
#include <cstddef>
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

}  // namespace hoist::runtime
