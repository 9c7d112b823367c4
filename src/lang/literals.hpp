#pragma once
// Number literals and their types.
#include "base/error.hpp"
#include "base/scalar.hpp"
#include "lang/syntax.hpp"

namespace hoist::lang {

/// The value of a literal; `wanted` is the type that its place asks for, if it has no suffix. A literal with
/// a point is never an integer: it stays an f32 and the place reports what it gets.
Result<ScalarValue> value_of(const syntax::Number& number, std::optional<Scalar> wanted);

}  // namespace hoist::lang
