// What Device promises, on every device there is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "runtime/devices.hpp"
#include "runtime/measure.hpp"
#include "support.hpp"

namespace hoist::runtime {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using namespace testing;

class EveryDevice : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto opened = open_device(GetParam());
    if (!opened && GetParam() != "host") GTEST_SKIP() << "there is no device " << GetParam();
    ASSERT_TRUE(succeeded(opened));
    device = std::move(*opened);
  }
  std::unique_ptr<Device> device;
};

TEST_P(EveryDevice, KeepsWhatIsWritten) {
  std::vector<int> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), -500);
  const auto buffer = upload(*device, numbers);
  EXPECT_EQ(buffer->bytes(), 4000u);
  EXPECT_EQ(download<int>(*device, *buffer), numbers);
}

TEST_P(EveryDevice, WritesAndReadsABeginning) {
  const auto buffer = upload<int>(*device, {1, 2, 3, 4});
  const std::vector<int> two{7, 8};
  ASSERT_TRUE(succeeded(device->write(*buffer, std::as_bytes(std::span(two)))));
  EXPECT_EQ(download<int>(*device, *buffer), (std::vector<int>{7, 8, 3, 4}));
  std::vector<int> read(3);
  ASSERT_TRUE(succeeded(device->read(*buffer, std::as_writable_bytes(std::span(read)))));
  EXPECT_EQ(read, (std::vector<int>{7, 8, 3}));
}

TEST_P(EveryDevice, ReadsFromAPlaceOn) {
  const auto buffer = upload<int>(*device, {1, 2, 3, 4});
  std::vector<int> read(2);
  ASSERT_TRUE(succeeded(device->read(*buffer, std::as_writable_bytes(std::span(read)), 2 * sizeof(int))));
  EXPECT_EQ(read, (std::vector<int>{3, 4}));
  EXPECT_FALSE(device->read(*buffer, std::as_writable_bytes(std::span(read)), 3 * sizeof(int)));
}

TEST_P(EveryDevice, WritesFromAPlaceOn) {
  const auto buffer = upload<int>(*device, {1, 2, 3, 4});
  const std::vector<int> two{7, 8};
  ASSERT_TRUE(succeeded(device->write(*buffer, std::as_bytes(std::span(two)), 2 * sizeof(int))));
  EXPECT_EQ(download<int>(*device, *buffer), (std::vector<int>{1, 2, 7, 8}));
  EXPECT_FALSE(device->write(*buffer, std::as_bytes(std::span(two)), 3 * sizeof(int)));
}

/// Has a builder build, and a device load or find what it made.
void expect_handed_over(const std::string& id, Device& device) {
  const auto described = describe_device(id);
  ASSERT_TRUE(succeeded(described));
  EXPECT_EQ(*described, device.info());
  const auto builder = open_builder(*described);
  ASSERT_TRUE(succeeded(builder));
  const std::string source = scaled_sum_source(device.info().language);
  const auto built = (*builder)->build(source);
  ASSERT_TRUE(succeeded(built));
  const bool has_cache = device.info().language == target::Language::Host || (*builder)->compiles_at_launch();
  EXPECT_EQ(built->binary.empty(), has_cache);
  const auto program = built->binary.empty() ? device.build(source) : device.load(built->binary);
  ASSERT_TRUE(succeeded(program));
  const auto kernel = (*program)->kernel("scaled_sum");
  ASSERT_TRUE(succeeded(kernel));
  const auto left = upload<float>(device, {1, 2}), right = upload<float>(device, {10, 20});
  const auto sum = upload<float>(device, {0, 0});
  const Argument arguments[] = {left.get(), right.get(), sum.get(), ScalarValue::of_real(Scalar::F32, 0.5),
                                ScalarValue::of_integer(Scalar::I32, 2)};
  ASSERT_TRUE(succeeded(device.launch(**kernel, arguments, {{2, 1, 1}, {1, 1, 1}})));
  EXPECT_EQ(download<float>(device, *sum), (std::vector<float>{6, 12}));
}

TEST_P(EveryDevice, LoadsWhatABuilderMade) { expect_handed_over(GetParam(), *device); }

TEST_P(EveryDevice, LoadsWhatABuilderMadeWithoutACache) {
  const ScopedVariable no_cache("POCL_KERNEL_CACHE", "0");
  EXPECT_FALSE((*open_builder(device->info()))->compiles_at_launch());
  expect_handed_over(GetParam(), *device);
}

