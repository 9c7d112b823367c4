#pragma once
// What may be done with a reduction's operator.
#include <optional>
#include <vector>

#include "ir/term.hpp"

namespace hoist::ir {

/// Proven (a known scalar operation, or a tuple of them componentwise) or claimed by `associative(f)`.
struct OperatorProperties {
  bool associative = false;  ///< exactly for integers, up to rounding for floats
  bool commutative = false;
  bool idempotent = false;  ///< f(x, x) = x, and associative
  bool floats = false;      ///< reassociating changes rounding
};
/// What is known of an operator: a lambda of two parameters (accumulator, element) with one type for both.
OperatorProperties operator_properties(Term lambda);
/// What an operation gives for any x and this is x; nothing where it has no such number.
std::optional<ScalarValue> neutral_scalar(ScalarOp op, Scalar type);
/// Whether `value` is a neutral element of the operator: the claimed one, or that of a known operation (0 for
/// +, 1 for
/// *, ...), componentwise for tuples.
bool is_neutral(Term lambda, Term value);
/// The neutral element that is_neutral knows of the operator; empty where it knows none.
Term neutral_element(Term lambda);

/// A reduction's operator taken apart: f(acc, x) = combine(acc, prepare(x)) with `combine` associative.
struct DecomposedOperator {
  Term combine;  ///< (b, b) -> b
  Term prepare;  ///< a -> b, or empty for the identity
  bool is_commutative = false;
};
/// Nothing where the operator is not known to be of that form.
std::optional<DecomposedOperator> decomposed(Term operation);

/// The scalar operation that an operator on two values of one type applies to each component, in the order of
/// the type's leaves; nothing where it is no such operator.
std::optional<std::vector<ScalarOp>> componentwise_operations(Term operation);

}  // namespace hoist::ir
