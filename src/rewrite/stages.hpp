#pragma once
// What costs more to compute again than to store becomes a value of its own, computed before what reads it.
#include <string>
#include <vector>

#include "ir/term.hpp"

namespace hoist::rewrite {

/// A term without parallel maps, with its intermediate values bound by `let` at the top, each computed once,
/// in the order of their dependences. A value inside the function of a map becomes an array over the map's
/// elements (the map is distributed over the parts of its function), so it can be computed in parallel too.
/// What is cheaper to compute again than to store and load is put where it is used. Scans, iterations,
/// scatters and reductions to arrays are stored wherever something else reads their result, unless they are
/// short enough for registers. `notes` get a line for each value that is computed again although it costs
/// much, and why.
ir::Term in_stages(ir::Term term, std::vector<std::string>& notes);

/// Whether any element of an array term can be computed alone, without its predecessors and without repeating
/// work that its neighbours share.
bool is_indexable(ir::Term term);

}  // namespace hoist::rewrite
