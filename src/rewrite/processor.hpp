#pragma once
#include <cstdint>

namespace hoist::rewrite {

/// What kind of processor a mapping is for: GPUs want many work-items, neighbours of which read neighbouring
/// elements; few threads of a CPU want long stretches of memory each, in them neighbours for vector
/// instructions.
enum class Processor : std::uint8_t { Gpu, Cpu };

}  // namespace hoist::rewrite
