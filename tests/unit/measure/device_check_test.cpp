#include "measure/worker/device_check.hpp"
#include "runtime/devices.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

namespace hoist::measure {
namespace {

constexpr std::int64_t length = 5000;

class DeviceChecks : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto opened = runtime::open_device(GetParam());
    if (!opened) GTEST_SKIP() << "there is no device " << GetParam();
    device = std::move(*opened);
  }
  template <class T>
  static Tensor tensor(Scalar scalar, const std::vector<T>& values) {
    Tensor result{scalar, {static_cast<std::int64_t>(values.size())}, {}};
    result.bytes.resize(values.size() * sizeof(T));
    std::memcpy(result.bytes.data(), values.data(), result.bytes.size());
    return result;
  }
  std::optional<double> error(const Tensor& expected, const Tensor& got, const interpret::ErrorBound& bound) {
    auto buffer = device->allocate(got.bytes.size()).value();
    const auto check = DeviceCheck::prepare(*device, {expected}, bound, {buffer.get()});
    if (!check) throw std::runtime_error("there is no check");
    EXPECT_TRUE(device->write(*buffer, got.bytes));
    return check->largest_error({buffer.get()});
  }

  std::unique_ptr<runtime::Device> device;
};

TEST_P(DeviceChecks, FloatsAreJudgedByTheirBound) {
  std::vector<float> values(length, 2.0F);
  values[7] = std::numeric_limits<float>::quiet_NaN();
  values[8] = std::numeric_limits<float>::infinity();
  std::vector<float> near = values, far = values, not_a_number = values;
  near[4999] = std::nextafter(2.0F, 3.0F);
  far[4999] = 2.001F;
  not_a_number[3] = std::numeric_limits<float>::quiet_NaN();
  for (const bool cancels : {false, true}) {
    const interpret::ErrorBound bound{8, cancels};
    const Tensor expected = tensor(Scalar::F32, values);
    EXPECT_EQ(error(expected, expected, bound), 0.0);
    EXPECT_NEAR(error(expected, tensor(Scalar::F32, near), bound).value_or(-1), 1.0 / 8, 1e-3);
    EXPECT_FALSE(error(expected, tensor(Scalar::F32, far), bound));
    EXPECT_FALSE(error(expected, tensor(Scalar::F32, not_a_number), bound));
  }
}

TEST_P(DeviceChecks, WhatIsZeroCanBeChecked) {
  std::vector<float> values(length, 1.0F);
  for (const std::size_t place : {std::size_t{0}, std::size_t{2500}, std::size_t{4999}}) values[place] = 0.0F;
  const Tensor expected = tensor(Scalar::F32, values);
  EXPECT_EQ(error(expected, expected, {64, true}), 0.0);
}

TEST_P(DeviceChecks, IntegersMustBeEqual) {
  std::vector<std::int32_t> values(length);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i) - 100;
  std::vector<std::int32_t> other = values;
  other[4998] += 1;
  const Tensor expected = tensor(Scalar::I32, values);
  EXPECT_EQ(error(expected, expected, {}), 0.0);
  EXPECT_FALSE(error(expected, tensor(Scalar::I32, other), {}));
}

TEST_P(DeviceChecks, WhatItCannotCompareIsLeftToTheHost) {
  const Tensor doubles = tensor(Scalar::F64, std::vector<double>(length, 1.0));
  auto buffer = device->allocate(doubles.bytes.size()).value();
  EXPECT_EQ(DeviceCheck::prepare(*device, {doubles}, {}, {buffer.get()}), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Each, DeviceChecks, ::testing::Values("host", "opencl"));

}  // namespace
}  // namespace hoist::measure