TEST_P(EveryDevice, ABuilderRefusesWhatDoesNotCompile) {
  const auto builder = open_builder(device->info());
  ASSERT_TRUE(succeeded(builder));
  const auto built = (*builder)->build("no program at all");
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().kind, ErrorKind::Bug);
  EXPECT_FALSE(device->load(""));
}

TEST_P(EveryDevice, FillsEveryByte) {
  for (const std::size_t bytes : {1u, 3u, 4u, 1001u, 3u << 20}) {
    auto buffer = device->allocate(bytes);
    ASSERT_TRUE(succeeded(buffer));
    ASSERT_TRUE(succeeded(device->fill(**buffer, 0xA5)));
    EXPECT_THAT(download<std::uint8_t>(*device, **buffer), Each(0xA5)) << bytes;
  }
}

TEST_P(EveryDevice, CopiesABeginning) {
  const auto from = upload<int>(*device, {1, 2, 3, 4});
  const auto to = upload<int>(*device, {0, 0, 0, 0, 0});
  ASSERT_TRUE(succeeded(device->copy(*from, *to, 3 * sizeof(int))));
  EXPECT_EQ(download<int>(*device, *to), (std::vector<int>{1, 2, 3, 0, 0}));
  ASSERT_TRUE(succeeded(device->copy(*from, *from, 4 * sizeof(int))));
  EXPECT_EQ(download<int>(*device, *from), (std::vector<int>{1, 2, 3, 4}));
}

TEST_P(EveryDevice, HasEmptyBuffers) {
  auto first = device->allocate(0);
  auto second = device->allocate(0);
  ASSERT_TRUE(succeeded(first));
  ASSERT_TRUE(succeeded(second));
  EXPECT_EQ((*first)->bytes(), 0u);
  EXPECT_TRUE(succeeded(device->write(**first, {})));
  EXPECT_TRUE(succeeded(device->read(**first, {})));
  EXPECT_TRUE(succeeded(device->fill(**first, 1)));
  EXPECT_TRUE(succeeded(device->copy(**first, **second, 0)));
}

TEST_P(EveryDevice, RefusesTransfersPastTheEnd) {
  const auto small = upload<int>(*device, {1});
  const auto large = upload<int>(*device, {1, 2});
  std::vector<int> two(2);
  for (const Result<void>& result : {device->write(*small, std::as_bytes(std::span(two))),
                                     device->read(*small, std::as_writable_bytes(std::span(two))),
                                     device->copy(*small, *large, 8), device->copy(*large, *small, 8)}) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::Bug);
    EXPECT_THAT(text_of(result.error()), HasSubstr("of 8 bytes"));
  }
}

TEST_P(EveryDevice, RefusesABufferThatIsTooLarge) {
  for (const std::size_t bytes :
       {device->info().largest_buffer + 1, std::numeric_limits<std::size_t>::max()}) {
    const auto buffer = device->allocate(bytes);
    ASSERT_FALSE(buffer);
    EXPECT_EQ(buffer.error().kind, ErrorKind::Device);
    EXPECT_THAT(text_of(buffer.error()), HasSubstr(fmt::format("({} bytes)", bytes)));
    EXPECT_THAT(text_of(buffer.error()), HasSubstr("allows at most"));
  }
}

TEST_P(EveryDevice, AddsUpTheBuffersThatLive) {
  // Memory that nothing touches costs nothing, so that more than half of the device can be asked for.
  std::vector<std::unique_ptr<Buffer>> buffers;
  const target::Target& info = device->info();
  const std::size_t bytes = std::min(info.largest_buffer, info.global_memory / 2 + 1);
  for (std::size_t left = info.global_memory; left >= bytes; left -= bytes) {
    auto buffer = device->allocate(bytes);
    if (!buffer) GTEST_SKIP() << "the device gives less than it says: " << buffer.error().render();
    buffers.push_back(std::move(*buffer));
  }
  const auto refused = device->allocate(bytes);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Device);
  EXPECT_THAT(text_of(refused.error()), HasSubstr("are in use"));
  buffers.pop_back();
  EXPECT_TRUE(succeeded(device->allocate(bytes)));
}

