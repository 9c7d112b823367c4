#pragma once
// Values that are known before a program runs.
#include "ir/term.hpp"

namespace hoist::rewrite {

/// A scalar, or a tuple of scalars, that is 0; empty for other types.
ir::Term zero_of(ir::Type type);

/// The term with operations on literals done (constant folding).
ir::Term folded(ir::Term term);

}  // namespace hoist::rewrite
