#include "base/scalar.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace hoist {
namespace {

ScalarValue f32(double value) { return ScalarValue::of_real(Scalar::F32, value); }
ScalarValue f64(double value) { return ScalarValue::of_real(Scalar::F64, value); }
ScalarValue i32(std::int64_t value) { return ScalarValue::of_integer(Scalar::I32, value); }
ScalarValue u32(std::int64_t value) { return ScalarValue::of_integer(Scalar::U32, value); }
ScalarValue i64(std::int64_t value) { return ScalarValue::of_integer(Scalar::I64, value); }
ScalarValue u8(std::int64_t value) { return ScalarValue::of_integer(Scalar::U8, value); }

std::optional<ScalarValue> run(ScalarOp op, std::vector<ScalarValue> arguments) {
  return hoist::apply(op, arguments);
}

TEST(Scalar, NamesAndSizes) {
  for (Scalar type : all_scalars) EXPECT_EQ(scalar_named(name_of(type)), type);
  EXPECT_EQ(scalar_named("f16"), std::nullopt);
  EXPECT_EQ(size_of(Scalar::F32), 4U);
  EXPECT_EQ(size_of(Scalar::I64), 8U);
  EXPECT_EQ(size_of(Scalar::Bool), 1U);
}

TEST(Scalar, ValuesRoundAndWrapToTheirType) {
  EXPECT_EQ(f32(0.1).real, static_cast<double>(0.1F));
  EXPECT_EQ(f64(0.1).real, 0.1);
  EXPECT_EQ(i32(2147483648LL).integer, -2147483648LL);
  EXPECT_EQ(u32(-1).integer, 4294967295LL);
  EXPECT_EQ(u8(257).integer, 1);
  EXPECT_EQ(ScalarValue::of_integer(Scalar::Bool, 256).integer, 1);
}

TEST(Scalar, EqualityIsOfBits) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(f64(nan), f64(nan));
  EXPECT_FALSE(f64(0.0) == f64(-0.0));
  EXPECT_FALSE(i32(1) == i64(1));
  EXPECT_EQ(hash_value(f32(1.5)), hash_value(f32(1.5)));
  EXPECT_NE(hash_value(f32(1.5)), hash_value(f64(1.5)));
}

TEST(Scalar, PrintsLiterals) {
  EXPECT_EQ(to_string(f32(1.5)), "1.5");
  EXPECT_EQ(to_string(f32(2)), "2.0");
  EXPECT_EQ(to_string(f32(-0.0)), "-0.0");
  EXPECT_EQ(to_string(f32(0.1)), "0.1");
  EXPECT_EQ(to_string(f64(2)), "2f64");
  EXPECT_EQ(to_string(f64(0.1)), "0.1f64");
  EXPECT_EQ(to_string(i32(-7)), "-7");
  EXPECT_EQ(to_string(u8(7)), "7u8");
  EXPECT_EQ(to_string(i64(7)), "7i64");
  EXPECT_EQ(to_string(ScalarValue::of_bool(true)), "true");
}

TEST(Scalar, ConvertsAsCDoes) {
  EXPECT_EQ(convert(f32(-1.9), Scalar::I32), i32(-1));
  EXPECT_EQ(convert(f64(1e30), Scalar::I32), i32(2147483647));
  EXPECT_EQ(convert(f64(1e30), Scalar::I64), i64(std::numeric_limits<std::int64_t>::max()));
  EXPECT_EQ(convert(f64(-1e30), Scalar::I64), i64(std::numeric_limits<std::int64_t>::min()));
  EXPECT_EQ(convert(f64(-1), Scalar::U8), u8(0));
  EXPECT_EQ(convert(f64(std::nan("")), Scalar::I32), i32(0));
  EXPECT_EQ(convert(i32(-1), Scalar::U32), u32(4294967295LL));
  EXPECT_EQ(convert(i64((1LL << 53) + 1), Scalar::F64), f64(9007199254740992.0));
  EXPECT_EQ(convert(f32(0.5), Scalar::Bool), ScalarValue::of_bool(true));
  EXPECT_EQ(convert(i32(3), Scalar::F32), f32(3));
}

