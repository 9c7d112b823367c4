#include <gmock/gmock.h>

#include "search/listed_space.hpp"

namespace hoist::search {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

const ListedSpace space(std::vector<Configuration>{
    {1, 0, 7}, {2, 0, 7}, {8, 0, 7}, {2, 1, 7}, {8, 1, 7}, {2, 5, 7}});

TEST(ListedSpace, NeighboursHaveTheNextValueThatIsThere) {
  EXPECT_THAT(space.neighbours({1, 0, 7}), UnorderedElementsAre(Configuration{2, 0, 7}));
  EXPECT_THAT(space.neighbours({2, 0, 7}),
              UnorderedElementsAre(Configuration{1, 0, 7}, Configuration{8, 0, 7}, Configuration{2, 1, 7}));
  EXPECT_THAT(space.neighbours({8, 1, 7}),
              UnorderedElementsAre(Configuration{2, 1, 7}, Configuration{8, 0, 7}));
}

TEST(ListedSpace, FeaturesAreTheStandingOfWhatVaries) {
  EXPECT_THAT(space.features({1, 0, 7}), ElementsAre(0, 0));
  EXPECT_THAT(space.features({2, 1, 7}), ElementsAre(0.5, 0.5));
  EXPECT_THAT(space.features({8, 5, 7}), ElementsAre(1, 1));
}

TEST(ListedSpace, KnowsRanksAndWhatItContains) {
  EXPECT_EQ(space.size(), 6U);
  EXPECT_EQ(space.rank(space.at(4)), 4U);
  EXPECT_FALSE(space.contains({1, 1, 7}));
}

}  // namespace
}  // namespace hoist::search
