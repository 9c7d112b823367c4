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

// ---- Until the median is known

/// The probability by which the k-th smallest and largest of n enclose the median, counted over all 2^n
/// sides.
double enclosing(std::size_t n, std::size_t k) {
  std::size_t enclosed = 0;
  for (std::size_t sides = 0; sides < (std::size_t{1} << n); ++sides) {
    const auto below = static_cast<std::size_t>(__builtin_popcountll(sides));
    enclosed += below >= k && n - below >= k;
  }
  return static_cast<double>(enclosed) / static_cast<double>(std::size_t{1} << n);
}

TEST(MedianInterval, IsTheNarrowestThatIsSureEnough) {
  for (std::size_t n = 1; n <= 16; ++n) {
    std::vector<double> sorted(n);
    for (std::size_t i = 0; i < n; ++i) sorted[i] = static_cast<double>(i + 1);
    const MedianInterval interval = median_interval(sorted, 0.95);
    std::size_t k = 0;
    while (2 * (k + 1) <= n && enclosing(n, k + 1) >= 0.95) ++k;
    EXPECT_NEAR(interval.confidence, k == 0 ? 0 : enclosing(n, k), 1e-9) << n;
    EXPECT_EQ(interval.low, static_cast<double>(std::max<std::size_t>(k, 1))) << n;
    EXPECT_EQ(interval.high, static_cast<double>(n + 1 - std::max<std::size_t>(k, 1))) << n;
  }
}

TEST(MedianInterval, IsKnownForManyTimes) {
  std::vector<double> sorted(1000);
  for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = static_cast<double>(i + 1);
  const MedianInterval interval = median_interval(sorted, 0.95);
  // 500 -+ 1.96 * sqrt(1000) / 2, by the normal distribution.
  EXPECT_NEAR(interval.low, 469, 1);
  EXPECT_NEAR(interval.high, 532, 1);
  EXPECT_NEAR(interval.confidence, 0.95, 0.01);
}

/// What takes the given times, again and again.
struct Takes {
  std::vector<double> times;
  std::size_t calls = 0;
  Result<double> operator()() { return times[calls++ % times.size()]; }
};

using Stop = AdaptiveMeasurement::Stop;

TEST(MeasureUntil, StopsWhenTheMedianIsKnown) {
  Takes steady{{1e-3}};
  const auto measured = measure_until(std::ref(steady), {});
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->stop, Stop::Narrow);
  EXPECT_EQ(steady.calls, 2u + 6u) << "two warm-ups, and six are needed for 95%";
  EXPECT_GE(measured->interval.confidence, 0.95);
}

TEST(MeasureUntil, GoesOnWhileItIsNot) {
  Takes noisy{{}};
  for (int i = 0; i < 97; ++i) noisy.times.push_back(1e-3 + 2e-3 / 96 * (37 * i % 97));
  const auto measured = measure_until(std::ref(noisy), {});
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->stop, Stop::Spent);
  EXPECT_NEAR(measured->measurement.mean * static_cast<double>(measured->measurement.times.size()), 0.25,
              4e-3);
  EXPECT_LE(measured->interval.low, 2e-3);
  EXPECT_GE(measured->interval.high, 2e-3);
}

TEST(MeasureUntil, KeepsOutliers) {
  Takes once_slow{{1e-3, 1e-3, 1e-3, 1e-3, 9e-3, 1e-3, 1e-3, 1e-3}};
  const auto measured = measure_until(std::ref(once_slow), {});
  ASSERT_TRUE(measured);
  const std::vector<double>& times = measured->measurement.times;
  EXPECT_EQ(std::count(times.begin(), times.end(), 9e-3), 1);
  EXPECT_DOUBLE_EQ(measured->measurement.median, 1e-3);
}

TEST(MeasureUntil, MeasuresALittleOfWhatIsSlow) {
  Takes slow{{1}};
  const auto measured = measure_until(std::ref(slow), {.warm_ups = 1, .least = 3});
  ASSERT_TRUE(measured);
  EXPECT_EQ(slow.calls, 4u);
  EXPECT_EQ(measured->stop, Stop::Spent);
  EXPECT_EQ(measured->interval.confidence, 0) << "three times tell no interval";
}

TEST(MeasureUntil, TakesOneTimeOfWhatIsSlowerThanAll) {
  Takes very_slow{{6}};
  const auto measured = measure_until(std::ref(very_slow), {});
  ASSERT_TRUE(measured);
  EXPECT_EQ(very_slow.calls, 2u) << "one warm-up is enough, too";
  EXPECT_EQ(measured->measurement.times, std::vector<double>{6});
}

TEST(MeasureUntil, ALongRunIsWarmUpEnough) {
  Takes slow{{3}};
  const auto measured = measure_until(std::ref(slow), {});
  ASSERT_TRUE(measured);
  EXPECT_EQ(slow.calls, 2u);
  EXPECT_EQ(measured->measurement.times, std::vector<double>{3});
}

TEST(MeasureUntil, LeavesWhatIsHopeless) {
  Takes slow{{0.5}};
  const auto measured = measure_until(std::ref(slow), {.hopeless = 0.1});
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->stop, Stop::Hopeless);
  EXPECT_EQ(slow.calls, 2u) << "the first may be slow for another reason";
  EXPECT_EQ(measured->measurement.times, std::vector<double>{0.5});
  Takes very_slow{{5}};
  EXPECT_EQ(measure_until(std::ref(very_slow), {.hopeless = 0.1})->stop, Stop::Hopeless);
  EXPECT_EQ(very_slow.calls, 1u);
  Takes slow_at_first{{0.5, 0.05}};
  EXPECT_NE(measure_until(std::ref(slow_at_first), {.warm_ups = 1, .hopeless = 0.1})->stop, Stop::Hopeless);
  Takes loaded_at_first{{0.4, 5e-5}};
  EXPECT_NE(measure_until(std::ref(loaded_at_first), {.warm_ups = 1, .hopeless = 1e-4})->stop, Stop::Hopeless)
      << "a driver's work at the first launch is not the kernel's";
}

/// A run of microseconds may be disturbed, so one of them says nothing.
TEST(MeasureUntil, AShortRunIsHopelessWhereSeveralAre) {
  Takes disturbed{{1e-4, 3e-4, 1e-4}};
  EXPECT_NE(measure_until(std::ref(disturbed), {.warm_ups = 1, .hopeless = 2e-4})->stop, Stop::Hopeless);
  Takes disturbed_again{{5e-4, 5e-4, 3e-4, 4e-4, 1e-4}};
  EXPECT_NE(measure_until(std::ref(disturbed_again), {.hopeless = 2e-4})->stop, Stop::Hopeless);
  Takes slow{{3e-4}};
  const auto measured = measure_until(std::ref(slow), {.hopeless = 2e-4});
  EXPECT_EQ(measured->stop, Stop::Hopeless);
  EXPECT_EQ(measured->measurement.times.size(), 3u);
}

TEST(MeasureUntil, EndsAtTheFirstError) {
  for (const int failing_call : {1, 5}) {
    int calls = 0;
    const auto measured = measure_until(
        [&]() -> Result<double> {
          if (++calls == failing_call) return device_error("the kernel failed");
          return 1.0 / calls;
        },
        {});
    ASSERT_FALSE(measured);
    EXPECT_EQ(calls, failing_call);
  }
}

}  // namespace
}  // namespace hoist::runtime
