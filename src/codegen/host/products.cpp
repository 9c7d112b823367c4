// A sum that takes a product is printed as one operation, which rounds once instead of twice. In
//
//   acc = acc + (i < 1009 ? x[i] * y[i] : 0.0)
//
// that could be done only where the condition is known to hold, as in the inner iterations of a loop whose
// edges have been split off (edges.hpp), but not in a task that is told at which iteration it begins. So that
// both give the same bits the product becomes fma(x[i], y[i], -0.0): that is the rounded product, and no sum
// takes it. It is printed as a product.
#include "codegen/host/products.hpp"

#include "loop/traverse.hpp"

namespace hoist::codegen {
namespace {

using loop::ValuePtr;

ValuePtr rounded(const ValuePtr& value) {
  const auto* operation = std::get_if<loop::Operation>(&value->node);
  if (!operation || !is_float(value->type.scalar)) return value;
  if (operation->op == ScalarOp::Negate)
    return loop::operation(ScalarOp::Negate, {rounded(operation->operands[0])});
  if (operation->op != ScalarOp::Multiply) return value;
  ValuePtr zero = loop::literal(ScalarValue::of_real(value->type.scalar, -0.0));
  if (value->type.width > 1) zero = loop::make_vector({zero}, value->type.width);
  return loop::operation(ScalarOp::FusedMultiplyAdd,
                         {operation->operands[0], operation->operands[1], std::move(zero)});
}

}  // namespace

loop::Kernel round_chosen_products(loop::Kernel kernel) {
  kernel.body = loop::map_values(std::move(kernel.body), [](const ValuePtr& value) {
    const auto* operation = std::get_if<loop::Operation>(&value->node);
    if (!operation || operation->op != ScalarOp::Select) return value;
    const auto& operands = operation->operands;
    return loop::operation(ScalarOp::Select, {operands[0], rounded(operands[1]), rounded(operands[2])});
  });
  return kernel;
}

}  // namespace hoist::codegen
