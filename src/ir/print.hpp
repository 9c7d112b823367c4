#pragma once
// Programs and terms as text in the language; lang parses it back to the same term.
#include <span>
#include <string>

#include "ir/term.hpp"

namespace hoist::ir {

/// "def name(x: [N]f32): [N]f32 =\n  x |> map(e => ...)\n". parse(to_string(p)) is the same function term,
/// always.
std::string to_string(const Program& program);
/// An open term prints its Free variables by their hint; loose indices as "#0".
std::string to_string(Term term);

/// What binds a variable: its type, and what it is called, as a hint.
struct Binder {
  Type type;
  std::string hint;
};
/// An open term whose loose index i is that of the binder i before the last one.
std::string to_string(Term term, std::span<const Binder> scope);

}  // namespace hoist::ir
