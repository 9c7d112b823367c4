#include "interpret/random.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "programs.hpp"

namespace hoist::interpret {
namespace {

class Random : public InterpretTest {
 protected:
  static Data make(Type type, std::uint64_t seed, const RandomRange& range = {}, const Sizes& sizes = {}) {
    auto data = random_data(type, bindings(sizes), seed, range);
    if (!data) {
      ADD_FAILURE() << data.error().render();
      return {};
    }
    return *data;
  }
};

TEST_F(Random, IsTheSameOnEveryMachine) {
  EXPECT_EQ(make(i32_array({6}), 1).at(0), i32({6}, {9, 9, -8, 2, 11, 7}));
  const float unit = std::ldexp(1.0F, -23);
  EXPECT_EQ(elements<float>(make(f32_array({3}), 1).at(0)),
            (Reals{5621081 * unit - 1, 16483759 * unit - 1, 5692268 * unit - 1}));
}

TEST_F(Random, DependsOnSeedLeafAndIndexAlone) {
  const Tensor short_array = make(f32_array({10}), 7).at(0);
  const Tensor long_array = make(f32_array({1000}), 7).at(0);
  const auto first = elements<float>(short_array);
  const auto second = elements<float>(long_array);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), second.begin()));
  EXPECT_NE(elements<float>(make(f32_array({10}), 8).at(0)), first);
  const Data pair = make(ir::tuple_type({f32_array({10}), f32_array({10})}), 7);
  EXPECT_EQ(pair.at(0), short_array);
  EXPECT_NE(pair.at(1), short_array);
}

TEST_F(Random, FloatsFillTheirRange) {
  for (Scalar scalar : {Scalar::F32, Scalar::F64}) {
    const Tensor tensor =
        make(ir::array_type(arith::Expr(100000), ir::scalar_type(scalar)), 3, {.minimum = 2, .maximum = 5})
            .at(0);
    double sum = 0, smallest = 1e9, largest = -1e9;
    for (std::size_t i = 0; i < 100000; ++i) {
      const double x = load_scalar(tensor.bytes.data(), scalar, i).real;
      sum += x;
      smallest = std::min(smallest, x);
      largest = std::max(largest, x);
    }
    EXPECT_GE(smallest, 2.0);
    EXPECT_LT(largest, 5.0);
    EXPECT_LT(smallest, 2.001);
    EXPECT_GT(largest, 4.999);
    EXPECT_NEAR(sum / 100000, 3.5, 0.02);
  }
}

TEST_F(Random, IntegersTakeEveryValueOfTheirRange) {
  const auto all = [&](Scalar scalar, const RandomRange& range) {
    const Tensor tensor = make(ir::array_type(arith::Expr(20000), ir::scalar_type(scalar)), 5, range).at(0);
    std::set<std::int64_t> values;
    for (std::size_t i = 0; i < 20000; ++i) {
      values.insert(load_scalar(tensor.bytes.data(), scalar, i).integer);
    }
    return values;
  };
  const auto between = [](std::int64_t first, std::int64_t last) {
    std::set<std::int64_t> values;
    for (std::int64_t i = first; i <= last; ++i) values.insert(i);
    return values;
  };
  EXPECT_EQ(all(Scalar::I32, {}), between(-8, 15));
  EXPECT_EQ(all(Scalar::I64, {.smallest = 3, .largest = 5}), between(3, 5));
  EXPECT_EQ(all(Scalar::U32, {}), between(0, 15));
  EXPECT_EQ(all(Scalar::U8, {}), between(0, 255));
  EXPECT_EQ(all(Scalar::Bool, {}), between(0, 1));
}

TEST_F(Random, BindsSizesAndVectors) {
  const arith::Expr N = arith::size("N");
  const Data data = make(ir::array_type(N, ir::vector_type(Scalar::F32, 4)), 1, {}, {{"N", 3}});
  EXPECT_EQ(data.at(0).shape, (Shape{3, 4}));
  EXPECT_EQ(data.at(0).bytes.size(), 48U);
  const auto unbound = random_data(f32_array({N}), {}, 1);
  ASSERT_FALSE(unbound);
  EXPECT_EQ(unbound.error().kind, ErrorKind::User);
}

TEST_F(Random, RefusesEmptyRanges) {
  EXPECT_FALSE(random_data(f32_type(), {}, 1, {.minimum = 1, .maximum = 1}));
  EXPECT_FALSE(random_data(i32_type(), {}, 1, {.smallest = 2, .largest = 1}));
  // Of what the type does not take, nothing is asked.
  EXPECT_TRUE(random_data(f32_type(), {}, 1, {.smallest = 2, .largest = 1}));
  EXPECT_TRUE(random_data(i32_type(), {}, 1, {.minimum = 1, .maximum = 1}));
}

}  // namespace
}  // namespace hoist::interpret
