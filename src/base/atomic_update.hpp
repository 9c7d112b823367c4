#pragma once
// Which operations combine a value with what is in memory indivisibly.
#include "base/scalar.hpp"

namespace hoist {

/// Whether every language that kernels are printed in has such updates of memory, by an instruction or by a
/// loop that compares and exchanges. The order in which several meet in one place does not matter, floats'
/// rounding apart.
inline bool is_atomic_update(ScalarOp op, Scalar type) {
  const bool has_word = type == Scalar::I32 || type == Scalar::U32 || type == Scalar::I64 ||
                        type == Scalar::U64 || is_float(type);
  switch (op) {
    case ScalarOp::Add:
    case ScalarOp::Minimum:
    case ScalarOp::Maximum:
      return has_word;
    case ScalarOp::BitAnd:
    case ScalarOp::BitOr:
    case ScalarOp::BitXor:
      return has_word && is_integer(type);
    case ScalarOp::Multiply:
      return is_float(type);
    default:
      return false;
  }
}

}  // namespace hoist