TEST_P(EveryDevice, RunsAKernel) {
  constexpr int count = 1000;
  std::vector<float> left(count), right(count), expected(count);
  for (int i = 0; i < count; ++i) {
    left[i] = static_cast<float>(i);
    right[i] = static_cast<float>(count - i);
    expected[i] = left[i] + 0.5f * right[i];
  }
  auto program = device->build(scaled_sum_source(device->info().language));
  ASSERT_TRUE(succeeded(program));
  EXPECT_GE((*program)->facts().seconds, 0);
  auto kernel = (*program)->kernel("scaled_sum");
  ASSERT_TRUE(succeeded(kernel));
  EXPECT_GE((*kernel)->max_group_size(), 1u);
  EXPECT_EQ((*kernel)->local_memory(), 0u);
  const auto left_buffer = upload(*device, left), right_buffer = upload(*device, right);
  const auto sum = upload(*device, std::vector<float>(count, -1));
  const std::vector<Argument> arguments{left_buffer.get(), right_buffer.get(), sum.get(),
                                        ScalarValue::of_real(Scalar::F32, 0.5),
                                        ScalarValue::of_integer(Scalar::I32, count)};
  const auto measurement = measure(
      [&] {
        return device->launch(**kernel, arguments, {{128, 1, 1}, {32, 1, 1}});
      },
      3, 1);
  ASSERT_TRUE(succeeded(measurement));
  EXPECT_GT(measurement->minimum, 0);
  EXPECT_LT(measurement->minimum, 10);
  EXPECT_EQ(download<float>(*device, *sum), expected);
}

TEST_P(EveryDevice, RunsNothingForAnEmptyRange) {
  auto program = device->build(scaled_sum_source(device->info().language));
  ASSERT_TRUE(succeeded(program));
  auto kernel = (*program)->kernel("scaled_sum");
  ASSERT_TRUE(succeeded(kernel));
  const auto seconds = device->launch(**kernel, {}, {{0, 1, 1}, {32, 1, 1}});
  ASSERT_TRUE(succeeded(seconds));
  EXPECT_EQ(*seconds, 0);
}

TEST_P(EveryDevice, PassesScalarsOfEveryType) {
  const bool is_host = device->info().language == target::Language::Host;
  if (!is_host && !device->info().has_f64) GTEST_SKIP() << "the device has no f64";
  // Each scalar is written to its place as a double, which holds all of these values exactly.
  auto program = device->build(is_host ? R"(
#include <cstddef>
#include <cstdint>
extern "C" void scalars(void* const* arguments, const std::size_t*) {
  double* out = static_cast<double*>(arguments[0]);
  out[0] = *static_cast<float*>(arguments[1]);
  out[1] = *static_cast<double*>(arguments[2]);
  out[2] = *static_cast<std::int32_t*>(arguments[3]);
  out[3] = *static_cast<std::uint32_t*>(arguments[4]);
  out[4] = static_cast<double>(*static_cast<std::int64_t*>(arguments[5]));
  out[5] = *static_cast<std::uint8_t*>(arguments[6]);
  out[6] = *static_cast<std::uint8_t*>(arguments[7]);
})"
                                       : R"(
__kernel void scalars(__global double* out, float f, double d, int i, uint u, long l, uchar b, uchar c) {
  out[0] = f; out[1] = d; out[2] = i; out[3] = u; out[4] = l; out[5] = b; out[6] = c;
})");
  ASSERT_TRUE(succeeded(program));
  auto kernel = (*program)->kernel("scalars");
  ASSERT_TRUE(succeeded(kernel));
  const auto out = upload(*device, std::vector<double>(7, -1));
  const std::vector<Argument> arguments{out.get(),
                                        ScalarValue::of_real(Scalar::F32, 1.5),
                                        ScalarValue::of_real(Scalar::F64, 0.1),
                                        ScalarValue::of_integer(Scalar::I32, -7),
                                        ScalarValue::of_integer(Scalar::U32, 4000000000),
                                        ScalarValue::of_integer(Scalar::I64, -(std::int64_t{1} << 40)),
                                        ScalarValue::of_integer(Scalar::U8, 200),
                                        ScalarValue::of_bool(true)};
  ASSERT_TRUE(succeeded(device->launch(**kernel, arguments, {})));
  EXPECT_EQ(download<double>(*device, *out),
            (std::vector<double>{1.5, 0.1, -7, 4000000000.0, -1099511627776.0, 200, 1}));
}

TEST_P(EveryDevice, RefusesAGroupThatIsTooLarge) {
  auto program = device->build(scaled_sum_source(device->info().language));
  ASSERT_TRUE(succeeded(program));
  auto kernel = (*program)->kernel("scaled_sum");
  ASSERT_TRUE(succeeded(kernel));
  const std::size_t group = 2 * device->info().max_group_size;
  const auto seconds = device->launch(**kernel, {}, {{group, 1, 1}, {group, 1, 1}});
  ASSERT_FALSE(seconds);
  EXPECT_EQ(seconds.error().kind, ErrorKind::Device);
  EXPECT_THAT(text_of(seconds.error()), HasSubstr(fmt::format("work-group of {} work-items", group)));
  EXPECT_THAT(text_of(seconds.error()), HasSubstr(fmt::format("at most {}", device->info().max_group_size)));
}

