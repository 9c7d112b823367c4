#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "runtime/limits.hpp"
#include "support.hpp"

namespace hoist::runtime {
namespace {

using ::testing::HasSubstr;
using testing::text_of;

class KernelStub : public Kernel {
 public:
  std::size_t max_group_size() const override { return group; }
  std::size_t local_memory() const override { return local; }
  std::size_t private_memory() const override { return 0; }
  std::size_t group = 256, local = 0;
};

target::Target small_device() {
  target::Target device;
  device.id = "opencl:7";
  device.name = "Toy";
  device.max_group_size = 1024;
  device.max_group_sizes = {1024, 1024, 64};
  device.local_memory = 48 * 1024;
  device.global_memory = 1000;
  device.largest_buffer = 600;
  return device;
}

TEST(Limits, AcceptsWhatFits) {
  EXPECT_TRUE(check_launch(small_device(), KernelStub(), "f", {{512, 4, 1}, {128, 2, 1}}));
  EXPECT_TRUE(check_launch(small_device(), KernelStub(), "f", {{0, 4, 1}, {128, 2, 1}}));
  EXPECT_TRUE(check_allocation(small_device(), 600, 400));
  EXPECT_TRUE(check_allocation(small_device(), 0, 1000));
  EXPECT_TRUE(check_transfer(small_device(), "write", 8, 8));
}

TEST(Limits, NamesTheGroupLimitOfTheDevice) {
  const auto checked = check_launch(small_device(), KernelStub(), "f", {{2048, 1, 1}, {2048, 1, 1}});
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().kind, ErrorKind::Device);
  EXPECT_THAT(text_of(checked.error()),
              HasSubstr("work-group of 2048 work-items: device opencl:7 (Toy) allows at most 1024"));
}

TEST(Limits, CountsTheWholeGroup) {
  const auto checked = check_launch(small_device(), KernelStub(), "f", {{64, 64, 1}, {64, 32, 1}});
  ASSERT_FALSE(checked);
  EXPECT_THAT(text_of(checked.error()), HasSubstr("work-group of 2048 work-items"));
}

TEST(Limits, NamesTheLimitOfADimension) {
  const auto checked = check_launch(small_device(), KernelStub(), "f", {{1, 1, 128}, {1, 1, 128}});
  ASSERT_FALSE(checked);
  EXPECT_THAT(
      text_of(checked.error()),
      HasSubstr(
          "work-group of 128 work-items in dimension 2: device opencl:7 (Toy) allows at most 64 there"));
}

TEST(Limits, NamesTheGroupLimitOfTheKernel) {
  const auto checked = check_launch(small_device(), KernelStub(), "f", {{512, 1, 1}, {512, 1, 1}});
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().kind, ErrorKind::Device);
  EXPECT_THAT(
      text_of(checked.error()),
      HasSubstr("work-group of 512 work-items: kernel f on device opencl:7 (Toy) allows at most 256"));
}

TEST(Limits, NamesTheLocalMemory) {
  KernelStub kernel;
  kernel.local = 64 * 1024;
  const auto checked = check_launch(small_device(), kernel, "f", {{128, 1, 1}, {128, 1, 1}});
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().kind, ErrorKind::Device);
  EXPECT_THAT(text_of(checked.error()), HasSubstr("needs 64 KiB of local memory a work-group"));
  EXPECT_THAT(text_of(checked.error()), HasSubstr("has 48 KiB"));
}

TEST(Limits, ARangeThatGroupsDoNotDivideIsABug) {
  for (const Range& range : {Range{{100, 1, 1}, {64, 1, 1}}, Range{{64, 1, 1}, {0, 1, 1}}}) {
    const auto checked = check_launch(small_device(), KernelStub(), "f", range);
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().kind, ErrorKind::Bug);
    EXPECT_THAT(text_of(checked.error()), HasSubstr("does not divide"));
  }
}

TEST(Limits, NamesTheLargestBuffer) {
  const auto checked = check_allocation(small_device(), 601, 0);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().kind, ErrorKind::Device);
  EXPECT_THAT(text_of(checked.error()), HasSubstr("a buffer of 601 bytes"));
  EXPECT_THAT(text_of(checked.error()), HasSubstr("at most 600 bytes in one buffer"));
}

TEST(Limits, CountsTheMemoryInUse) {
  const auto checked = check_allocation(small_device(), 500, 501);
  ASSERT_FALSE(checked);
  EXPECT_THAT(text_of(checked.error()), HasSubstr("has 1000 bytes of memory, of which 501 bytes are in use"));
}

TEST(Limits, HugeNumbersDoNotWrapAround) {
  constexpr std::size_t huge = std::numeric_limits<std::size_t>::max();
  target::Target device = small_device();
  device.largest_buffer = huge;
  EXPECT_FALSE(check_allocation(device, huge, 1));
  EXPECT_EQ(work_items({huge, huge, 1}), huge);
  EXPECT_EQ(work_items({huge, huge, 0}), 0u);
  EXPECT_FALSE(check_launch(small_device(), KernelStub(), "f", {{huge, huge, 1}, {huge, huge, 1}}));
}

TEST(Limits, ATransferPastTheEndIsABug) {
  const auto checked = check_transfer(small_device(), "read", 9, 8);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().kind, ErrorKind::Bug);
  EXPECT_THAT(text_of(checked.error()), HasSubstr("read of 9 bytes"));
}

TEST(Limits, WritesBytesForReaders) {
  EXPECT_EQ(bytes_text(0), "0 bytes");
  EXPECT_EQ(bytes_text(1), "1 byte");
  EXPECT_EQ(bytes_text(1023), "1023 bytes");
  EXPECT_EQ(bytes_text(48 * 1024), "48 KiB");
  EXPECT_EQ(bytes_text(1536), "1.50 KiB (1536 bytes)");
  EXPECT_EQ(bytes_text(std::size_t{3} << 30), "3 GiB");
  EXPECT_EQ(bytes_text(std::numeric_limits<std::size_t>::max()), "16.00 EiB (18446744073709551615 bytes)");
}

TEST(Limits, NumbersLines) {
  EXPECT_EQ(numbered("a\n\nb"), "   1 | a\n   2 | \n   3 | b\n");
  EXPECT_EQ(numbered("a\n"), "   1 | a\n");
  EXPECT_EQ(numbered(""), "");
}

}  // namespace
}  // namespace hoist::runtime
