#pragma once
// What bounds the work and the recursion on any text, however hostile: exceeding one is an error with a
// message. Real programs stay far below.
#include <cstddef>
#include <cstdint>

namespace hoist::lang::limits {

/// Nesting of the text, and depth of its syntax tree.
inline constexpr int nesting = 1000;
/// Nesting of elaboration: that of the text, plus that of the definitions it expands.
inline constexpr int elaboration_depth = 2000;
/// Expressions elaborated for one definition, repeated expansions counted each time.
inline constexpr std::size_t steps = 200'000;
/// Depth of a term.
inline constexpr std::size_t term_depth = 3'000;
/// Parts of a type, written out.
inline constexpr std::size_t type_weight = 2'000;
/// Parts of a size.
inline constexpr std::size_t size_weight = 300;
/// Constants in sizes: far more than any array has, far less than what overflows.
inline constexpr std::int64_t size_constant = std::int64_t{1} << 40;

}  // namespace hoist::lang::limits
