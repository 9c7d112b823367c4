#include "space/divisors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <limits>

#include "arith/arena.hpp"
#include "space/space.hpp"

namespace hoist::space {
namespace {

using testing::ElementsAre;

TEST(Divisors, AreThoseThatALoopFinds) {
  for (std::int64_t number = 1; number <= 5000; ++number) {
    std::vector<std::int64_t> expected;
    for (std::int64_t each = 1; each <= number; ++each) {
      if (number % each == 0) expected.push_back(each);
    }
    ASSERT_EQ(divisors(number), expected) << number;
  }
}

TEST(Divisors, OfTheLargestNumbersAreFoundAtOnce) {
  const auto start = std::chrono::steady_clock::now();
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(divisors(largest).size(), 96U) << "7 * 7 * 73 * 127 * 337 * 92737 * 649657";
  EXPECT_EQ(divisors(std::int64_t{1} << 62).size(), 63U);
  constexpr std::int64_t prime = 9223372036854775783, below_root = 3037000493, other = 3037000453;
  EXPECT_THAT(divisors(prime), ElementsAre(1, prime));
  EXPECT_THAT(divisors(below_root * other), ElementsAre(1, other, below_root, below_root * other));
  EXPECT_THAT(divisors(other * other), ElementsAre(1, other, other * other));
  constexpr std::int64_t two_large = std::int64_t{2097169} * 4398010859779;
  EXPECT_THAT(divisors(two_large), ElementsAre(1, 2097169, 4398010859779, two_large));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10)) << "trying all takes minutes";
}

TEST(Divisors, ASpaceReachesTheLargestNumber) {
  const arith::Arena arena;
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  const auto powers = Space::make({{"t", 1, largest, true}}, {});
  ASSERT_TRUE(powers);
  EXPECT_EQ(powers->count(), 63U);
  const auto last = Space::make({{"t", largest - 2, largest, false}}, {});
  ASSERT_TRUE(last);
  EXPECT_EQ(last->count(), 3U);
}

}  // namespace
}  // namespace hoist::space
