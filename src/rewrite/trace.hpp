#pragma once
// What was done to a program: which rule, where, from what to what.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "ir/term.hpp"

namespace hoist::rewrite {

/// A place in a term: which child to go to, from the root on, in the order of ir::children.
using Path = std::vector<std::uint32_t>;
/// The term at a place, as it stands there: with loose indices where it is inside a function.
ir::Term term_at(ir::Term root, const Path& path);
/// "0.1.0"; the root is "root".
std::string to_string(const Path& path);
/// Reads "0.1.0" or "root"; gives nothing where the text is neither. User error where a number is empty.
Result<std::optional<Path>> path_from_text(const std::string& text);

struct Step {
  std::string rule;
  Path path;
  ir::Term before, after;  ///< at that place; with loose indices where it is inside a function
};
using Trace = std::vector<Step>;
/// A line a step: "1. split_join at 0.1: x |> map(f) ==> ...".
std::string to_string(const Trace& trace);

}  // namespace hoist::rewrite
