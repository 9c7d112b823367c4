// Sets of rectangles against sets of their elements.
#include "tasks/region.hpp"

#include <gtest/gtest.h>

#include <set>

#include "base/random.hpp"

namespace hoist::tasks {
namespace {

using Elements = std::set<std::pair<std::int64_t, std::int64_t>>;

Elements elements_of(const std::vector<Region>& regions) {
  Elements result;
  for (const Region& each : regions) {
    EXPECT_FALSE(each.is_empty());
    for (std::int64_t row = each.rows.from; row < each.rows.to; ++row) {
      for (std::int64_t column = each.columns.from; column < each.columns.to; ++column)
        EXPECT_TRUE(result.insert({row, column}).second) << "parts have an element in common";
    }
  }
  return result;
}

Elements elements_of(const Region& region) {
  return region.is_empty() ? Elements() : elements_of(std::vector<Region>{region});
}

Region random_region(Random& random) {
  const auto interval = [&]() -> Interval {
    const auto from = static_cast<std::int64_t>(random.below(12));
    return {from, from + static_cast<std::int64_t>(random.below(6))};
  };
  return {interval(), interval()};
}

TEST(Region, HullsAndIntersections) {
  const Region a{{0, 4}, {2, 6}}, b{{3, 5}, {0, 3}}, none{{2, 2}, {0, 9}};
  EXPECT_EQ(hull(a, b), (Region{{0, 5}, {0, 6}}));
  EXPECT_EQ(hull(a, none), a);
  EXPECT_EQ(intersection(a, b), (Region{{3, 4}, {2, 3}}));
  EXPECT_FALSE(intersects(a, none));
  EXPECT_TRUE(a.contains(none));
  EXPECT_EQ(a.area(), 16);
  EXPECT_EQ((Region{{3, 8}}), (Region{{3, 8}, {0, 1}})) << "an interval has one column";
}

TEST(RegionSet, IsASetOfElements) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    RegionSet set;
    Elements expected;
    for (int change = 0; change < 12; ++change) {
      const Region region = random_region(random);
      const bool is_added = random.below(3) > 0;
      is_added ? set.add(region) : set.remove(region);
      for (const auto& each : elements_of(region))
        is_added ? static_cast<void>(expected.insert(each)) : static_cast<void>(expected.erase(each));
      const Region asked = random_region(random);
      Elements within, missing;
      for (const auto& each : elements_of(asked)) (expected.contains(each) ? within : missing).insert(each);
      ASSERT_EQ(elements_of(set.within(asked)), within);
      ASSERT_EQ(elements_of(set.missing(asked)), missing);
      ASSERT_EQ(set.is_empty(), expected.empty());
    }
  }
}

TEST(RegionSet, HasAsFewPartsAsItCan) {
  RegionSet set;
  for (std::int64_t row = 0; row < 8; ++row) {
    for (std::int64_t column = 0; column < 8; ++column) set.add({{row, row + 1}, {column, column + 1}});
  }
  EXPECT_EQ(set.within({{0, 8}, {0, 8}}), (std::vector<Region>{{{0, 8}, {0, 8}}}));
  // The columns beside a hole are whole again above and below it.
  set.remove({{3, 5}, {3, 5}});
  EXPECT_EQ(set.within({{0, 8}, {0, 3}}), (std::vector<Region>{{{0, 8}, {0, 3}}}));
  EXPECT_EQ(set.missing({{0, 8}, {0, 8}}), (std::vector<Region>{{{3, 5}, {3, 5}}}));
}

}  // namespace
}  // namespace hoist::tasks
