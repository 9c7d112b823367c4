#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

#include "runtime/opencl/status.hpp"
#include "support.hpp"

namespace hoist::runtime {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using namespace testing;

TEST(OpenclStatus, SaysCodesInWords) {
  EXPECT_EQ(opencl::status_text(CL_MEM_OBJECT_ALLOCATION_FAILURE),
            "the device has no memory left for a buffer (CL_MEM_OBJECT_ALLOCATION_FAILURE, -4)");
  EXPECT_EQ(opencl::status_text(-12345), "an error that OpenCL does not name (-12345)");
  const Error error = opencl::status_error(CL_INVALID_COMMAND_QUEUE, "running kernel f").value();
  EXPECT_EQ(error.kind, ErrorKind::Device);
  EXPECT_THAT(error.diagnostics.front().message, HasSubstr("running kernel f failed: "));
  EXPECT_THAT(error.diagnostics.front().help, HasSubstr("outside its buffers"));
}

TEST(OpenclStatus, TellsShortagesFromWrongRequests) {
  EXPECT_TRUE(opencl::is_resource_shortage(CL_OUT_OF_RESOURCES));
  EXPECT_FALSE(opencl::is_resource_shortage(CL_INVALID_VALUE));
}

// What a kernel sees in an image is what the buffer holds, whoever wrote there.
TEST(OpenclDevice, ImagesFollowTheirBuffers) {
  OPENCL_OR_SKIP(device);
  if (device.info().largest_image[0] == 0) GTEST_SKIP() << "the device has no images";
  auto program = device.build(R"(
kernel void copy(read_only image2d_t image, global float* out) {
  out[get_global_id(0)] = read_imagef(image, (int2)(get_global_id(0) % 3, get_global_id(0) / 3)).x;
}
kernel void negate(global float* data) { data[get_global_id(0)] = -data[get_global_id(0)]; })");
  ASSERT_TRUE(succeeded(program));
  auto copy = (*program)->kernel("copy"), negate = (*program)->kernel("negate");
  ASSERT_TRUE(succeeded(copy) && succeeded(negate));
  const auto data = upload(device, std::vector<float>{1, 2, 3, 4, 5, 6}),
             out = upload(device, std::vector<float>(6));
  const std::vector<Argument> image{ImageArgument{data.get(), Scalar::F32, 1, 3, 2}, out.get()},
      plain{data.get()};
  const auto seen = [&] {
    EXPECT_TRUE(succeeded(device.launch(**copy, image, {{6, 1, 1}, {1, 1, 1}})));
    return download<float>(device, *out);
  };
  EXPECT_EQ(seen(), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(seen(), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  ASSERT_TRUE(succeeded(device.launch(**negate, plain, {{6, 1, 1}, {1, 1, 1}})));
  EXPECT_EQ(seen(), (std::vector<float>{-1, -2, -3, -4, -5, -6}));
  const std::vector<float> other{7, 8, 9, 10, 11, 12};
  ASSERT_TRUE(succeeded(device.write(*data, std::as_bytes(std::span(other)))));
  EXPECT_EQ(seen(), other);
  ASSERT_TRUE(succeeded(device.fill(*data, 0)));
  EXPECT_EQ(seen(), std::vector<float>(6));
}

// The blocks of a buffer lie side by side in its image, each in as many rows as it has.
TEST(OpenclDevice, BlocksOfAnImageLieSideBySide) {
  OPENCL_OR_SKIP(device);
  if (device.info().largest_image[0] == 0) GTEST_SKIP() << "the device has no images";
  auto program = device.build(R"(
kernel void copy(read_only image2d_t image, global float* out) {
  out[get_global_id(0)] = read_imagef(image, (int2)(get_global_id(0) % 6, get_global_id(0) / 6)).x;
})");
  ASSERT_TRUE(succeeded(program));
  auto copy = (*program)->kernel("copy");
  ASSERT_TRUE(succeeded(copy));
  const auto data = upload(device, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}),
             out = upload(device, std::vector<float>(12));
  const auto seen = [&](std::size_t blocks) {
    const std::vector<Argument> image{ImageArgument{data.get(), Scalar::F32, 1, 6, 2, blocks}, out.get()};
    EXPECT_TRUE(succeeded(device.launch(**copy, image, {{12, 1, 1}, {1, 1, 1}})));
    return download<float>(device, *out);
  };
  EXPECT_EQ(seen(1), (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(seen(2), (std::vector<float>{1, 2, 3, 7, 8, 9, 4, 5, 6, 10, 11, 12}));
  EXPECT_EQ(seen(3), (std::vector<float>{1, 2, 5, 6, 9, 10, 3, 4, 7, 8, 11, 12}));
}

TEST(OpenclDevice, RefusesTooMuchLocalMemoryBeforeLaunching) {
  OPENCL_OR_SKIP(device);
  // Some drivers that count static arrays abort the process when these do not fit; those that do not count,
  // run.
  const std::size_t elements = device.info().local_memory / sizeof(float) + 1024;
  auto program = device.build(fmt::format(R"(
__kernel void reverse(__global float* data) {{
  __local float tile[{}];
  tile[get_local_id(0)] = data[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  data[get_global_id(0)] = tile[get_local_size(0) - 1 - get_local_id(0)];
}})",
                                          elements));
  if (!program) {
    EXPECT_EQ(program.error().kind, ErrorKind::Device);
    return;
  }
  auto kernel = (*program)->kernel("reverse");
  ASSERT_TRUE(succeeded(kernel));
  if ((*kernel)->local_memory() == 0) GTEST_SKIP() << "the driver does not count static local memory";
  EXPECT_GE((*kernel)->local_memory(), elements * sizeof(float));
  const auto data = upload(device, std::vector<float>(64));
  const std::vector<Argument> arguments{data.get()};
  const auto seconds = device.launch(**kernel, arguments, {{64, 1, 1}, {64, 1, 1}});
  ASSERT_FALSE(seconds);
  EXPECT_EQ(seconds.error().kind, ErrorKind::Device);
  EXPECT_THAT(text_of(seconds.error()), HasSubstr("of local memory a work-group"));
}

TEST(OpenclDevice, RunsGroupsWithLocalMemoryInThreeDimensions) {
  OPENCL_OR_SKIP(device);
  auto program = device.build(R"(
__kernel void ranks(__global int* out) {
  __local int tile[8];
  const int local_rank = get_local_id(0) + 2 * get_local_id(1) + 4 * get_local_id(2);
  tile[local_rank] = get_global_id(0) + 10 * get_global_id(1) + 100 * get_global_id(2);
  barrier(CLK_LOCAL_MEM_FENCE);
  const int mirrored = 7 - local_rank;
  out[get_global_id(0) + 4 * get_global_id(1) + 24 * get_global_id(2)] = tile[mirrored];
})");
  ASSERT_TRUE(succeeded(program));
  auto kernel = (*program)->kernel("ranks");
  ASSERT_TRUE(succeeded(kernel));
  // Some drivers count none of a static array's bytes.
  EXPECT_THAT((*kernel)->local_memory(), AnyOf(0u, 32u));
  const auto out = upload(device, std::vector<int>(4 * 6 * 2, -1));
  const std::vector<Argument> arguments{out.get()};
  ASSERT_TRUE(succeeded(device.launch(**kernel, arguments, {{4, 6, 2}, {2, 2, 2}})));
  const auto ranks = download<int>(device, *out);
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 6; ++y)
      for (int x = 0; x < 4; ++x)
        EXPECT_EQ(ranks[x + 4 * y + 24 * z], (x ^ 1) + 10 * (y ^ 1) + 100 * (z ^ 1));
}

TEST(OpenclDevice, CountsArguments) {
  OPENCL_OR_SKIP(device);
  auto program = device.build(scaled_sum_source(target::Language::OpenCL));
  ASSERT_TRUE(succeeded(program));
  auto kernel = (*program)->kernel("scaled_sum");
  ASSERT_TRUE(succeeded(kernel));
  const auto seconds = device.launch(**kernel, {}, {});
  ASSERT_FALSE(seconds);
  EXPECT_EQ(seconds.error().kind, ErrorKind::Bug);
  EXPECT_THAT(text_of(seconds.error()), HasSubstr("has 5 parameters, 0 arguments"));
}

TEST(OpenclDevice, RefusesAnArgumentOfTheWrongSize) {
  OPENCL_OR_SKIP(device);
  auto program = device.build("__kernel void f(__global int* out, int value) { out[0] = value; }");
  ASSERT_TRUE(succeeded(program));
  auto kernel = (*program)->kernel("f");
  ASSERT_TRUE(succeeded(kernel));
  const auto out = upload<int>(device, {0});
  const std::vector<Argument> arguments{out.get(), ScalarValue::of_integer(Scalar::I64, 1)};
  const auto seconds = device.launch(**kernel, arguments, {});
  ASSERT_FALSE(seconds);
  EXPECT_EQ(seconds.error().kind, ErrorKind::Bug);
  EXPECT_THAT(text_of(seconds.error()), HasSubstr("setting argument 1 of kernel f (a scalar of 8 bytes)"));
}

TEST(OpenclDevice, NothingIsPrintedWhenABuildFails) {
  OPENCL_OR_SKIP(device);
  ::testing::internal::CaptureStderr();
  const auto program = device.build("__kernel void f(__global int* out) { out[0] = no_such_name; }");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_FALSE(program);
}

TEST(OpenclDevice, RunsTheLargestGroup) {
  OPENCL_OR_SKIP(device);
  auto program =
      device.build("__kernel void f(__global int* out) { out[get_global_id(0)] = get_local_size(0); }");
  ASSERT_TRUE(succeeded(program));
  auto kernel = (*program)->kernel("f");
  ASSERT_TRUE(succeeded(kernel));
  const std::size_t group = std::min(device.info().max_group_size, device.info().max_group_sizes[0]);
  ASSERT_EQ((*kernel)->max_group_size(), device.info().max_group_size);
  const auto out = upload(device, std::vector<int>(2 * group));
  const std::vector<Argument> arguments{out.get()};
  ASSERT_TRUE(succeeded(device.launch(**kernel, arguments, {{2 * group, 1, 1}, {group, 1, 1}})));
  EXPECT_EQ(download<int>(device, *out), std::vector<int>(2 * group, static_cast<int>(group)));
}

TEST(OpenclDevice, AGroupOtherThanTheKernelRequiresIsRefused) {
  OPENCL_OR_SKIP(device);
  auto program = device.build(
      "__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void f(__global int* out) { out[0] = 1; }");
  ASSERT_TRUE(succeeded(program));
  auto kernel = (*program)->kernel("f");
  ASSERT_TRUE(succeeded(kernel));
  const auto out = upload<int>(device, {0});
  const std::vector<Argument> arguments{out.get()};
  const auto seconds = device.launch(**kernel, arguments, {{16, 1, 1}, {16, 1, 1}});
  ASSERT_FALSE(seconds);
  EXPECT_EQ(seconds.error().kind, ErrorKind::Device);
  EXPECT_THAT(text_of(seconds.error()), HasSubstr("in groups of 16x1x1"));
  EXPECT_THAT(text_of(seconds.error()), HasSubstr("CL_INVALID_WORK_GROUP_SIZE"));
  ASSERT_TRUE(succeeded(device.launch(**kernel, arguments, {{8, 1, 1}, {8, 1, 1}})));
}

TEST(OpenclDeviceDeathTest, AnAccessOutsideBuffersIsAnErrorOnGpus) {
  // In a process of its own: some drivers refuse all work of a process after that.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  OPENCL_OR_SKIP(device);
  if (device.info().type != target::Type::Gpu) GTEST_SKIP() << "this device would end the process";
  const auto access_outside = [&] {
    auto program =
        device.build("__kernel void f(__global int* out) { out[(1L << 40) + get_global_id(0)] = 1; }");
    auto kernel = program.value()->kernel("f");
    const auto out = upload<int>(device, {0});
    const std::vector<Argument> arguments{out.get()};
    const auto seconds = device.launch(*kernel.value(), arguments, {});
    if (seconds) _exit(1);
    std::fputs(text_of(seconds.error()).c_str(), stderr);
    _exit(seconds.error().kind == ErrorKind::Device ? 0 : 2);
  };
  EXPECT_EXIT(access_outside(), ::testing::ExitedWithCode(0), "outside its buffers");
}

TEST(OpenclDevice, TimesTheKernelAlone) {
  OPENCL_OR_SKIP(device);
  auto program = device.build(R"(
__kernel void chain(__global uint* out, int steps) {
  uint x = get_global_id(0);
  for (int i = 0; i < steps; ++i) x = x * 1664525u + 1013904223u;
  out[get_global_id(0)] = x;
})");
  ASSERT_TRUE(succeeded(program));
  auto kernel = (*program)->kernel("chain");
  ASSERT_TRUE(succeeded(kernel));
  const auto out = upload(device, std::vector<std::uint32_t>(256));
  const auto seconds_of = [&](int steps) {
    const std::vector<Argument> arguments{out.get(), ScalarValue::of_integer(Scalar::I32, steps)};
    double best = 1e9;
    for (int repetition = 0; repetition < 5; ++repetition) {
      const auto seconds = device.launch(**kernel, arguments, {{256, 1, 1}, {64, 1, 1}});
      EXPECT_TRUE(succeeded(seconds));
      best = std::min(best, seconds.value_or(1e9));
    }
    return best;
  };
  EXPECT_GT(seconds_of(4000000), 5 * seconds_of(4000));
}

}  // namespace
}  // namespace hoist::runtime
