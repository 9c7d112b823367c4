#pragma once
// The length that iterate binds, for ir and for those who lower it. Its function may change the length of an
// array, so it is typed with a size variable of its own, which Call::sizes[1] names: f: [k]a -> [k/2]a. Where
// the function keeps the length and is typed with the start's own, sizes[1] is that length and binds nothing.
//
// The variable's name, which no name in the language is and which prints as k, is computed from the
// function's shape (what it is but for sizes, types and variables). So terms that only differ in the name are
// one, substituting variables and sizes does not change it, and no function that is nested in another has the
// other's: nothing is captured when terms are taken apart and put together again.
#include "ir/node.hpp"

namespace hoist::ir {

/// A size variable that nothing has yet; `call` replaces it by the canonical one.
arith::Expr fresh_length();
/// The variable for the length that this function of iterate is typed with, which is called `length` so far.
arith::Expr canonical_length(Term function, arith::Expr length);
/// The size that a node binds in its first argument; empty if it binds none.
arith::Expr bound_length(Term term);
/// Whether what the function uses from outside has the length, too.
bool is_length_outside(Term function, arith::Expr length);

/// How many steps `most` means where that is known before the program runs, of a size or a literal: none of
/// one below 0. Empty of any other term.
arith::Expr known_steps(Term most);

/// The length after `count` steps from n, where a step makes `next` of k. Empty where no expression says it.
arith::Expr length_after(arith::Expr next, arith::Expr k, arith::Expr n, arith::Expr count);

}  // namespace hoist::ir
