#include "base/random.hpp"

#include <gmock/gmock.h>

namespace hoist {
namespace {

TEST(Random, BelowIsFairAndTheSameEverywhere) {
  Random random(1);
  std::vector<int> counts(7);
  for (int i = 0; i < 70000; ++i) ++counts[random.below(7)];
  for (const int count : counts) EXPECT_NEAR(count, 10000, 500);
  EXPECT_EQ(Random(42).bits(), std::mt19937_64(42)());
}

TEST(Random, BelowRejectsWhatWouldMakeSmallNumbersLikelier) {
  // Of 2^64 numbers, those from 3 * 2^62 on have no partners below the limit.
  constexpr std::uint64_t limit = 3ULL << 62;
  Random random(1);
  std::mt19937_64 engine(1);
  for (int i = 0; i < 100; ++i) {
    std::uint64_t expected = engine();
    while (expected >= limit) expected = engine();
    EXPECT_EQ(random.below(limit), expected);
  }
}

TEST(Random, NormalNumbersHaveMeanZeroAndDeviationOne) {
  Random random(5);
  double sum = 0, squares = 0;
  constexpr int count = 100000;
  for (int i = 0; i < count; ++i) {
    const double drawn = random.normal();
    sum += drawn;
    squares += drawn * drawn;
  }
  EXPECT_NEAR(sum / count, 0, 0.01);
  EXPECT_NEAR(squares / count, 1, 0.02);
}

TEST(Random, ShuffleKeepsWhatThereIs) {
  Random random(2);
  std::vector<int> list = {1, 2, 3, 4, 5, 6, 7, 8};
  random.shuffle(list);
  EXPECT_THAT(list, testing::UnorderedElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_NE(list, (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8}));
}

}  // namespace
}  // namespace hoist
