#include "base/scalar_effort.hpp"

namespace hoist {

Effort effort_of(ScalarOp op) {
  switch (op) {
    case ScalarOp::Divide:
    case ScalarOp::Remainder:
    case ScalarOp::Sqrt:
    case ScalarOp::ReciprocalSqrt:
      return Effort::Division;
    case ScalarOp::Power:
    case ScalarOp::ArcTangent2:
    case ScalarOp::Exp:
    case ScalarOp::Exp2:
    case ScalarOp::Log:
    case ScalarOp::Log2:
    case ScalarOp::Sin:
    case ScalarOp::Cos:
    case ScalarOp::Tan:
    case ScalarOp::Tanh:
    case ScalarOp::ArcTangent:
    case ScalarOp::ErrorFunction:
      return Effort::Function;
    default:
      return Effort::Simple;
  }
}

}  // namespace hoist
