#pragma once
// Vectors of an array's row that stay in registers from one iteration to the next.
#include <optional>

#include "loop/kernel.hpp"
#include "loop/traverse.hpp"

namespace hoist::codegen {

/// A sequential loop, and the variables before it.
struct WindowedLoop {
  loop::Block block;
  int registers = 0;  ///< for vectors that are kept, and the newest beside them
};

/// The loop over `count` iterations of `body`, which is straight code on vectors of `width` and moves on by
/// as much in each; `variable` is the iteration. Each vector of the arrays that the body only reads is loaded
/// once, where it begins at a multiple of the width; what lies between two of them is shuffled together.
/// Nothing where the body has loads that something guards, or none that could be shared.
std::optional<WindowedLoop> with_windows(const loop::Block& body, arith::Expr variable, arith::Expr count,
                                         int width, loop::NameSource& names);

}  // namespace hoist::codegen
