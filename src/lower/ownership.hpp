#pragma once
// Whether memory may be written again while values that were read from it are in use.
#include "ir/term.hpp"

namespace hoist::lower {

/// Whether evaluating the term makes memory of its own, which nothing else reads.
bool makes_memory(ir::Term term);

/// Whether each element of an array, the variable `index` of a function's body, is used once at the most,
/// however it gets to where it is used: then a reduction that starts from it may go on in its memory.
bool is_used_once(ir::Term body, std::uint32_t index);

}  // namespace hoist::lower
