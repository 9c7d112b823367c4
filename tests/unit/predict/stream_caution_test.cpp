// How cautious choices of streams are follows from what the programs of a device's table show: where most run
// best in a single stream, what is slower than that is regretted more than what is faster gains.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "predict/stream_errors.hpp"

namespace hoist::predict {
namespace {

const std::vector<StreamConfiguration> configurations{{1, 1}, {1, 8}};

constexpr double kernel_seconds = 1e-2;
/// Which take nearly none of the time: by the analytic model tasks gain nothing.
constexpr double short_transfer = 1e-5;
/// So that overlap may gain.
constexpr double long_transfer = 5e-3;

/// A kernel of ten milliseconds, an upload and a download that take so long each.
StreamFeatures features_of_a_kernel(double transfer_seconds) {
  using enum StreamFeature;
  StreamFeatures features;
  features.set(LoopNest, 1);
  features.set(LoopCount, 1 << 20);
  features.set(MostTasks, 1 << 20);
  features.set(LeastIterations, 1);
  features.set(UploadBytes, 1 << 16);
  features.set(DownloadBytes, 1 << 16);
  features.set(InputArrays, 1);
  features.set(OutputArrays, 1);
  features.set(Kernels, 1);
  features.set(WorkItems, 1 << 24);
  features.set(GroupSize, 128);
  features.set(Instructions, 1 << 30);
  features.set(UploadSeconds, transfer_seconds);
  features.set(KernelSeconds, kernel_seconds);
  features.set(DownloadSeconds, transfer_seconds);
  return features.completed();
}

/// Programs of which nothing tells that some are `gain` times as fast in eight tasks and the others `loss`
/// times as slow.
std::vector<StreamRecord> programs(int faster, double gain, int slower, double loss,
                                   double transfer_seconds = short_transfer) {
  const double single = kernel_seconds + 2 * transfer_seconds;
  std::vector<StreamRecord> result;
  for (int number = 0; number < faster + slower; ++number) {
    const std::string name = "p" + std::to_string(number);
    const double in_tasks = number < faster ? 1 / gain : loss;
    result.push_back({name,
                      name,
                      "N=1",
                      features_of_a_kernel(transfer_seconds),
                      {{configurations[0], single}, {configurations[1], single * in_tasks}}});
  }
  return result;
}

/// What is chosen for another such program.
StreamConfiguration chosen_after(const std::vector<StreamRecord>& records,
                                 double transfer_seconds = short_transfer) {
  std::vector<const StreamRecord*> learned_from;
  for (const StreamRecord& each : records) learned_from.push_back(&each);
  const StreamConstants constants;
  const LearnedErrors learned = learned_errors(learned_from, constants, 1);
  const StreamFeatures features = features_of_a_kernel(transfer_seconds);
  const StreamCaution& caution = learned.cautions.of(features);
  const StreamTimes times(features, constants);
  std::vector<double> seconds;
  for (const StreamConfiguration& each : configurations) seconds.push_back(times.of(each).seconds);
  if (caution.uses_errors()) {
    const auto errors = learned.errors->predict(error_inputs(features, constants, configurations));
    seconds[1] = std::exp(caution.corrected(std::log(seconds[1]), errors[1].mean - errors[0].mean,
                                            std::log(least_seconds(times))));
  }
  return configurations[chosen_by(configurations, seconds, caution)];
}

TEST(StreamCautions, LossesCountMoreWhereASingleStreamIsTheBestOfMost) {
  // In the mean eight tasks are 1.6 times as fast: as long as a loss is but a loss they are the better
  // choice.
  EXPECT_EQ(chosen_after(programs(18, 4, 22, 1.15)), configurations[0]);
  EXPECT_EQ(chosen_after(programs(22, 4, 18, 1.15)), configurations[1]) << "most gain by tasks";
}

TEST(StreamCautions, WhatNoiseHidesIsNoLoss) {
  EXPECT_EQ(chosen_after(programs(10, 1.5, 30, 1.0095, long_transfer), long_transfer), configurations[1]);
}

TEST(StreamCautions, WhereTasksSeldomGainOnlyOverlapIsBelieved) {
  // As above, but overlap cannot be why.
  EXPECT_EQ(chosen_after(programs(10, 1.5, 30, 1.0095)), configurations[0]);
  EXPECT_EQ(chosen_after(programs(22, 1.5, 18, 1.0095)), configurations[1]) << "most gain by tasks";
}

TEST(StreamCautions, WhatIsNearlyAsFastAsTheBestIsTheBest) {
  // A single stream is the best of few, and within 2% of it for most.
  std::vector<StreamRecord> records = programs(10, 2, 5, 1.15);
  const std::vector<StreamRecord> alike = programs(10, 1.015, 0, 1);
  records.insert(records.end(), alike.begin(), alike.end());
  for (std::size_t at = 0; at < records.size(); ++at)
    records[at].program = records[at].group = std::to_string(at);
  EXPECT_EQ(chosen_after(records), configurations[0]);
}

}  // namespace
}  // namespace hoist::predict
