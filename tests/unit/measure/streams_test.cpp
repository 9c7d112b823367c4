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
    result.rounds = 2;
    result.hopeless_factor = 0;
    return result;
  }

  struct Told {
    std::size_t runs = 0, rounds = 0;
    std::string failure;
    bool has_commands = false;
  };
  struct AllTold {
    std::map<std::pair<std::int64_t, std::int64_t>, Told> pairs;
    std::vector<std::pair<std::int64_t, std::int64_t>> order;  ///< in which they were measured
    std::string error;

    const Told& at(std::int64_t partitions, std::int64_t tasks) const {
      return pairs.at({partitions, tasks});
    }
  };
  static AllTold measured(runtime::Device& device, const StreamsTask& task) {
    StreamsMeasurer measurer(device);
    AllTold all;
    std::set<std::pair<std::int64_t, std::int64_t>> done;
    const auto ended = measurer.measure(
        task, [&](const StreamPair& pair) { all.order.emplace_back(pair.partitions, pair.tasks); },
        [&](const MeasuredPair& pair) {
          const std::pair key(pair.pair.partitions, pair.pair.tasks);
          EXPECT_EQ(key, all.order.back());
          EXPECT_FALSE(done.contains(key)) << "after its last round";
          Told& told = all.pairs[key];
          EXPECT_EQ(pair.round, ++told.rounds);
          told.runs += pair.runs.size();
          told.has_commands |= pair.of_commands.has_value();
          if (pair.is_last) done.insert(key);
          if (pair.failure) told.failure = pair.failure->render();
          if (pair.failure) return;
          EXPECT_EQ(pair.executable->plan().tasks, static_cast<std::size_t>(pair.pair.tasks));
        });
    if (!ended) all.error = ended.error().render();
    EXPECT_TRUE(!ended || done.size() == all.pairs.size());
    return all;
  }

  static void expect_all_measured(runtime::Device& device) {
    const AllTold told = measured(device, task(twice, device, {{1, 1}, {1, 2}, {1, 7}, {2, 8}, {1, 2000}}));
    EXPECT_EQ(told.error, "");
    ASSERT_EQ(told.pairs.size(), 5U);
    for (const auto& [pair, each] : told.pairs) {
      EXPECT_EQ(each.has_commands, pair == std::pair(std::int64_t{1}, std::int64_t{1}));
      if (pair.second == 2000) {
        EXPECT_THAT(each.failure, HasSubstr("give at most 1000 tasks"));
      } else if (pair.first > static_cast<std::int64_t>(device.info().compute_units)) {
        EXPECT_NE(each.failure, "");
      } else {
        EXPECT_EQ(each.failure, "");
        EXPECT_EQ(each.runs, 6U) << "three in each of two rounds";
      }
    }
    // Between two rounds of a pair all others have theirs; what failed is not measured again.
    EXPECT_EQ(told.order.front(), told.order.at(5));
    EXPECT_EQ(told.order.size(), 5 + std::size_t(std::ranges::count_if(told.pairs, [](const auto& each) {
                                   return each.second.failure.empty();
                                 })));
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
  const AllTold told = measured(*device, wrong);
  EXPECT_EQ(told.error, "");
  EXPECT_EQ(told.at(1, 1).failure, "");
  EXPECT_THAT(told.at(1, 900).failure, HasSubstr("its result is wrong"));
}

TEST_F(StreamsTest, APairThatIsSlowerIsRunNoFurther) {
  const auto device = runtime::open_device("host").value();
  StreamsTask slow = task(twice, *device, {{1, 1}, {1, 500}});
  slow.hopeless_factor = 1.5;
  slow.rule.short_run = 10;  // Sanitizers make runs long, of which one would tell.
  const AllTold told = measured(*device, slow);
  EXPECT_EQ(told.error, "");
  EXPECT_EQ(told.at(1, 1).runs, 6U);
  EXPECT_EQ(told.at(1, 500).rounds, 1U);
  EXPECT_EQ(told.at(1, 500).runs, 3U) << "in the first round";
}

TEST_F(StreamsTest, AFailureOfTheDeviceEndsIt) {
  const ScopedVariable driver{"HOIST_CUDA_LIBRARY", HOIST_FAKE_CUDA};
  const ScopedVariable nvrtc{"HOIST_NVRTC_LIBRARY", HOIST_FAKE_CUDA};
  const auto device = runtime::open_device("cuda:0").value();
  const StreamsTask failing = task(twice, *device, {{1, 1}, {1, 4}, {1, 8}});
  const ScopedVariable seventh{"FAKE_CUDA_FAIL_LAUNCH", "7"};
  const AllTold told = measured(*device, failing);
  EXPECT_NE(told.error, "");
  ASSERT_EQ(told.pairs.size(), 2U);
  EXPECT_EQ(told.at(1, 1).failure, "");
  EXPECT_NE(told.at(1, 4).failure, "");
}

}  // namespace
}  // namespace hoist::measure
