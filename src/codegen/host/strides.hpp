#pragma once
// How far apart in memory neighbouring iterations of loops work, and what keeps them from working evenly
// apart.
#include <optional>
#include <span>
#include <vector>

#include "arith/expr.hpp"

namespace hoist::codegen {

/// By how much an index grows when these variables grow by one, in the middle of the ranges of all variables:
/// at edges, where indices are clamped, it may be otherwise. Only speed may depend on the answer.
std::optional<std::int64_t> stride(arith::Expr index, std::span<const arith::Expr> variables);

/// The divisions and remainders in an expression.
std::vector<arith::Expr> divisions_in(arith::Expr e);

}  // namespace hoist::codegen