TEST(Scalar, MemoryRoundTrip) {
  alignas(8) char memory[32];
  for (Scalar type : all_scalars) {
    std::memset(memory, 0x5A, sizeof(memory));
    const ScalarValue value =
        is_float(type) ? ScalarValue::of_real(type, -1.25) : ScalarValue::of_integer(type, -3);
    store_scalar(memory, 2, value);
    EXPECT_EQ(load_scalar(memory, type, 2), value) << name_of(type);
    EXPECT_EQ(memory[2 * size_of(type) - 1], 0x5A);
    EXPECT_EQ(memory[3 * size_of(type)], 0x5A);
  }
}

TEST(ScalarOp, TableNamesEveryOperationOnce) {
  for (const ScalarOpInfo& row : all_scalar_ops()) {
    EXPECT_EQ(scalar_op_named(row.name), row.op);
    EXPECT_EQ(&info(row.op), &row);
    EXPECT_GE(row.arity, 1);
    EXPECT_FALSE(row.documentation.empty());
  }
  EXPECT_EQ(scalar_op_named("nonsense"), std::nullopt);
}

TEST(ScalarOp, IntegersWrapAndTruncate) {
  constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(run(ScalarOp::Add, {i32(2147483647), i32(1)}), i32(-2147483648LL));
  EXPECT_EQ(run(ScalarOp::Multiply, {i64(smallest), i64(-1)}), i64(smallest));
  EXPECT_EQ(run(ScalarOp::Subtract, {u8(0), u8(1)}), u8(255));
  EXPECT_EQ(run(ScalarOp::Divide, {i32(-11), i32(5)}), i32(-2));
  EXPECT_EQ(run(ScalarOp::Remainder, {i32(-11), i32(5)}), i32(-1));
  EXPECT_EQ(run(ScalarOp::Remainder, {i32(11), i32(-5)}), i32(1));
  EXPECT_EQ(run(ScalarOp::Divide, {i32(1), i32(0)}), std::nullopt);
  EXPECT_EQ(run(ScalarOp::Remainder, {i32(1), i32(0)}), std::nullopt);
  EXPECT_EQ(run(ScalarOp::Divide, {i64(smallest), i64(-1)}), i64(smallest));
  EXPECT_EQ(run(ScalarOp::Remainder, {i64(smallest), i64(-1)}), i64(0));
  EXPECT_EQ(run(ScalarOp::Absolute, {i64(smallest)}), i64(smallest));
  EXPECT_EQ(run(ScalarOp::Power, {i32(3), i32(4)}), i32(81));
  EXPECT_EQ(run(ScalarOp::Power, {i32(3), i32(-1)}), std::nullopt);
}

TEST(ScalarOp, ShiftsAndBits) {
  EXPECT_EQ(run(ScalarOp::ShiftLeft, {i32(1), i32(31)}), i32(-2147483648LL));
  EXPECT_EQ(run(ScalarOp::ShiftLeft, {i32(1), i32(32)}), std::nullopt);
  EXPECT_EQ(run(ScalarOp::ShiftRight, {i32(-8), i32(1)}), i32(-4));
  EXPECT_EQ(run(ScalarOp::ShiftRight, {u32(4294967288LL), u32(1)}), u32(2147483644LL));
  EXPECT_EQ(run(ScalarOp::BitNot, {u8(1)}), u8(254));
  EXPECT_EQ(run(ScalarOp::BitXor, {i32(6), i32(3)}), i32(5));
}

TEST(ScalarOp, FloatsRoundAfterEachOperation) {
  EXPECT_EQ(run(ScalarOp::Add, {f32(16777216.0), f32(1)}), f32(16777216.0));
  EXPECT_EQ(run(ScalarOp::Divide, {f32(1), f32(3)})->real, static_cast<double>(1.0F / 3.0F));
  EXPECT_EQ(run(ScalarOp::FusedMultiplyAdd, {f32(16777217.0), f32(1), f32(1)}),
            f32(std::fma(16777216.0F, 1.0F, 1.0F)));
  EXPECT_EQ(run(ScalarOp::Minimum, {f64(std::nan("")), f64(2)}), f64(2));
  EXPECT_EQ(run(ScalarOp::Remainder, {f64(-5.5), f64(2)}), f64(-1.5));
  EXPECT_EQ(run(ScalarOp::Round, {f64(-2.5)}), f64(-3));
  EXPECT_EQ(run(ScalarOp::Sign, {f64(-2.5)}), f64(-1));
  EXPECT_EQ(run(ScalarOp::Divide, {f64(1), f64(0)}), f64(std::numeric_limits<double>::infinity()));
}

