#pragma once
// Applying functions without computing anything twice.
#include <span>
#include <vector>

#include "ir/term.hpp"

namespace hoist::rewrite {

/// A variable that a `let` binds, and what to.
struct Binding {
  ir::Term variable, value;
};
/// The term inside of the lets around another one; `bindings` gets theirs, the outermost first.
ir::Term outside_lets(ir::Term term, std::vector<Binding>& bindings);
/// Undoes it: the first is the outermost.
ir::Term with_lets(std::span<const Binding> bindings, ir::Term term);

/// Whether evaluating the term again costs nothing: variables, constants, and views of them that are no long
/// text.
bool is_free_of_cost(ir::Term term);
/// Whether a lambda's parameter may be replaced by `value` without computing it more often.
bool may_inline(ir::Term lambda, std::size_t parameter, ir::Term value);
/// The lambda's body on these arguments; an argument that costs something and that the body uses more than
/// once, or inside a function that a pattern repeats, is bound by a `let`.
ir::Term apply_once(ir::Term lambda, const std::vector<ir::Term>& arguments);
/// The function, of scalars or tuples of them, on vectors of `width`; scalars from outside stay scalars.
/// Throws Failure where its body does more than scalar operations.
ir::Term vectorized(ir::Term lambda, arith::Expr width);

}  // namespace hoist::rewrite
