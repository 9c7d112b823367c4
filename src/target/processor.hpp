#pragma once
// What code is made for, as the rooms need to know that see no devices.
#include <cstdint>

namespace hoist::target {

/// The processors that Hoist tells apart. GPUs want many work-items, neighbours of which read neighbouring
/// elements; few threads of a CPU want long stretches of memory each, in them neighbours for vector
/// instructions. The default mapping, the schemas of features and rates are made for one or the other.
enum class Processor : std::uint8_t { Gpu, Cpu };
inline constexpr Processor all_processors[] = {Processor::Gpu, Processor::Cpu};

/// How many work-items of a group, in the order of their ids with dimension 0 the fastest, are a warp: they
/// execute together and may read each other's registers. A device whose warps (sub-groups, wavefronts) cannot
/// be as long has none for Hoist.
inline constexpr int warp_size = 32;

}  // namespace hoist::target
