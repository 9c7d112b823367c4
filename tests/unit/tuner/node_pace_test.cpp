// Nodes that are slower than their kind, by what several timed.
#include "tuner/node_pace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hoist::tuner {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string on(const std::string& host) { return R"({"host":")" + host + R"(","devices":"cuda:0"})"; }

/// Each candidate once on each node, which takes so many times as long as it should.
std::vector<store::TimeOnNode> times(const std::vector<std::pair<std::string, double>>& nodes,
                                     int candidates) {
  std::vector<store::TimeOnNode> list;
  for (int number = 1; number <= candidates; ++number) {
    for (const auto& [host, factor] : nodes)
      list.push_back({store::CandidateId{number}, on(host), factor * 1e-3 * number});
  }
  return list;
}

TEST(NodePace, ANodeHasAName) {
  EXPECT_EQ(node_of(R"({"host":"node17","devices":"cuda:0, cuda:1"})"), "node17 (cuda:0, cuda:1)");
  EXPECT_EQ(node_of(R"({"host":"node17","devices":"cuda:0","visible_devices":"3"})"), "node17 (cuda:0 of 3)");
  EXPECT_EQ(node_of(R"({"host":"node17"})"), "node17") << "of an older Hoist";
  for (const char* none : {"{}", "", "[1]", R"({"host":7})"}) EXPECT_EQ(node_of(none), "") << none;
}

TEST(NodePace, TheSlowOneIsNamed) {
  const auto slow = slow_nodes(times({{"a", 1.0}, {"b", 1.3}, {"c", 1.02}}, 5));
  ASSERT_THAT(slow, SizeIs(1));
  EXPECT_EQ(to_string(slow[0]),
            "b (cuda:0) takes 1.29 times as long as others of its kind, by 5 candidates that both timed");
}

TEST(NodePace, TheSlowestComesFirst) {
  const auto slow = slow_nodes(times({{"a", 1.0}, {"b", 1.3}, {"c", 1.0}, {"d", 2.0}, {"e", 1.0}}, 4));
  ASSERT_THAT(slow, SizeIs(2));
  EXPECT_EQ(slow[0].node, "d (cuda:0)");
  EXPECT_EQ(slow[1].node, "b (cuda:0)");
}

TEST(NodePace, NoiseIsNoPace) {
  EXPECT_THAT(slow_nodes(times({{"a", 1.0}, {"b", 1.09}}, 9)), IsEmpty()) << "it is too little";
  EXPECT_THAT(slow_nodes(times({{"a", 1.0}, {"b", 3.0}}, 2)), IsEmpty()) << "they are too few";
  EXPECT_THAT(slow_nodes(times({{"a", 1.0}}, 9)), IsEmpty()) << "it is alone";
  // Half of the candidates say the one, half the other.
  std::vector<store::TimeOnNode> mixed = times({{"a", 1.0}, {"b", 1.3}}, 4);
  for (const store::TimeOnNode& each : times({{"a", 1.3}, {"b", 1.0}}, 8)) {
    if (each.candidate > store::CandidateId{4}) mixed.push_back(each);
  }
  EXPECT_THAT(slow_nodes(mixed), IsEmpty());
}

TEST(NodePace, ANodesOwnTimesAreHeldTogether) {
  std::vector<store::TimeOnNode> list = times({{"a", 1.0}, {"b", 1.5}}, 3);
  for (const store::TimeOnNode& each : times({{"b", 1.5}}, 3)) list.push_back(each);
  const auto slow = slow_nodes(list);
  ASSERT_THAT(slow, SizeIs(1));
  EXPECT_DOUBLE_EQ(slow[0].slowdown, 1.5);
}

}  // namespace
}  // namespace hoist::tuner
