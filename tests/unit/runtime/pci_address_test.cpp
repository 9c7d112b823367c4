// Where an OpenCL device says it is, as NVML knows it.
#include "runtime/opencl/pci_address.hpp"

#include <gtest/gtest.h>

#include "runtime/devices.hpp"
#include "runtime/nvml.hpp"
#include "support.hpp"

namespace hoist::runtime {
namespace {

using namespace testing;
using opencl::pci_address;

TEST(PciAddress, IsWrittenAsNvmlDoes) {
  EXPECT_EQ(
      pci_address({.bus_info = {{1, 0x3b, 2, 0}}, .nvidia_domain = {}, .nvidia_bus = {}, .nvidia_slot = {}}),
      "00000001:3B:02.0");
  EXPECT_EQ(pci_address({.bus_info = {}, .nvidia_domain = {}, .nvidia_bus = 0xaf, .nvidia_slot = 0}),
            "00000000:AF:00.0");
  EXPECT_EQ(pci_address({.bus_info = {}, .nvidia_domain = 0x10, .nvidia_bus = 7, .nvidia_slot = 0x29}),
            "00000010:07:05.1");
}

TEST(PciAddress, IsEmptyWhereItIsNotKnown) {
  EXPECT_EQ(pci_address({}), "");
  EXPECT_EQ(pci_address({.bus_info = {}, .nvidia_domain = {}, .nvidia_bus = 7, .nvidia_slot = {}}), "");
}

TEST(PciAddress, FindsTheDeviceInNvml) {
  const ScopedVariable nvml("HOIST_NVML_LIBRARY", HOIST_FAKE_CUDA);
  const auto there = ManagedDevice::find(
      pci_address({.bus_info = {}, .nvidia_domain = {}, .nvidia_bus = 0x10, .nvidia_slot = 0}));
  ASSERT_TRUE(there);
  EXPECT_EQ(there->vitals()->clock_mhz, 1755);
  EXPECT_FALSE(ManagedDevice::find(
      pci_address({.bus_info = {}, .nvidia_domain = {}, .nvidia_bus = 0x11, .nvidia_slot = 0})));
}

TEST(OpenclVitals, AreNoneOfADeviceThatIsOnNoBus) {
  const ScopedVariable nvml("HOIST_NVML_LIBRARY", HOIST_FAKE_CUDA);
  auto device = open_device("opencl:0");
  if (!device) GTEST_SKIP() << "no OpenCL device";
  if ((*device)->info().type != target::Type::Cpu) GTEST_SKIP() << "the first OpenCL device is on a bus";
  EXPECT_FALSE((*device)->vitals());
}

}  // namespace
}  // namespace hoist::runtime
