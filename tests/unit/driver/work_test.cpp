#include <gtest/gtest.h>

#include "driver/compile.hpp"
#include "driver/work.hpp"
#include "support/executed.hpp"

namespace hoist::driver {
namespace {

double operations_of(const std::string& text) {
  const ir::Arena arena;
  return work_of(with_sizes(testing_support::program_of(text), {{"N", 100}}).value()).value().flops;
}

TEST(Work, OfAnIterationIsThatOfItsSteps) {
  EXPECT_EQ(operations_of("def f(x: [N]f32): [N]f32 = x |> iterate(5, map(e => e * 0.5))"), 500);
  EXPECT_EQ(operations_of("def f(x: [N]f32): [N]f32 = x |> iterate(N, (k, v) => v |> map(e => e * 0.5))"),
            10000);
  EXPECT_EQ(
      operations_of(
          "def f(x: [N]f32): [N]f32 = x |> iterateWhile(v => v[0] < 1.0, N, v => v |> map(e => e * 0.5))"),
      10000);
}

}  // namespace
}  // namespace hoist::driver
