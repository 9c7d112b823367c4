#pragma once
// How long operations take, in the classes that all processors have.
#include <cstdint>

#include "base/scalar.hpp"

namespace hoist {

/// One instruction or two; a division or a root; a function that a library computes.
enum class Effort : std::uint8_t { Simple, Division, Function };
Effort effort_of(ScalarOp op);

}  // namespace hoist
