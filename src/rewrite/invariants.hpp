#pragma once
// Loop-invariant motion on terms.
#include "ir/term.hpp"

namespace hoist::rewrite {

/// Whether evaluating the term runs a loop (a reduction, a scan, an iteration, or a map that computes).
bool contains_loop(ir::Term term);
/// Whether the function only moves data: no scalar operation and no loop in its body.
bool is_layout_only(ir::Term lambda);

/// Moves what is costly and does not depend on a function's parameters out of the function, bound with `let`
/// around the pattern that calls it: map(x => x / reduce(+, 0, y)) computes the sum once. Keeps the meaning
/// for programs without errors; a loop of no iterations may now compute what it did not need.
ir::Term hoist_invariants(ir::Term term);

}  // namespace hoist::rewrite
