#pragma once
// What may be done with a reduction's operator.
#include "ir/term.hpp"

namespace hoist::ir {

/// Proven (a known scalar operation, or a tuple of them componentwise) or claimed by `associative(f)`.
struct OperatorProperties {
  bool associative = false;  ///< exactly for integers, up to rounding for floats
  bool commutative = false;
  bool floats = false;  ///< reassociating changes rounding
};
/// Of a lambda of two parameters (accumulator, element) with one type for both.
OperatorProperties operator_properties(Term lambda);
/// Whether `value` is a neutral element of the operator (0 for +, 1 for *, ...), componentwise for tuples.
bool is_neutral(Term lambda, Term value);

}  // namespace hoist::ir
