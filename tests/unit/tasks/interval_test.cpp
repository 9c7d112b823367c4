#include "tasks/interval.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.hpp"

namespace hoist::tasks {
namespace {

TEST(Interval, HullsAndIntersections) {
  EXPECT_EQ(hull({1, 3}, {5, 7}), (Interval{1, 7}));
  EXPECT_EQ(hull({}, {5, 7}), (Interval{5, 7}));
  EXPECT_EQ(intersection({1, 6}, {5, 7}), (Interval{5, 6}));
  EXPECT_TRUE(intersection({1, 5}, {5, 7}).is_empty());
  EXPECT_TRUE((Interval{1, 5}.contains({4, 4})));
  EXPECT_FALSE((Interval{1, 5}.contains({4, 6})));
}

TEST(IntervalSet, IsASetOfIntegers) {
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    IntervalSet set;
    std::vector<bool> is_in(40);
    const auto drawn = [&] {
      const auto from = static_cast<std::int64_t>(random.below(40));
      return Interval{from,
                      from + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(41 - from)))};
    };
    for (int added = 0; added < 6; ++added) {
      const Interval interval = drawn();
      set.add(interval);
      for (std::int64_t at = interval.from; at < interval.to; ++at)
        is_in[static_cast<std::size_t>(at)] = true;
      if (added % 2 == 1) {
        const Interval removed = drawn();
        set.remove(removed);
        for (std::int64_t at = removed.from; at < removed.to; ++at)
          is_in[static_cast<std::size_t>(at)] = false;
      }
      const Interval asked = drawn();
      std::vector<bool> is_missing(40);
      for (const Interval& part : set.missing(asked)) {
        EXPECT_FALSE(part.is_empty());
        for (std::int64_t at = part.from; at < part.to; ++at) is_missing[static_cast<std::size_t>(at)] = true;
      }
      for (std::int64_t at = 0; at < 40; ++at) {
        const bool is_asked = at >= asked.from && at < asked.to;
        EXPECT_EQ(is_missing[static_cast<std::size_t>(at)], is_asked && !is_in[static_cast<std::size_t>(at)]);
      }
      std::vector<bool> is_there(40);
      for (const Interval& part : set.within(asked)) {
        EXPECT_FALSE(part.is_empty());
        for (std::int64_t at = part.from; at < part.to; ++at) is_there[static_cast<std::size_t>(at)] = true;
      }
      for (std::int64_t at = 0; at < 40; ++at) {
        const bool is_asked = at >= asked.from && at < asked.to;
        EXPECT_EQ(is_there[static_cast<std::size_t>(at)], is_asked && is_in[static_cast<std::size_t>(at)]);
      }
    }
  }
}

}  // namespace
}  // namespace hoist::tasks
