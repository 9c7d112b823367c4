// One meaning of scalars: what the interpreter computes is what hoist::apply says.
#include <cmath>
#include <limits>

#include "programs.hpp"

namespace hoist::interpret {
namespace {

class Scalars : public InterpretTest {};

std::vector<ScalarValue> interesting_values(Scalar type) {
  std::vector<ScalarValue> values;
  if (is_float(type)) {
    for (double x : {0.0, -0.0, 1.0, -1.0, 0.1, -2.5, 3.7, 1e-45, 1e-40, 3e38, -3e38, 16777216.0, 16777217.0,
                     1.0 + 1e-9, std::numeric_limits<double>::infinity(),
                     -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
      values.push_back(ScalarValue::of_real(type, x));
    }
  } else {
    for (std::int64_t x : std::initializer_list<std::int64_t>{
             0, 1, -1, 2, 7, -13, 31, 255, 256, 2147483647, -2147483648LL, 4294967295LL,
             std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
      values.push_back(ScalarValue::of_integer(type, x));
    }
  }
  return values;
}

bool is_in_domain(const ScalarOpInfo& op, Scalar type) {
  switch (op.domain) {
    case ScalarOpInfo::Domain::Numeric:
      return type != Scalar::Bool;
    case ScalarOpInfo::Domain::Float:
      return is_float(type);
    case ScalarOpInfo::Domain::Integer:
      return is_integer(type);
    case ScalarOpInfo::Domain::Boolean:
      return type == Scalar::Bool;
    case ScalarOpInfo::Domain::Any:
      return true;
  }
  return false;
}

/// Equal bits, or both NaN.
bool same(const ScalarValue& a, const ScalarValue& b) {
  return a == b || (a.type == b.type && std::isnan(a.real) && std::isnan(b.real));
}

Tensor scalar_tensor(const ScalarValue& value) {
  Tensor tensor{value.type, {}, std::vector<std::byte>(size_of(value.type))};
  store_scalar(tensor.bytes.data(), 0, value);
  return tensor;
}

/// The operation on all combinations of values, as scalars (width 1) or as vectors of equal components.
void check_operation(const ScalarOpInfo& op, Scalar type, bool vectors) {
  const bool selects = op.op == ScalarOp::Select;
  std::vector<Type> types(static_cast<std::size_t>(op.arity), ir::scalar_type(type));
  if (selects) types[0] = ir::scalar_type(Scalar::Bool);
  const ir::Program compute = program(types, [&](const auto& p) {
    if (!vectors) return ir::scalar_call(op.op, p);
    std::vector<Term> operands;
    for (Term operand : p) operands.push_back(layout(Op::Broadcast, {2}, operand));
    return ir::scalar_call(op.op, operands);
  });
  const std::vector<ScalarValue> values = interesting_values(type);
  // For three operands the third runs along with the others.
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = 0; j < (op.arity > 1 ? values.size() : 1); ++j) {
      std::vector<ScalarValue> operands = {values[i], values[j], values[(i + 2 * j + 1) % values.size()]};
      operands.resize(static_cast<std::size_t>(op.arity));
      if (selects) operands[0] = ScalarValue::of_bool(i % 2 == 0);
      std::vector<Data> inputs;
      for (const ScalarValue& operand : operands) inputs.push_back({scalar_tensor(operand)});
      const auto expected = hoist::apply(op.op, operands);
      const auto got = evaluate(compute, inputs, {});
      std::string text(op.name);
      for (const ScalarValue& operand : operands) text += " " + to_string(operand);
      ASSERT_EQ(got.has_value(), expected.has_value()) << text;
      if (!got) {
        EXPECT_EQ(got.error().kind, ErrorKind::User) << text;
        continue;
      }
      for (std::size_t c = 0; c < (vectors ? 2U : 1U); ++c) {
        const ScalarValue value = load_scalar(got->at(0).bytes.data(), got->at(0).scalar, c);
        EXPECT_TRUE(same(value, *expected))
            << text << " gives " << to_string(value) << ", not " << to_string(*expected);
      }
    }
  }
}

TEST_F(Scalars, EveryOperationOnEveryTypeIsApply) {
  for (const ScalarOpInfo& op : all_scalar_ops()) {
    for (Scalar type : all_scalars) {
      if (is_in_domain(op, type)) check_operation(op, type, false);
    }
  }
}

TEST_F(Scalars, VectorOperationsAreApplyOnComponents) {
  for (const ScalarOpInfo& op : all_scalar_ops()) {
    if (op.op == ScalarOp::Select) continue;  // of vectors: see SelectOfVectors
    for (Scalar type : {Scalar::F32, Scalar::I32}) {
      if (is_in_domain(op, type)) check_operation(op, type, true);
    }
  }
}

TEST_F(Scalars, CastsAreConvert) {
  for (Scalar from : all_scalars) {
    for (Scalar to : all_scalars) {
      const ir::Program convert_program =
          program({ir::scalar_type(from)}, [&](const auto& p) { return ir::cast(to, p[0]); });
      for (const ScalarValue& value : interesting_values(from)) {
        const auto got = evaluate(convert_program, {{scalar_tensor(value)}}, {});
        ASSERT_TRUE(got) << got.error().render();
        const ScalarValue converted = load_scalar(got->at(0).bytes.data(), to, 0);
        EXPECT_TRUE(same(converted, convert(value, to))) << to_string(value) << " to " << name_of(to);
      }
    }
  }
}

TEST_F(Scalars, FlopsAreCountedForFloatsOnly) {
  Counts counts;
  const ir::Program compute = program({f32_array({4})}, [](const auto& p) {
    return map(
        [](Term x) {
          const Term y = ir::scalar_call(ScalarOp::FusedMultiplyAdd, {x, x, x}) + real(1);
          const Term i = ir::cast(Scalar::I32, y) + number(1);
          return ir::tuple({y, i});
        },
        p[0]);
  });
  ASSERT_TRUE(evaluate(compute, {{f32({4}, {1, 2, 3, 4})}}, {}, {}, &counts));
  EXPECT_EQ(counts.flops, 4U * 3U);
  EXPECT_EQ(counts.operations, 4U * 4U);
}

}  // namespace
}  // namespace hoist::interpret