TEST_P(EveryDevice, ABuildErrorShowsLogAndSource) {
  const auto program =
      device->build(std::string("// first line\n") + scaled_sum_source(device->info().language) +
                    "\nint broken(void) { return no_such_name; }\n");
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().kind, ErrorKind::Bug);
  EXPECT_THAT(text_of(program.error()), HasSubstr("no_such_name"));
  EXPECT_THAT(text_of(program.error()), HasSubstr("   1 | // first line\n"));
  EXPECT_THAT(text_of(program.error()), HasSubstr("error:"));
}

TEST_P(EveryDevice, ReportsAnAbsentKernel) {
  auto program = device->build(scaled_sum_source(device->info().language));
  ASSERT_TRUE(succeeded(program));
  const auto kernel = (*program)->kernel("no_such_kernel");
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().kind, ErrorKind::Bug);
  EXPECT_THAT(text_of(kernel.error()), HasSubstr("no_such_kernel"));
}

TEST_P(EveryDevice, AnAbsentBufferIsABug) {
  auto program = device->build(scaled_sum_source(device->info().language));
  ASSERT_TRUE(succeeded(program));
  auto kernel = (*program)->kernel("scaled_sum");
  ASSERT_TRUE(succeeded(kernel));
  const Buffer* absent = nullptr;
  const std::vector<Argument> arguments(5, Argument(absent));
  const auto seconds = device->launch(**kernel, arguments, {});
  ASSERT_FALSE(seconds);
  EXPECT_EQ(seconds.error().kind, ErrorKind::Bug);
}

TEST_P(EveryDevice, MayGoBeforeWhatItMade) {
  auto buffer = device->allocate(100);
  auto program = device->build(scaled_sum_source(device->info().language));
  ASSERT_TRUE(succeeded(program));
  auto kernel = (*program)->kernel("scaled_sum");
  ASSERT_TRUE(succeeded(kernel));
  device.reset();
  program->reset();
  kernel->reset();
  buffer->reset();
}

TEST_P(EveryDevice, KernelsOutliveTheirProgram) {
  auto program = device->build(scaled_sum_source(device->info().language));
  ASSERT_TRUE(succeeded(program));
  auto kernel = (*program)->kernel("scaled_sum");
  ASSERT_TRUE(succeeded(kernel));
  program->reset();
  const auto one = upload<float>(*device, {1}), two = upload<float>(*device, {2}),
             sum = upload<float>(*device, {0});
  const std::vector<Argument> arguments{one.get(), two.get(), sum.get(), ScalarValue::of_real(Scalar::F32, 1),
                                        ScalarValue::of_integer(Scalar::I32, 1)};
  ASSERT_TRUE(succeeded(device->launch(**kernel, arguments, {})));
  EXPECT_EQ(download<float>(*device, *sum), std::vector<float>{3});
}

INSTANTIATE_TEST_SUITE_P(Runtime, EveryDevice, ::testing::Values("host", "opencl"),
                         [](const auto& test) { return test.param; });

TEST(TwoDevices, DoNotShareBuffersOrKernels) {
  OPENCL_OR_SKIP(opencl);
  auto host = open_device("host");
  ASSERT_TRUE(succeeded(host));
  auto another_opencl = open_device("opencl");
  ASSERT_TRUE(succeeded(another_opencl));
  const auto of_opencl = upload<int>(opencl, {1}), of_host = upload<int>(**host, {1});
  for (const Result<void>& result :
       {(*host)->fill(*of_opencl, 0), opencl.fill(*of_host, 0), (*another_opencl)->fill(*of_opencl, 0)}) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::Bug);
    EXPECT_THAT(text_of(result.error()), HasSubstr("a buffer of another device"));
  }
  auto program = opencl.build(scaled_sum_source(target::Language::OpenCL));
  ASSERT_TRUE(succeeded(program));
  auto kernel = (*program)->kernel("scaled_sum");
  ASSERT_TRUE(succeeded(kernel));
  for (Device* other : {host->get(), another_opencl->get()}) {
    const auto seconds = other->launch(**kernel, {}, {});
    ASSERT_FALSE(seconds);
    EXPECT_THAT(text_of(seconds.error()), HasSubstr("a kernel of another device"));
  }
}

}  // namespace
}  // namespace hoist::runtime
