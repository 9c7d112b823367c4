#pragma once
// Reductions whose result holds arrays, as iterations: a step that computes arrays can be shared out.
#include "ir/term.hpp"

namespace hoist::rewrite {

/// Whether a state is so large, or of a size so unknown, that kernels for each step beat a loop of one
/// work-item.
bool is_worth_kernels(ir::Type state);

/// reduce(f, init, x) as iterateWhile(s => true, n, (i, s) => f(s, x[i]), init).
ir::Term as_iteration(const ir::Call& reduce);

}  // namespace hoist::rewrite
