// What lowering is told of the device that a program is compiled for.
#include <gtest/gtest.h>

#include "driver/verify.hpp"
#include "support/executed.hpp"

namespace hoist::driver {
namespace {

std::string opencl_of(const target::Target& device) {
  ir::Arena arena;
  const ir::Program program = testing_support::program_of(
      "def f(x: [4][64]f32) = x |> mapWrg(0, row => row |> reduceLcl(0, +, 0.0))");
  return compile(program, options_for(device)).value().source;
}

TEST(OptionsForADevice, UseItsSubGroupsOfTheLengthOfAWarp) {
  target::Target device;
  device.max_group_size = 1024;
  for (const std::vector<std::size_t>& sizes : {std::vector<std::size_t>{}, {64}, {8, 16}}) {
    device.sub_group_sizes = sizes;
    EXPECT_EQ(opencl_of(device).find("exchanged_float"), std::string::npos) << testing::PrintToString(sizes);
  }
  device.sub_group_sizes = {8, 16, 32};
  EXPECT_NE(opencl_of(device).find("exchanged_float"), std::string::npos);
}

TEST(OptionsForADevice, KeepWhatWasAsked) {
  lower::Options asked;
  asked.use_warp_shuffles = false;
  EXPECT_FALSE(options_for(target::Target(), asked).use_warp_shuffles);
}

}  // namespace
}  // namespace hoist::driver
