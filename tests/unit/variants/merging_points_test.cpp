// Configurations of merged work-items as numbers: how many there are, and which.
#include "variants/merging_points.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "base/random.hpp"

namespace hoist::variants {
namespace {

using testing::ElementsAre;
using Lengths = std::array<std::int64_t, 3>;
using Values = std::array<std::int64_t, 12>;

constexpr MergingRestrictions both[] = {MergingRestrictions::None, MergingRestrictions::AsPublished};

/// Every configuration that the paper's section 4.7 allows, by trying all.
std::set<Values> all_of(const Lengths& lengths, MergingRestrictions restrictions) {
  const bool restricted = restrictions == MergingRestrictions::AsPublished;
  const auto powers = [](std::int64_t most) {
    std::vector<std::int64_t> all;
    for (std::int64_t value = 1; value <= most; value *= 2) all.push_back(value);
    return all;
  };
  std::set<Values> found;
  for (std::size_t code = 0; code < 4; ++code) {
    for (const std::int64_t width : powers(16)) {
      std::vector<Values> partial{{1, 1, 1, 1, 1, 1, 1, 1, 1, width, static_cast<std::int64_t>(code % 2),
                                   static_cast<std::int64_t>(code / 2)}};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        std::vector<Values> next;
        for (const Values& each : partial) {
          for (const std::int64_t w : powers(lengths[axis])) {
            for (const std::int64_t b : powers(lengths[axis])) {
              for (const std::int64_t c : powers(lengths[axis])) {
                if (w * b * c > lengths[axis] || (axis == 0 && width > b)) continue;
                if (restricted && b != (axis == 0 ? width : 1)) continue;
                Values with = each;
                with[axis] = w;
                with[3 + axis] = b;
                with[6 + axis] = c;
                next.push_back(with);
              }
            }
          }
        }
        partial = std::move(next);
      }
      const std::size_t used = (width > 1 ? 1 : 0) + code % 2 + code / 2;
      if (restricted && used > 1) continue;
      found.insert(partial.begin(), partial.end());
    }
  }
  return found;
}

TEST(MergingPoints, AreAsManyAsThePaperHas) {
  EXPECT_EQ(MergingPoints({256, 256, 256}, MergingRestrictions::AsPublished).count(), 475875U);
  EXPECT_EQ(MergingPoints({256, 256, 256}, MergingRestrictions::None).count(), 50094000U);
}

TEST(MergingPoints, AreThoseThatTryingAllFinds) {
  for (const Lengths& lengths : {Lengths{8, 4, 2}, Lengths{7, 3, 1}, Lengths{1, 1, 1}, Lengths{17, 1, 1},
                                 Lengths{5, 6, 3}, Lengths{33, 2, 1}}) {
    for (const MergingRestrictions restrictions : both) {
      const MergingPoints points(lengths, restrictions);
      const std::set<Values> expected = all_of(lengths, restrictions);
      EXPECT_EQ(points.count(), expected.size());
      std::set<Values> found;
      for (std::size_t technique = 0; technique < points.techniques().size(); ++technique) {
        for (std::uint64_t rank = 0; rank < points.count(technique); ++rank) {
          const Values values = values_of(points.at(technique, rank));
          found.insert(values);
          const auto place = points.find(values);
          ASSERT_TRUE(place);
          EXPECT_EQ(*place, (MergingPoints::Place{technique, rank}));
        }
      }
      EXPECT_EQ(found, expected);
    }
  }
}

TEST(MergingPoints, AreFoundByTheirValuesAlone) {
  const MergingPoints points({256, 256, 256}, MergingRestrictions::None);
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const std::size_t technique = random.below(points.techniques().size());
    const std::uint64_t rank = random.below(points.count(technique));
    const MergingConfiguration configuration = points.at(technique, rank);
    EXPECT_EQ(points.find(values_of(configuration)), (MergingPoints::Place{technique, rank}));
    for (std::size_t axis = 0; axis < 3; ++axis)
      EXPECT_LE(configuration.items[axis] * configuration.blocks[axis] * configuration.cyclic[axis], 256);
    EXPECT_LE(configuration.width, configuration.blocks[0]);
    Values broken = values_of(configuration);
    broken[random.below(9)] *= 512;
    EXPECT_FALSE(points.find(broken));
    broken = values_of(configuration);
    broken[random.below(10)] = 3;
    EXPECT_FALSE(points.find(broken));
    broken = values_of(configuration);
    broken[10 + random.below(2)] = 2;
    EXPECT_FALSE(points.find(broken));
  }
}

TEST(MergingPoints, SayWhatValuesThereAre) {
  const MergingPoints points({60, 61, 62}, MergingRestrictions::AsPublished);
  EXPECT_THAT(points.values(0), ElementsAre(1, 2, 4, 8, 16, 32));
  EXPECT_THAT(points.values(3), ElementsAre(1, 2, 4, 8, 16));
  EXPECT_THAT(points.values(4), ElementsAre(1));
  EXPECT_THAT(points.values(9), ElementsAre(1, 2, 4, 8, 16));
  EXPECT_THAT(points.values(10), ElementsAre(0, 1));
  EXPECT_THAT(MergingPoints({64, 64, 1}, MergingRestrictions::None).values(2), ElementsAre(1));
}

TEST(MergingPoints, MayBeBounded) {
  const MergingPoints points({256, 256, 256}, MergingRestrictions::AsPublished,
                             [](std::string_view name, std::int64_t value) {
                               return name == "IMAGE" ? value == 0 : name != "WX" || value == 32;
                             });
  EXPECT_THAT(points.values(0), ElementsAre(32));
  EXPECT_THAT(points.values(11), ElementsAre(0));
  // Of global and local memory CX is up to 8; of vectors of 2, 4 and 8 up to 4, 2 and 1.
  EXPECT_EQ(points.count(), 45U * 45U * (4 + 4 + 3 + 2 + 1));
}

}  // namespace
}  // namespace hoist::variants
