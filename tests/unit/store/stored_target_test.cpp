// Targets as rows of devices, of today and of older versions.
#include "store/stored_target.hpp"

#include <gmock/gmock.h>

#include "target/kinds.hpp"

namespace hoist::store {
namespace {

target::Target h200(target::Language language) {
  target::Target told = target::usual_device(language, target::Type::Gpu);
  told.name = "NVIDIA H200";
  told.vendor = "NVIDIA";
  told.driver = "CUDA 12.4";
  told.version = "compute capability 9.0";
  told.platform = "CUDA";
  told.compute_units = 130;
  told.local_memory = 232448;
  told.global_memory = std::size_t{139} << 30;
  told.max_group_sizes = {1024, 512, 64};
  told.clock_mhz = 1980;
  return completed(told);
}

TEST(StoredTargets, AreReadAsTheyWere) {
  for (const auto language : {target::Language::Cuda, target::Language::OpenCL}) {
    const target::Target target = h200(language);
    EXPECT_EQ(target_of(stored_device(target)), target);
  }
}

TEST(StoredTargets, LeaveTheIdOut) {
  target::Target target = h200(target::Language::Cuda);
  target.id = "cuda:3";
  EXPECT_EQ(target_of(stored_device(target)).id, "") << "a store is shared by machines";
}

/// Rows of versions that kept nothing but the columns.
TEST(StoredTargets, WithoutFactsAreUsualDevices) {
  const Device nvidia{.language = "opencl",
                      .name = "NVIDIA H200",
                      .driver = "550",
                      .vendor = "NVIDIA Corporation",
                      .compute_units = 132};
  EXPECT_EQ(target_of(nvidia).type, target::Type::Gpu);
  EXPECT_EQ(target_of(nvidia).machine, target::usual_machine(target::Processor::Gpu));
  EXPECT_TRUE(target_of(nvidia).has_warps());
  EXPECT_EQ(target_of({.language = "cuda", .name = "A30", .driver = {}}).type, target::Type::Gpu);
  const target::Target cpu =
      target_of({.language = "host", .name = "AMD EPYC", .driver = {}, .compute_units = 8});
  EXPECT_EQ(cpu.type, target::Type::Cpu);
  EXPECT_EQ(cpu.machine, target::usual_machine(target::Processor::Cpu));
  EXPECT_EQ(target_of({.language = "host", .name = "AMD EPYC", .driver = {}}).compute_units, 1U);
}

/// The facts of the versions before targets, as they wrote them.
TEST(StoredTargets, OfOlderVersionsAreRead) {
  Device older = stored_device(h200(target::Language::OpenCL));
  older.vendor = "a vendor";
  older.facts = R"({"cache_line":64,"clock_mhz":1500,"largest_image":[0,0],"local_memory":65536,)"
                R"("local_memory_is_dedicated":true,"max_group_size":256,"preferred_group_multiple":64,)"
                R"("sub_group_sizes":[64],"type":"gpu"})";
  const target::Target read = target_of(older);
  EXPECT_EQ(read.type, target::Type::Gpu);
  EXPECT_EQ(read.machine.lanes, 64);
  EXPECT_EQ(read.machine.line_bytes, 64);
  EXPECT_EQ(read.machine.compute_units, 130);
  EXPECT_EQ(read.machine.cycles_per_second, 1.5e9);
  EXPECT_EQ(read.max_group_size, 256U);
  EXPECT_EQ(read.local_memory, 65536U);
  EXPECT_FALSE(read.has_warps());
  EXPECT_FALSE(read.has_images());
  EXPECT_EQ(read.profile.name, "gpu");
}

TEST(StoredTargets, WithFactsThatAreNoneAreUsualDevices) {
  Device odd = stored_device(h200(target::Language::Cuda));
  odd.facts = "[]";
  EXPECT_EQ(target_of(odd).machine.lanes, 32);
}

}  // namespace
}  // namespace hoist::store
