#pragma once
// Side conditions of rules, written as `divides(t, n) && associative(f)`:
//
//   divides(a, b)   a <= b   a < b   a == b     of sizes
//   associative(f)  commutative(f)              of a reduction's operator: proven, or claimed by the program
//   neutral(f, z)                               z is the operator's neutral element
//   scalars(x)                                  x is an array of scalars
//   width(w, x)                                 x is an array of vectors of w components
//   scalar(x)                                   x is a scalar
//   layout(f)                                   f only moves data
//   computes(f)                                 f does more than that
//   inlinable(f, v)                             f(v) computes v no more often than once
//   hierarchy(mapLcl, 0, f)                     the map may stand here, around f
//
// A condition on a chosen size is met unless it is provably false: the replacement then has the condition
// among its ir::size_assumptions, which is what the tuning parameter must satisfy. All others must be proven.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rewrite/context.hpp"
#include "rewrite/pattern.hpp"

namespace hoist::rewrite {

struct Condition {
  enum class Kind : std::uint8_t {
    Divides,
    LessEqual,
    Less,
    Equal,
    Associative,
    Commutative,
    Neutral,
    Scalars,
    Width,
    IsScalar,
    Layout,
    Computes,
    Inlinable,
    Hierarchy
  } kind;
  std::string text;                  ///< for reasons
  std::vector<SizePattern> sizes;    ///< the two of a comparison; Hierarchy: the dimension
  std::vector<std::uint32_t> terms;  ///< metavariables, in order
  ir::Op op{};                       ///< Hierarchy
  bool is_on_choice = false;         ///< mentions a chosen size
};

/// Throws Failure on text that is no condition.
std::vector<Condition> read_conditions(Law& law, std::string_view text);
/// Why the condition is not met; nothing if it is.
std::optional<std::string> violation(const Condition& condition, const Bindings& bindings,
                                     const Context& context);

}  // namespace hoist::rewrite
