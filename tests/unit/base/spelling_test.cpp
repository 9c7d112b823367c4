#include "base/spelling.hpp"

#include <gtest/gtest.h>

#include <string>

namespace hoist {
namespace {

TEST(Spelling, CountsSlips) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("map", ""), 3U);
  EXPECT_EQ(edit_distance("", "map"), 3U);
  EXPECT_EQ(edit_distance("map", "mapp"), 1U);
  EXPECT_EQ(edit_distance("split", "spilt"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("ab", "ba"), 1U);
  // No part is edited twice: "ca" to "ac" to "abc" is no way.
  EXPECT_EQ(edit_distance("ca", "abc"), 3U);
}

TEST(Spelling, FindsWhatWasMeant) {
  EXPECT_EQ(closest("mpa", {"zip", "map", "pad"}, 1), "map");
  EXPECT_EQ(closest("m", {"N", "M"}, 1), "M");
  EXPECT_EQ(closest("reduceSqe", {"reduce", "reduceSeq", "reduceLcl"}, 3), "reduceSeq");
  EXPECT_EQ(closest("tale", {"tile", "take"}, 1), "take");
  EXPECT_EQ(closest("p.2", {"s", "p"}, 2), "p");
  EXPECT_EQ(closest("p.2", {"s", "p"}, 1), "");
  EXPECT_EQ(closest("q", {"N", "M"}, 1), "");
  EXPECT_EQ(closest("magic", {"random", "local"}, 1), "");
  EXPECT_EQ(closest("map", {}, 1), "");
  EXPECT_EQ(closest("map", {""}, 3), "");
  EXPECT_EQ(closest(std::string(1000, 'a'), {std::string(1000, 'a')}, 1), "");
}

}  // namespace
}  // namespace hoist
