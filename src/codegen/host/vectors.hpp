#pragma once
// The iterations of a parallel loop as the lanes of vectors.
#include <optional>

#include "loop/kernel.hpp"

namespace hoist::codegen {

/// By how much an index grows from each iteration of a loop to the next, where that is one number.
std::optional<std::int64_t> exact_stride(arith::Expr index, arith::Expr variable);

/// What a parallel loop's body becomes when each execution is `width` iterations side by side, from the one
/// that the variable says on (outer-loop vectorisation: the body may have sequential loops, which all lanes
/// run alike). Nothing where lanes would differ in control flow, access memory apart from each other or
/// compute what vectors have no instruction for.
std::optional<loop::Block> vectorised(const loop::Block& body, arith::Expr variable, int width);

}  // namespace hoist::codegen