TEST(ScalarOp, ComparisonsAndSelection) {
  const ScalarValue yes = ScalarValue::of_bool(true);
  const ScalarValue no = ScalarValue::of_bool(false);
  EXPECT_EQ(run(ScalarOp::Less, {f32(1), f32(2)}), yes);
  EXPECT_EQ(run(ScalarOp::GreaterEqual, {u32(4294967295LL), u32(0)}), yes);
  EXPECT_EQ(run(ScalarOp::Equal, {f64(std::nan("")), f64(std::nan(""))}), no);
  EXPECT_EQ(run(ScalarOp::NotEqual, {f64(std::nan("")), f64(std::nan(""))}), yes);
  EXPECT_EQ(run(ScalarOp::And, {yes, no}), no);
  EXPECT_EQ(run(ScalarOp::Or, {yes, no}), yes);
  EXPECT_EQ(run(ScalarOp::Not, {yes}), no);
  EXPECT_EQ(run(ScalarOp::Select, {no, i32(1), i32(2)}), i32(2));
}

TEST(Scalar, TheLargestUnsignedIntegers) {
  const ScalarValue most = *integer_of("18446744073709551615", Scalar::U64),
                    two = *integer_of("2", Scalar::U64);
  const auto u64 = [](const char* digits) { return *integer_of(digits, Scalar::U64); };
  EXPECT_EQ(to_string(most), "18446744073709551615u64");
  EXPECT_EQ(run(ScalarOp::Divide, {most, two}), u64("9223372036854775807"));
  EXPECT_EQ(run(ScalarOp::Remainder, {most, u64("10")}), u64("5"));
  EXPECT_EQ(run(ScalarOp::ShiftRight, {most, u64("63")}), u64("1"));
  EXPECT_EQ(run(ScalarOp::Maximum, {most, two}), most);
  EXPECT_EQ(run(ScalarOp::Minimum, {most, two}), two);
  EXPECT_EQ(run(ScalarOp::Less, {two, most}), ScalarValue::of_bool(true));
  EXPECT_EQ(run(ScalarOp::Sign, {most}), u64("1"));
  EXPECT_EQ(run(ScalarOp::Absolute, {most}), most);
  EXPECT_EQ(run(ScalarOp::Add, {most, two}), u64("1"));
  EXPECT_EQ(convert(most, Scalar::F64), f64(0x1p64));
  EXPECT_EQ(convert(f64(0x1p64), Scalar::U64), most);
  EXPECT_EQ(convert(f64(0x1p63), Scalar::U64), u64("9223372036854775808"));
  EXPECT_EQ(convert(f64(-1), Scalar::U64), u64("0"));
  EXPECT_FALSE(integer_of("18446744073709551616", Scalar::U64));
  EXPECT_FALSE(integer_of("-1", Scalar::U64));
  EXPECT_FALSE(integer_of("128", Scalar::I8));
  EXPECT_EQ(integer_of("-128", Scalar::I8), ScalarValue::of_integer(Scalar::I8, -128));
}

TEST(Scalar, ExtremesOfIntegers) {
  for (const Scalar type : all_scalars) {
    if (is_float(type)) continue;
    EXPECT_EQ(ScalarValue::of_integer(type, smallest(type)).integer, smallest(type)) << name_of(type);
    EXPECT_EQ(ScalarValue::of_integer(type, largest(type)).integer, largest(type)) << name_of(type);
    if (size_of(type) == 8 || type == Scalar::Bool) continue;
    EXPECT_EQ(ScalarValue::of_integer(type, largest(type) + 1).integer, smallest(type)) << name_of(type);
  }
}

}  // namespace
}  // namespace hoist
