#include "rewrite/literals.hpp"

#include <gtest/gtest.h>

#include "ir/print.hpp"

namespace hoist::rewrite {
namespace {

TEST(Literals, OperationsOnThemAreDone) {
  const ir::Arena arena;
  const auto number = [](double value) { return ir::literal(ScalarValue::of_real(Scalar::F32, value)); };
  const ir::Term sum = ir::scalar_call(ScalarOp::Add, {number(2), number(3)});
  EXPECT_EQ(folded(sum), number(5));
  EXPECT_EQ(folded(ir::scalar_call(ScalarOp::Multiply, {sum, sum})), number(25));
  EXPECT_EQ(folded(ir::tuple({sum, number(1)})), ir::tuple({number(5), number(1)}));
  const ir::Term open = ir::fresh(ir::scalar_type(Scalar::F32), "x");
  EXPECT_EQ(folded(ir::scalar_call(ScalarOp::Add, {open, sum})),
            ir::scalar_call(ScalarOp::Add, {open, number(5)}));
}

TEST(Literals, ZerosAreScalarsAndTuplesOfThem) {
  const ir::Arena arena;
  const ir::Type real = ir::scalar_type(Scalar::F32), integer = ir::scalar_type(Scalar::I32);
  EXPECT_EQ(zero_of(integer), ir::literal(ScalarValue::of_integer(Scalar::I32, 0)));
  EXPECT_EQ(zero_of(ir::tuple_type({real, integer})), ir::tuple({zero_of(real), zero_of(integer)}));
  EXPECT_EQ(zero_of(ir::array_type(4, real)), ir::Term());
}

}  // namespace
}  // namespace hoist::rewrite
