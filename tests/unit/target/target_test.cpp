// What follows from what a device tells.
#include "target/target.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "target/kinds.hpp"
#include "target/restricted.hpp"

namespace hoist::target {
namespace {

Target gpu(std::size_t multiple, bool is_dedicated = true) {
  Target told;
  told.type = Type::Gpu;
  told.local_memory_is_dedicated = is_dedicated;
  told.preferred_group_multiple = multiple;
  told.max_group_size = 256;
  return told;
}

TEST(Target, OfWhichNothingIsToldPromisesKernelsNothing) {
  const Target target;
  EXPECT_FALSE(target.has_warps());
  EXPECT_FALSE(target.has_images());
  EXPECT_EQ(target.most_launched_together(), 1024);
  EXPECT_EQ(target.most_unrolled_operations(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(target.profile, *profile_named("gpu"));
  EXPECT_EQ(target.machine, usual_machine(Processor::Gpu));
}

TEST(Target, HasWarpsWhereSubGroupsCanBeAsLong) {
  Target target;
  for (const std::vector<std::size_t>& sizes : {std::vector<std::size_t>{}, {64}, {8, 16}}) {
    target.sub_group_sizes = sizes;
    EXPECT_FALSE(target.has_warps()) << testing::PrintToString(sizes);
  }
  target.sub_group_sizes = {8, 16, 32};
  EXPECT_TRUE(target.has_warps());
}

TEST(Target, LaunchesStayWithinItsGroups) {
  Target target;
  target.max_group_size = 64;
  EXPECT_EQ(target.most_launched_together(), 64);
  target.max_group_size = 4096;
  EXPECT_EQ(target.most_launched_together(), 1024);
}

TEST(Target, OnlyCpusUnrollLittle) {
  Target target;
  target.type = Type::Cpu;
  EXPECT_EQ(target.most_unrolled_operations(), 1024);
  target.type = Type::Gpu;
  EXPECT_EQ(target.most_unrolled_operations(), std::numeric_limits<std::int64_t>::max());
}

TEST(Completed, TakesWhatIsToldAndScalesTheRatesOfTheDevice) {
  Target told = gpu(64);
  told.compute_units = 66;
  told.cache_line = 64;
  told.clock_mhz = 1000;
  const Machine machine = completed(told).machine, usual = usual_machine(Processor::Gpu);
  EXPECT_EQ(machine.lanes, 64);
  EXPECT_EQ(machine.line_bytes, 64);
  EXPECT_EQ(machine.compute_units, 66);
  EXPECT_EQ(machine.cycles_per_second, 1e9);
  EXPECT_EQ(machine.memory_bytes_per_second, usual.memory_bytes_per_second / 2);
  EXPECT_EQ(machine.l2_bytes_per_second, usual.l2_bytes_per_second / 2);
  EXPECT_EQ(machine.l2_bytes, usual.l2_bytes);
}

TEST(Completed, LeavesTheUsualWhereNothingIsTold) {
  Target told = gpu(1);
  told.compute_units = 132;
  EXPECT_EQ(completed(told).machine, usual_machine(Processor::Gpu));
}

TEST(InstructionSets, MakeAnotherDeviceOfACpu) {
  EXPECT_THAT(names_of_instruction_sets(), testing::ElementsAre("sse4.2", "avx2", "avx512", "native"));
  EXPECT_EQ(instruction_set_named("native"), nullptr);
  Target told = usual_device(Language::Host, Type::Cpu);
  told.name = "a processor";
  for (const InstructionSet& set : instruction_sets()) {
    ASSERT_EQ(instruction_set_named(set.name), &set);
    const Target target = with_instruction_set(told, set);
    EXPECT_EQ(target.name, "a processor (" + std::string(set.name) + ")");
    EXPECT_EQ(target.preferred_f32_vector, set.f32_vector);
    EXPECT_EQ(target.machine.lanes, set.f32_vector);
    EXPECT_EQ(target.machine.registers_per_item, set.vector_registers);
    EXPECT_EQ(target.profile, told.profile);
  }
  const Target usual = with_instruction_set(told, *instruction_set_named("avx2"));
  EXPECT_EQ(usual.machine, told.machine) << "that of the usual processor";
}

TEST(Completed, TakesForACpuWhatDoesNotSayThatItIsAGpu) {
  for (const Type type : {Type::Cpu, Type::Accelerator, Type::Other}) {
    Target told;
    told.type = type;
    told.preferred_group_multiple = 128;  // PoCL's
    const Target target = completed(told);
    EXPECT_EQ(target.machine.processor, Processor::Cpu);
    EXPECT_EQ(target.machine.lanes, 8) << "of a vector register";
    EXPECT_EQ(target.machine.line_bytes, 64);
    EXPECT_EQ(target.profile.name, "cpu");
  }
}

TEST(Completed, AsksForTheProfileOfTheDevicesMemory) {
  EXPECT_EQ(completed(gpu(32, true)).profile.name, "gpu");
  EXPECT_EQ(completed(gpu(32, false)).profile.name, "gpu-without-local-memory");
}

TEST(LeastGroups, AreAWarp) {
  EXPECT_EQ(completed(gpu(64)).least_group_size, 64U);
  EXPECT_EQ(completed(gpu(1)).least_group_size, 32U) << "it does not say how large a warp is";
  EXPECT_EQ(completed(gpu(512)).least_group_size, 256U) << "no group is larger";
  Target cpu;
  cpu.type = Type::Cpu;
  cpu.preferred_group_multiple = 8;
  EXPECT_EQ(completed(cpu).least_group_size, 1U) << "its profile has no groups";
  EXPECT_EQ(with_profile(completed(cpu), *profile_named("gpu")).least_group_size, 8U);
}

TEST(WithProfile, ReplacesTheProfileAlone) {
  Target expected = completed(gpu(32));
  const Target target = with_profile(expected, *profile_named("cpu"));
  EXPECT_EQ(target.profile.name, "cpu");
  expected.profile = target.profile;
  expected.least_group_size = 1;
  EXPECT_EQ(target, expected);
}

}  // namespace
}  // namespace hoist::target
