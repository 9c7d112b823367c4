#include "tuner/expected_kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/compile.hpp"
#include "runtime/devices.hpp"
#include "support/executed.hpp"

namespace hoist::tuner {
namespace {

class ExpectedKernel : public testing::Test {
 protected:
  static std::optional<ChosenKernel> expected(const std::string& text, const std::string& device) {
    const auto opened = runtime::open_device(device);
    if (!opened) return std::nullopt;
    const auto sized = driver::with_sizes(testing_support::program_of(text), {});
    return expected_kernel(sized.value(), (*opened)->info()).value();
  }
  static constexpr const char* contraction =
      "def f(A: [8][8][4][8]f32, B: [4][8][16][8]f32): [8][4][4][16]f32 =\n"
      "  generate(8, i => generate(4, j => generate(4, k => generate(16, l =>\n"
      "    generate(64, q => A[i][q / 8][k][q % 8] * B[j][q % 8][l][q / 8]) |> reduce(+, 0.0)))))\n";

  ir::Arena arena_;
};

TEST_F(ExpectedKernel, OfAContractionHasItsLoopsInAnOrder) {
  const auto kernel = expected(contraction, "host");
  ASSERT_TRUE(kernel);
  EXPECT_THAT(kernel->origin, testing::StartsWith(kernel->name + ", which the model of this device expects"));
  EXPECT_TRUE(driver::compile(kernel->low, lower::Options{}));
}

TEST_F(ExpectedKernel, IsNoneWhereLoopsHaveNoOtherOrder) {
  EXPECT_FALSE(expected("def f(x: [1048576]f32): [1048576]f32 = x |> map(e => e + 1.0)", "host"));
}

TEST_F(ExpectedKernel, IsTheHostsAlone) { EXPECT_FALSE(expected(contraction, "opencl:0")); }

}  // namespace
}  // namespace hoist::tuner
