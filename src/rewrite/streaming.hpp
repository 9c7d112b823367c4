#pragma once
// Nests over windows, by work-items through whose registers the windows move.
#include "rewrite/context.hpp"
#include "rewrite/nest.hpp"

namespace hoist::rewrite {

/// The nest with `width` neighbours of the innermost dimension computed at once, and as many of the outermost
/// as `rows` says, one after the other; `rows` is asked where there is more than one dimension. `owner`
/// shares out what is left to work-items. Declines where the nest is no stencil that is read at constant
/// places.
Outcome streamed(const Nest& nest, std::int64_t width, ir::Op owner,
                 const std::function<arith::Expr()>& rows);

}  // namespace hoist::rewrite
