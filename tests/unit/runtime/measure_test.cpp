#include <gtest/gtest.h>

#include "runtime/measure.hpp"

namespace hoist::runtime {
namespace {

TEST(Measure, SummarizesAnOddNumberOfTimes) {
  const Measurement measurement = summarize({5, 1, 4, 2, 3});
  EXPECT_DOUBLE_EQ(measurement.median, 3);
  EXPECT_DOUBLE_EQ(measurement.minimum, 1);
  EXPECT_DOUBLE_EQ(measurement.mean, 3);
  EXPECT_DOUBLE_EQ(measurement.spread, (4.0 - 2.0) / 3.0);
  EXPECT_EQ(measurement.times, (std::vector<double>{5, 1, 4, 2, 3}));
}

TEST(Measure, InterpolatesQuartilesOfAnEvenNumberOfTimes) {
  const Measurement measurement = summarize({4, 3, 2, 1});
  EXPECT_DOUBLE_EQ(measurement.median, 2.5);
  EXPECT_DOUBLE_EQ(measurement.spread, (3.25 - 1.75) / 2.5);
}

TEST(Measure, ASingleTimeHasNoSpread) {
  const Measurement measurement = summarize({0.25});
  EXPECT_DOUBLE_EQ(measurement.median, 0.25);
  EXPECT_DOUBLE_EQ(measurement.minimum, 0.25);
  EXPECT_DOUBLE_EQ(measurement.mean, 0.25);
  EXPECT_DOUBLE_EQ(measurement.spread, 0);
}

TEST(Measure, ZeroTimesHaveNoSpread) { EXPECT_DOUBLE_EQ(summarize({0, 0, 0}).spread, 0); }

TEST(Measure, NoTimesAreABug) { EXPECT_THROW(summarize({}), Bug); }

TEST(Measure, ForgetsTheWarmUps) {
  int calls = 0;
  const auto measurement = measure([&]() -> Result<double> { return ++calls <= 2 ? 100.0 : 1.0; }, 3, 2);
  ASSERT_TRUE(measurement);
  EXPECT_EQ(calls, 5);
  EXPECT_EQ(measurement->times, (std::vector<double>{1, 1, 1}));
}

TEST(Measure, RunsAtLeastOnce) {
  int calls = 0;
  const auto measurement = measure(
      [&]() -> Result<double> {
        ++calls;
        return 2.0;
      },
      0, 0);
  ASSERT_TRUE(measurement);
  EXPECT_EQ(calls, 1);
  EXPECT_DOUBLE_EQ(measurement->median, 2);
}

TEST(Measure, EndsAtTheFirstError) {
  for (const int failing_call : {1, 2, 4}) {
    int calls = 0;
    const auto measurement = measure(
        [&]() -> Result<double> {
          if (++calls == failing_call) return device_error("the kernel failed");
          return 1.0;
        },
        5, 2);
    ASSERT_FALSE(measurement);
    EXPECT_EQ(measurement.error().diagnostics.front().message, "the kernel failed");
    EXPECT_EQ(calls, failing_call);
  }
}

}  // namespace
}  // namespace hoist::runtime
