#include "unit/api/support.hpp"

namespace hoist::api {
namespace {

/// What the program gives for one array of N numbers.
std::vector<float> evaluated(const Program& program, const std::vector<float>& x, std::size_t elements) {
  std::vector<float> result(elements);
  const auto done = evaluate(program, {{"N", static_cast<std::int64_t>(x.size())}}, {x}, {result});
  EXPECT_TRUE(done) << done.error().text() << program.text();
  return result;
}

TEST(Builder, BuildsAReduction) {
  Builder program("scaledSum");
  const Size n = program.size("N");
  const Value x = program.input("x", array({n}, f32));
  const Program built = program.returns(reduce("+", 0.0F, map([](Value e) { return 2.0F * e; }, x))).value();
  EXPECT_EQ(built.name(), "scaledSum");
  EXPECT_EQ(built.result_type(), "f32");
  EXPECT_EQ(evaluated(built, {1, 2, 3}, 1), std::vector<float>{12});
}

TEST(Builder, NumbersWithoutATypeTakeThatOfTheirPlace) {
  Builder program("f");
  const Value x = program.input("x", Type::written("[N]f64"));
  const Value k = program.input("k", array({Size::written("N")}, i32));
  const Value scaled =
      map([](Value e) { return e * Value::untyped(0.1) + Value::untyped(std::int64_t{-2}); }, x);
  const Value bits = map(
      [](Value e) {
        const Value two = Value::untyped(std::int64_t{2});
        return ~((e & two) | (e ^ two)) + (e << two) - (e >> two);
      },
      k);
  const Program built = program.returns(tuple({scaled, bits})).value();
  EXPECT_NE(built.text().find("((v1 * 0.1) + (-2))"), std::string::npos) << built.text();
  EXPECT_EQ(built.result_type(), "([N]f64, [N]i32)");
  const std::vector<double> numbers{1, 20};
  const std::vector<std::int32_t> integers{5, 100};
  std::vector<double> y(2);
  std::vector<std::int32_t> z(2);
  ASSERT_TRUE(evaluate(built, {}, {numbers, integers}, {y, z}));
  EXPECT_EQ(y, (std::vector<double>{1 * 0.1 - 2, 20 * 0.1 - 2}));
  const auto expected = [](std::int32_t e) { return ~((e & 2) | (e ^ 2)) + (e << 2) - (e >> 2); };
  EXPECT_EQ(z, (std::vector<std::int32_t>{expected(5), expected(100)}));
}

TEST(Builder, BuildsAMatrixProductThatRuns) {
  Builder program("product");
  const Size m = program.size("M"), n = program.size("N"), k = program.size("K");
  const Value a = program.input("A", array({m, k}, f32)), b = program.input("B", array({k, n}, f32));
  const Value product = map(
      [&](Value row) {
        return map(
            [&](Value column) {
              return reduce("+", 0.0F, map([](Value x, Value y) { return x * y; }, zip(row, column)));
            },
            transpose(b));
      },
      a);
  const Program built = program.returns(product).value();
  EXPECT_EQ(built.result_type(), "[M][N]f32");
  for (const Device& device : every_device()) {
    Compiled compiled = compile(built, device, {{"M", 2}, {"N", 2}, {"K", 3}}).value();
    std::vector<float> result(4);
    ASSERT_TRUE(
        compiled.run({std::vector<float>{1, 2, 3, 4, 5, 6}, std::vector<float>{1, 0, 0, 1, 1, 1}}, {result}));
    EXPECT_EQ(result, (std::vector<float>{4, 5, 10, 11}));
  }
}

TEST(Builder, BuildsAStencil) {
  Builder program("jacobi");
  const Size h = program.size("H"), w = program.size("W");
  const Value u = program.input("u", array({h, w}, f32));
  const Value step = map2([](Value n) { return 0.2F * (n[1][1] + n[0][1] + n[2][1] + n[1][0] + n[1][2]); },
                          slide2(3, 1, pad2(1, 1, Boundary::Clamp, u)));
  const Program built = program.returns(step).value();
  std::vector<float> result(4);
  ASSERT_TRUE(evaluate(built, {{"H", 2}, {"W", 2}}, {std::vector<float>{5, 10, 15, 20}}, {result}));
  EXPECT_FLOAT_EQ(result[0], 0.2F * (5 + 5 + 15 + 5 + 10));
}

TEST(Builder, ComputesASharedValueOnce) {
  Builder program("shared");
  const Value x = program.input("x", array({program.size("N")}, f32));
  // Each line uses the one before twice: 2^30 terms, were they not shared.
  const Program built = program
                            .returns(map(
                                [](Value e) {
                                  for (int i = 0; i < 30; ++i) e = e * 0.5F + e * 0.5F;
                                  return e;
                                },
                                x))
                            .value();
  EXPECT_LT(built.text().size(), 3000U);
  EXPECT_EQ(evaluated(built, {3, 4}, 2), (std::vector<float>{3, 4}));
}

TEST(Builder, SharesOutsideOfFunctionsWhatDependsOnNone) {
  Builder program("centred");
  const Size n = program.size("N");
  const Value x = program.input("x", array({n}, f32));
  const Value mean = reduce("+", 0.0F, x) / Value(n).as(f32);
  const Program built = program.returns(map([&](Value e) { return (e - mean) * (e - mean); }, x)).value();
  EXPECT_LT(built.text().find("let v1 = "), built.text().find("map")) << built.text();
  EXPECT_EQ(evaluated(built, {1, 2, 3}, 3), (std::vector<float>{1, 0, 1}));
}

TEST(Builder, KeepsItsNamesApartFromTheUsers) {
  Builder program("v2");
  const Value v1 = program.input("v1", array({program.size("N")}, f32));
  const Program built = program.returns(map([&](Value e) { return e * e + v1[0]; }, v1)).value();
  EXPECT_EQ(evaluated(built, {1, 2}, 2), (std::vector<float>{2, 5}));
}

TEST(Builder, TakesTuplesBranchesAndAnyPrimitive) {
  Builder program("parts");
  const Size n = program.size("N");
  const Value x = program.input("x", array({n}, tuple_type({f32, i32})));
  const Value kept = map(
      [](Value pair) {
        return if_then_else(pair.component(1) > 0 && !(pair.component(0) < 0.0F), pair.component(0), -1.0F);
      },
      x);
  const Value tiled = join(apply("mapWrg", {0,
                                            [](Value chunk) {
                                              return apply("mapLcl", {0, "id", chunk});
                                            },
                                            split(program.parameter("t"), kept)}));
  const Program built = program.returns(tuple({tiled, reduce("max", kept[0], kept)})).value();
  EXPECT_EQ(built.result_type(), "([N]f32, f32)");
  EXPECT_EQ(built.tuning_parameters(), std::vector<std::string>{"t"});
  for (const Device& device : every_device()) {
    Compiled compiled = compile(built, device, {{"N", 4}, {"t", 2}}).value();
    std::vector<float> result(4), largest(1);
    ASSERT_TRUE(compiled.run({std::vector<float>{1, 2, -3, 4}, std::vector<std::int32_t>{1, 0, 1, 1}},
                             {result, largest}));
    EXPECT_EQ(result, (std::vector<float>{1, -1, -1, 4}));
    EXPECT_EQ(largest[0], 4);
  }
}

TEST(Builder, NamesTheLengthThatIterateChanges) {
  Builder program("treeSum");
  const Value x = program.input("x", array({8}, f32));
  const Function halved = Function::typed(
      "[k]f32", [](Value v) { return map([](Value pair) { return pair[0] + pair[1]; }, split(2, v)); });
  const Program built = program.returns(iterate(3, halved, x)).value();
  std::vector<float> result(1);
  ASSERT_TRUE(evaluate(built, {}, {std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}}, {result}));
  EXPECT_EQ(result[0], 36);
}

TEST(Builder, ReturnsTypeErrorsAsValues) {
  Builder program("wrong");
  const Value x = program.input("x", array({program.size("N")}, f32));
  const Value y = program.input("y", array({program.size("M")}, f32));
  expect_error(program.returns(zip(x, y)), ErrorKind::User, "the first array has N elements, the second M");
  expect_error(program.returns(map([](Value e) { return e + 1.0; }, x)), ErrorKind::User, "f32");
  expect_error(program.returns(apply("mapp", {x})), ErrorKind::User, "mapp");
}

TEST(Builder, RefusesNamesThatAreNone) {
  Builder spaced("two words");
  const Value x = spaced.input("x", f32);
  expect_error(spaced.returns(x), ErrorKind::User, "'two words' is no name for a program");
  Builder input("f");
  expect_error(input.returns(input.input("x: f32, y", f32)), ErrorKind::User, "is no name for an input");
}

TEST(Builder, RefusesAParameterOutsideItsFunction) {
  Builder program("escape");
  const Value x = program.input("x", array({program.size("N")}, f32));
  std::optional<Value> escaped;
  const Value mapped = map(
      [&](Value e) {
        escaped = e;
        return e;
      },
      x);
  expect_error(program.returns(tuple({mapped, *escaped})), ErrorKind::User, "outside that function");
}

TEST(Builder, RefusesAFunctionWithoutParameters) {
  Builder program("constant");
  const Value x = program.input("x", array({program.size("N")}, f32));
  const Function one(0, [](const std::vector<Value>&) { return Value::untyped(1.0); });
  expect_error(program.returns(apply("map", {one, x})), ErrorKind::User, "expected the name of a parameter");
}

TEST(Builder, RefusesWhatIsNestedWithoutEnd) {
  Builder program("endless");
  const Value x = program.input("x", array({program.size("N")}, f32));
  const Value mapped = map(
      [](Value e) {
        for (int i = 0; i < 200000; ++i) e = e + 1.0;
        return e;
      },
      x);
  expect_error(program.returns(mapped), ErrorKind::User, "more than 5000 operations are nested");
}

}  // namespace
}  // namespace hoist::api
