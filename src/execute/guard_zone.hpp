#pragma once
// Memory of a device in which it shows when a kernel writes where it must not, or reads what nothing wrote.
#include <cstdint>
#include <memory>

#include "runtime/device.hpp"

namespace hoist::execute {

/// Makes floats of 3.4e38 (f32) and 1.4e306 (f64), beside which every result differs by more than its bound,
/// one of 0 too; and integers that no program computes by chance.
inline constexpr std::uint8_t poison_byte = 0x7F;
/// Bytes behind an array in which writes past its end are seen: a page, as far as an index that is wrong by
/// one row of a small matrix goes.
inline constexpr std::size_t guard_zone = 4096;

/// A buffer of so many bytes and a guard zone, poisoned.
Result<std::unique_ptr<runtime::Buffer>> allocate_guarded(runtime::Device& device, std::size_t bytes);
/// Whether the zone behind the first bytes is as it was when it was poisoned.
Result<bool> is_zone_intact(runtime::Device& device, const runtime::Buffer& buffer, std::size_t bytes);

}  // namespace hoist::execute
