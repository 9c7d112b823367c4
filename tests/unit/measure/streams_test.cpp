// Measuring many pairs of partitions and tasks in one process, on the host and on a CUDA driver that runs
// kernels on the processor.
#include "measure/streams.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "driver/inputs.hpp"
#include "runtime/devices.hpp"
#include "support/executed.hpp"
#include "unit/runtime/support.hpp"

namespace hoist::measure {
namespace {

using runtime::testing::ScopedVariable;
using ::testing::HasSubstr;
using testing_support::program_of;

constexpr const char* twice = "def p(x: [N]f32): [N]f32 = x |> map(e => 2.0 * e)";
constexpr const char* thrice = "def p(x: [N]f32): [N]f32 = x |> map(e => 3.0 * e)";
constexpr const char* sums = "def p(x: [N]f32): [N]f32 = x |> scan(+, 0.0)";

class StreamsTest : public ::testing::Test {
 protected:
  static driver::Compiled compiled(const char* text, runtime::Device& device) {
    const auto sized = driver::with_sizes(program_of(text), {{"N", 1000}});
    return driver::compile(sized.value(), driver::options_for(device.info())).value();
  }

  static StreamsTask task(const char* text, runtime::Device& device, std::vector<StreamPair> pairs) {
    StreamsTask result{driver::with_sizes(program_of(text), {{"N", 1000}}).value(), {}, {}, std::move(pairs)};
    result.kernels.push_back(compiled(text, device));
    result.inputs = driver::random_inputs(result.program, {}, 1).value();
    result.rule = {.warm_ups = 1, .least = 3, .most = 3};
    result.hopeless_factor = 0;
    return result;
  }

  struct Told {
    std::size_t runs = 0;
    std::string failure;
  };
  /// What was told of each pair, in any order.
  using AllTold = std::map<std::pair<std::int64_t, std::int64_t>, Told>;
  static std::pair<AllTold, std::string> measured(runtime::Device& device, const StreamsTask& task) {
    StreamsMeasurer measurer(device);
    AllTold told;
    const auto ended = measurer.measure(task, [&](const MeasuredPair& pair) {
      const bool is_first =
          told.try_emplace({pair.pair.partitions, pair.pair.tasks},
                           Told{pair.runs.size(), pair.failure ? pair.failure->render() : ""})
              .second;
      EXPECT_TRUE(is_first);
      if (pair.failure) return;
      EXPECT_EQ(pair.executable->plan().tasks, static_cast<std::size_t>(pair.pair.tasks));
    });
    return {told, ended ? "" : ended.error().render()};
  }

  static void expect_all_measured(runtime::Device& device) {
    const auto [told, error] =
        measured(device, task(twice, device, {{1, 1}, {1, 2}, {1, 7}, {2, 8}, {1, 2000}}));
    EXPECT_EQ(error, "");
    ASSERT_EQ(told.size(), 5U);
    for (const auto& [pair, each] : told) {
      if (pair.second == 2000) {
        EXPECT_THAT(each.failure, HasSubstr("give at most 1000 tasks"));
      } else if (pair.first > static_cast<std::int64_t>(device.info().compute_units)) {
        EXPECT_NE(each.failure, "");
      } else {
        EXPECT_EQ(each.failure, "");
        EXPECT_EQ(each.runs, 3U);
      }
    }
  }

  ir::Arena arena_;
};

TEST_F(StreamsTest, OnTheHost) { expect_all_measured(*runtime::open_device("host").value()); }

TEST_F(StreamsTest, ThroughOpenCl) {
  const auto device = runtime::open_device("opencl");
  if (!device) GTEST_SKIP() << "there is no OpenCL device";
  expect_all_measured(**device);
}

TEST_F(StreamsTest, ThroughCuda) {
  const ScopedVariable driver{"HOIST_CUDA_LIBRARY", HOIST_FAKE_CUDA};
  const ScopedVariable nvrtc{"HOIST_NVRTC_LIBRARY", HOIST_FAKE_CUDA};
  expect_all_measured(*runtime::open_device("cuda:0").value());
}

TEST_F(StreamsTest, WhatCannotBeCutGivesWayAndAWrongResultIsNoTime) {
  const auto device = runtime::open_device("host").value();
  StreamsTask wrong = task(twice, *device, {{1, 1}, {1, 900}});
  wrong.kernels = {compiled(sums, *device), compiled(thrice, *device)};
  const auto [told, error] = measured(*device, wrong);
  EXPECT_EQ(error, "");
  EXPECT_EQ(told.at({1, 1}).failure, "");
  EXPECT_THAT(told.at({1, 900}).failure, HasSubstr("its result is wrong"));
}

TEST_F(StreamsTest, APairThatIsSlowerIsRunNoFurther) {
  const auto device = runtime::open_device("host").value();
  StreamsTask slow = task(twice, *device, {{1, 1}, {1, 500}});
  slow.hopeless_factor = 1.5;
  const auto [told, error] = measured(*device, slow);
  EXPECT_EQ(error, "");
  EXPECT_EQ(told.at({1, 1}).runs, 3U);
  EXPECT_EQ(told.at({1, 500}).runs, 1U);
}

TEST_F(StreamsTest, AFailureOfTheDeviceEndsIt) {
  const ScopedVariable driver{"HOIST_CUDA_LIBRARY", HOIST_FAKE_CUDA};
  const ScopedVariable nvrtc{"HOIST_NVRTC_LIBRARY", HOIST_FAKE_CUDA};
  const auto device = runtime::open_device("cuda:0").value();
  const StreamsTask failing = task(twice, *device, {{1, 1}, {1, 4}, {1, 8}});
  const ScopedVariable seventh{"FAKE_CUDA_FAIL_LAUNCH", "7"};
  const auto [told, error] = measured(*device, failing);
  EXPECT_NE(error, "");
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told.at({1, 1}).failure, "");
  EXPECT_NE(told.at({1, 4}).failure, "");
}

}  // namespace
}  // namespace hoist::measure
