// The constructors of values derive types and refuse what does not fit.
#include "programs.hpp"

namespace hoist::loop {
namespace {

const ValuePtr real = literal(ScalarValue::of_real(Scalar::F32, 1.5));
const ValuePtr reals = literal(ScalarValue::of_real(Scalar::F32, 2), 4);
const ValuePtr integer = literal(ScalarValue::of_integer(Scalar::I32, 7));
const ValuePtr yes = literal(ScalarValue::of_bool(true));

TEST(Value, OperationsDeriveTheirType) {
  EXPECT_EQ(operation(ScalarOp::Add, {real, real})->type, (ValueType{Scalar::F32, 1}));
  EXPECT_EQ(operation(ScalarOp::Multiply, {real, reals})->type, (ValueType{Scalar::F32, 4}));
  EXPECT_EQ(operation(ScalarOp::Less, {real, real})->type, (ValueType{Scalar::Bool, 1}));
  EXPECT_EQ(operation(ScalarOp::Equal, {yes, yes})->type, (ValueType{Scalar::Bool, 1}));
  EXPECT_EQ(operation(ScalarOp::LessEqual, {reals, real})->type, (ValueType{Scalar::Bool, 4}));
  EXPECT_EQ(operation(ScalarOp::FusedMultiplyAdd, {real, reals, real})->type, (ValueType{Scalar::F32, 4}));
  EXPECT_EQ(operation(ScalarOp::Select, {yes, integer, integer})->type, (ValueType{Scalar::I32, 1}));
  EXPECT_EQ(operation(ScalarOp::Select, {yes, reals, real})->type, (ValueType{Scalar::F32, 4}));
}

TEST(Value, OperationsRefuseWhatDoesNotFit) {
  EXPECT_THROW(operation(ScalarOp::Add, {real}), Bug);
  EXPECT_THROW(operation(ScalarOp::Add, {real, integer}), Bug);
  EXPECT_THROW(operation(ScalarOp::Add, {yes, yes}), Bug);
  EXPECT_THROW(operation(ScalarOp::Sqrt, {integer}), Bug);
  EXPECT_THROW(operation(ScalarOp::BitAnd, {real, real}), Bug);
  EXPECT_THROW(operation(ScalarOp::And, {integer, integer}), Bug);
  EXPECT_THROW(operation(ScalarOp::Select, {integer, real, real}), Bug);
  EXPECT_THROW(operation(ScalarOp::Select, {yes, real, integer}), Bug);
  const ValuePtr pair = literal(ScalarValue::of_real(Scalar::F32, 2), 2);
  EXPECT_THROW(operation(ScalarOp::Add, {reals, pair}), Bug);
}

TEST(Value, VectorsAndTheirComponents) {
  EXPECT_EQ(make_vector({real}, 4)->type, (ValueType{Scalar::F32, 4}));
  EXPECT_EQ(make_vector({real, real}, 2)->type, (ValueType{Scalar::F32, 2}));
  EXPECT_EQ(make_vector({real}, 1), real);
  EXPECT_THROW(make_vector({real, real}, 4), Bug);
  EXPECT_THROW(make_vector({real, integer}, 2), Bug);
  EXPECT_THROW(make_vector({reals}, 4), Bug);
  EXPECT_EQ(component(reals, 3)->type, (ValueType{Scalar::F32, 1}));
  EXPECT_EQ(component(real, 0), real);
  EXPECT_THROW(component(reals, 4), Bug);
  EXPECT_THROW(component(reals, -1), Bug);
}

TEST(Value, ConversionsKeepTheWidth) {
  EXPECT_EQ(cast(reals, Scalar::I32)->type, (ValueType{Scalar::I32, 4}));
  EXPECT_EQ(cast(reals, Scalar::F32), reals) << "nothing to convert";
}

TEST(Value, IndicesAreIntegers) {
  EXPECT_EQ(index_value(arith::Expr(3))->type, (ValueType{Scalar::I32, 1}));
  EXPECT_EQ(index_value(arith::Expr(3), Scalar::I64)->type, (ValueType{Scalar::I64, 1}));
  EXPECT_THROW(index_value(arith::Expr(3), Scalar::F32), Bug);
}

}  // namespace
}  // namespace hoist::loop
