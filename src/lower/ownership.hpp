#pragma once
// How often variables are used, and whether their memory may be written again.
#include "ir/term.hpp"

namespace hoist::lower {

/// How often, at the most, a variable is computed where it stands: twice stands for many, as under a lambda,
/// whose body may run many times.
int uses(ir::Term term, std::uint32_t index);
/// The same for a component of a variable that is only used by its components; 2 where the whole is used.
int component_uses(ir::Term term, std::uint32_t index, std::uint32_t component);

/// Whether evaluating the term makes memory of its own, which nothing else reads.
bool makes_memory(ir::Term term);

/// Whether each element of an array, the variable `index` of a function's body, is used once at the most,
/// however it gets to where it is used: then a reduction that starts from it may go on in its memory.
bool is_used_once(ir::Term body, std::uint32_t index);

}  // namespace hoist::lower
