// The analytic estimate, by hand: each test has a target on which one part of the device takes longest.
#include <gtest/gtest.h>

#include "features/estimate.hpp"
#include "unit/loop/programs.hpp"

namespace hoist::features {
namespace {

/// 16 groups of 64 work-items over x and out, 1024 f32 each, and 8192 bytes of local memory.
class Estimates : public testing::Test {
 protected:
  Estimates() {
    machine.compute_units = 2;
    machine.groups_per_unit = 3;
    machine.cycles_per_second = 1;  // times are cycles
    machine.launch_seconds = 1000;
    machine.memory_bytes_per_second = machine.l2_bytes_per_second = 1e12;
  }

  Launch of(const std::string& statements) {
    plan = loop::parsed(
        "plan f {\n  input x: global f32[1024];\n  output out: global f32[1024];\n"
        "  kernel f(read x: global f32[1024], write out: global f32[1024])\n"
        "    launch global [1024, 1, 1] local [64, 1, 1] index i32 {\n"
        "    allocate tile: local f32[2048];\n"
        "    for wg in group(0) [0, 16) step 1 : exactly_once {\n"
        "      for l in local(0) [0, 64) step 1 : exactly_once {\n" +
        statements + "      }\n    }\n  }\n  steps {\n    launch f;\n  }\n}\n");
    return launch_of(plan.kernels.at(0), machine);
  }

  const arith::Arena arena;
  loop::Plan plan;
  target::Machine machine;
};

/// 16 groups, 3 at once on each of 2 units: 2 whole waves of 6, and one of 4.
TEST_F(Estimates, WavesAndWhatTheLastWastes) {
  const Launch launch = of("out[64*wg + l] = x[l];\n");
  EXPECT_EQ(launch.residency.groups_per_unit, 3);
  EXPECT_EQ(launch.residency.groups, 6);
  EXPECT_DOUBLE_EQ(launch.residency.waves, 16.0 / 6);
  EXPECT_DOUBLE_EQ(launch.residency.filled, 16.0 / 18);
  EXPECT_DOUBLE_EQ(launch.residency.occupancy, 3 * 64 / 2048.0);
}

/// Every group reads the same 256 bytes and writes 256 of its own. A second-level cache that holds nothing
/// from one wave to the next makes each of the three waves, the last one too, read them again.
TEST_F(Estimates, EveryWaveReadsAgainWhatTheCacheDoesNotKeep) {
  machine.l2_bytes = 1024;
  const Launch launch = of("out[64*wg + l] = x[l];\n");
  EXPECT_EQ(launch.wave.sum(), 256 + 6 * 256);
  EXPECT_EQ(launch.whole.sum(), 256 + 16 * 256);
  EXPECT_EQ(launch.estimate.memory_bytes, 3 * (256 + 6 * 256));
  machine.l2_bytes = 8192;
  EXPECT_EQ(of("out[64*wg + l] = x[l];\n").estimate.memory_bytes, 256 + 16 * 256) << "one that keeps all";
}

/// A group that needs more than a unit has is run nevertheless, alone: values spill, and caches stand in for
/// local memory.
TEST_F(Estimates, AUnitRunsOneGroupAtTheLeast) {
  machine.local_bytes_per_unit = 4096;  // half of what a group allocates
  const Launch launch = of("tile[l] = x[64*wg + l];\n");
  EXPECT_EQ(launch.residency.groups_per_unit, 1);
  EXPECT_DOUBLE_EQ(launch.residency.occupancy, 64 / 2048.0);
  EXPECT_DOUBLE_EQ(launch.residency.waves, 8);
  machine = {};
  machine.registers_per_unit = 64;  // one for each work-item
  EXPECT_EQ(of("out[64*wg + l] = x[l];\n").residency.groups_per_unit, 1);
}

/// 16 groups have 2 warps each, and each warp's stores meet in one bank: 32 passes, a cycle each.
TEST_F(Estimates, ValuesWithoutARegisterGoThroughTheCaches) {
  const std::string kernel =
      "allocate kept: private f32[100];\nfor i in sequential [0, 100) step 1 {\nkept[i] = x[l];\n}\n"
      "out[64*wg + l] = kept[wg];\n";
  machine.registers_per_item = 1000;
  const Estimate without = of(kernel).estimate;
  machine.registers_per_item = 32;
  const Launch launch = of(kernel);
  EXPECT_GT(launch.residency.spilled, 60);
  EXPECT_GT(launch.estimate.l1, without.l1);
  EXPECT_EQ(launch.estimate.l2_bytes, without.l2_bytes) << "the first-level cache holds them";
  machine.l1_bytes = 1024;
  machine.l2_bytes = 16 * 1024;
  const Launch small = of(kernel);
  EXPECT_GT(small.estimate.l2_bytes, without.l2_bytes + 1024 * 4 * 60);
  EXPECT_GT(small.estimate.memory_bytes, without.memory_bytes + 1024 * 4 * 60);
}

TEST_F(Estimates, LocalMemoryTakesItsTimeBesideTheFirstLevelCache) {
  machine.compute_units = 16;
  const Launch launch = of("tile[32*l] = x[64*wg + l];\n");
  EXPECT_EQ(launch.estimate.local, 2 * 32) << "a group's passes, one group a unit";
  EXPECT_EQ(launch.estimate.l1, 2) << "a group's lines";
  EXPECT_EQ(launch.estimate.total, 1000 + 2 * 32 + 2) << "both go through the same pipes";
  machine.local_bytes_per_unit_cycle = 64;
  EXPECT_EQ(of("tile[32*l] = x[64*wg + l];\n").estimate.local, 2 * 2 * 32) << "half the rate";
}

TEST_F(Estimates, OperationsTakeWhatTheirKindDoes) {
  machine.compute_units = 16;  // a group each
  machine.operations_per_unit_cycle = 64;
  machine.special_share = 0.125;
  machine.f64_share = 0.25;
  EXPECT_EQ(of("out[64*wg + l] = x[l] + 1.0;\n").estimate.arithmetic, 1);
  EXPECT_EQ(of("out[64*wg + l] = x[l] * x[l] + 1.0;\n").estimate.arithmetic, 1)
      << "a product that is added to something is one operation with it";
  EXPECT_EQ(of("out[64*wg + l] = x[l] / 3.0;\n").estimate.arithmetic, 8);
  EXPECT_EQ(of("out[64*wg + l] = sqrt(x[l]);\n").estimate.arithmetic, 8);
}

/// Units without a group do nothing, and in the last wave as much as there is room left.
TEST_F(Estimates, OnlyBusyUnitsCompute) {
  machine.operations_per_unit_cycle = 64;
  machine.compute_units = 32;
  EXPECT_EQ(of("out[64*wg + l] = x[l] + 1.0;\n").estimate.arithmetic, 1) << "16 of 32 units";
  machine.compute_units = 2;
  // In the time of 3 waves of 3 groups a unit could do 9; it does 8.
  EXPECT_DOUBLE_EQ(of("out[64*wg + l] = x[l] + 1.0;\n").estimate.arithmetic, 9);
}

TEST_F(Estimates, TheSlowestPartAndTheLaunchAreTheTime) {
  machine.memory_bytes_per_second = 8;
  const Launch launch = of("out[64*wg + l] = x[64*wg + l];\n");
  EXPECT_EQ(launch.estimate.memory, 8192 / 8);
  EXPECT_EQ(launch.estimate.total, 1000 + 1024);
}

}  // namespace
}  // namespace hoist::features
