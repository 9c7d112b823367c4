// Programs that read inputs as images, on a CUDA driver that runs kernels on the processor, and through
// OpenCL where that has images; against the interpreter.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/inputs.hpp"
#include "driver/verify.hpp"
#include "execute/executable.hpp"
#include "interpret/compare.hpp"
#include "runtime/devices.hpp"
#include "support/executed.hpp"
#include "unit/runtime/support.hpp"

namespace hoist::execute {
namespace {

using runtime::testing::ScopedVariable;
using testing::HasSubstr;

struct Case {
  const char* text;
  driver::NamedSizes sizes;
};

const std::vector<Case> cases = {
    {"def p(u: [H][W]f32): [H][W]f32 = u |> toImage |> pad2(1, 1, clamp) |> slide2(3, 1)"
     " |> map2(n => n[0][1] + 0.5 * n[2][1] - n[1][0])",
     {{"H", 17}, {"W", 31}}},
    {"def p(u: [D + 2][H][W + 2]f32): [D][H][W]f32 = u |> join |> toImage |> split(H)"
     " |> map(map(slide(3, 1))) |> slide(3, 1)"
     " |> map(planes => planes |> transpose |> map(transpose >> map(n => n[0][1] + n[2][0])))",
     {{"D", 4}, {"H", 5}, {"W", 9}}},
    {"def p(u: [H][W]i32, v: [H][W]f32): [H][W]f32 = zip2(u |> toImage, v |> toImage)"
     " |> map2((i, e) => f32(i) * e)",
     {{"H", 8}, {"W", 13}}},
    {"def p(u: [H][W]f32x4): [H][W]f32x4 = u |> toImage |> map2(e => e + e)", {{"H", 6}, {"W", 7}}},
    {"def p(u: [H][W]i32x4): [H][W]i32 = u |> toImage |> map2(e => dot(e, e))", {{"H", 6}, {"W", 7}}},
    // Three kernels, of which the first reads the image; a step of time each.
    {"def step(v) = v |> pad2(1, 1, wrap) |> slide2(3, 1) |> map2(n => 0.5 * n[0][1] + 0.25 * n[1][2])\n"
     "def p(u: [H][W]f32): [H][W]f32 = u |> toImage |> iterate(3, step)",
     {{"H", 16}, {"W", 8}}}};

class Images : public testing::Test {
 protected:
  static driver::Compiled compiled(const Case& each, const target::Target& target) {
    const auto sized = driver::with_sizes(testing_support::program_of(each.text), each.sizes);
    return driver::compile(sized.value(), driver::options_for(target)).value();
  }
  static void expect_right(runtime::Device& device, const Case& each) {
    expect_right(device, each, device.info());
  }
  /// Of kernels that are made for another device.
  static void expect_right(runtime::Device& device, const Case& each, const target::Target& target) {
    const ir::Program program = testing_support::program_of(each.text);
    const auto inputs = driver::random_inputs(program, driver::bindings_of(program, each.sizes), 7, {});
    ASSERT_TRUE(inputs) << inputs.error().render();
    const auto got = run_once(device, compiled(each, target), *inputs);
    ASSERT_TRUE(got) << got.error().render();
    const auto verified = driver::verify(program, each.sizes, *inputs, *got);
    ASSERT_TRUE(verified) << verified.error().render();
    EXPECT_TRUE(verified->comparison.agrees()) << each.text << interpret::to_string(verified->comparison);
  }

  ir::Arena arena_;
  ScopedVariable driver_{"HOIST_CUDA_LIBRARY", HOIST_FAKE_CUDA};
  ScopedVariable nvrtc_{"HOIST_NVRTC_LIBRARY", HOIST_FAKE_CUDA};
};

TEST_F(Images, ThroughCudaAreTextures) {
  const auto device = runtime::open_device("cuda:0");
  ASSERT_TRUE(device) << device.error().render();
  for (const Case& each : cases) {
    SCOPED_TRACE(each.text);
    EXPECT_THAT(compiled(each, (*device)->info()).source, HasSubstr("cudaTextureObject_t u"));
    expect_right(**device, each);
  }
}

TEST_F(Images, ThroughOpenClAreCopies) {
  const auto device = runtime::open_device("opencl");
  if (!device || !(*device)->info().has_images()) GTEST_SKIP() << "there is no OpenCL device with images";
  for (const Case& each : cases) {
    SCOPED_TRACE(each.text);
    EXPECT_THAT(compiled(each, (*device)->info()).source, HasSubstr("image2d_t u"));
    expect_right(**device, each);
  }
}

// Where an image may have few rows only, blocks of the array's lie side by side.
TEST_F(Images, ThroughOpenClOfFewRows) {
  const auto device = runtime::open_device("opencl");
  if (!device || !(*device)->info().has_images()) GTEST_SKIP() << "there is no OpenCL device with images";
  for (const Case& each : cases) {
    SCOPED_TRACE(each.text);
    for (const std::size_t rows : {1U, 4U, 7U}) {
      target::Target few = (*device)->info();
      few.largest_image[1] = rows;
      expect_right(**device, each, few);
    }
  }
}

TEST_F(Images, BeyondTheDevicesLimitAreRefusedWithWords) {
  const ScopedVariable few("FAKE_CUDA_TEXELS", "500");
  const auto device = runtime::open_device("cuda:0");
  ASSERT_TRUE(device) << device.error().render();
  const auto fits = check_fits(compiled(cases[0], (*device)->info()), (*device)->info());
  ASSERT_FALSE(fits);
  EXPECT_THAT(fits.error().render(),
              HasSubstr("u is an image of 31 x 17 pixels, but cuda:0 (Fake) allows at most "
                        "500 pixels in all"));
  EXPECT_THAT(fits.error().render(), HasSubstr("--without images"));
}

}  // namespace
}  // namespace hoist::execute
