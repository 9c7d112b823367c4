// Which tasks wait for which.
#include "execute/task_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

namespace hoist::execute {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(TaskOrder, ReadersWaitForTheWriterAndTheNextWriterForThem) {
  const TaskOrder order({{{}, {0}}, {{0}, {1}}, {{0}, {2}}, {{}, {0}}});
  EXPECT_THAT(order.after(0), IsEmpty());
  EXPECT_THAT(order.after(1), ElementsAre(0));
  EXPECT_THAT(order.after(2), ElementsAre(0));
  EXPECT_THAT(order.after(3), ElementsAre(1, 2)) << "and by them for the first";
  EXPECT_TRUE(order.precedes(0, 3));
  EXPECT_FALSE(order.precedes(1, 2));
  EXPECT_FALSE(order.precedes(3, 0));
  EXPECT_FALSE(order.precedes(2, 2));
}

TEST(TaskOrder, TasksThatOnlyReadDoNotWait) {
  const TaskOrder order({{{0}, {1}}, {{0}, {2}}, {{1, 2}, {3}}});
  EXPECT_THAT(order.after(1), IsEmpty());
  EXPECT_THAT(order.after(2), ElementsAre(0, 1));
}

TEST(TaskOrder, AWriterWaitsForTheLastWriter) {
  const TaskOrder order({{{}, {0}}, {{}, {0}}, {{0}, {0}}});
  EXPECT_THAT(order.after(1), ElementsAre(0));
  EXPECT_THAT(order.after(2), ElementsAre(1));
}

/// Each pair of tasks with a conflict is in order, each that is in order has a chain of conflicts.
TEST(TaskOrder, IsWhatConflictsDemandAndNoMore) {
  std::mt19937 random(7);
  const auto some = [&] {
    std::set<std::size_t> arrays;
    while (random() % 3 != 0) arrays.insert(random() % 5);
    return std::vector<std::size_t>(arrays.begin(), arrays.end());
  };
  for (int round = 0; round < 200; ++round) {
    std::vector<Accesses> tasks(1 + random() % 12);
    for (Accesses& each : tasks) each = {some(), some()};
    const auto meets = [](const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
      return std::any_of(a.begin(), a.end(),
                         [&](std::size_t x) { return std::find(b.begin(), b.end(), x) != b.end(); });
    };
    const TaskOrder order(tasks);
    std::vector<std::vector<bool>> reached(tasks.size(), std::vector<bool>(tasks.size()));
    for (std::size_t second = 0; second < tasks.size(); ++second) {
      for (std::size_t first = second; first-- > 0;) {
        const bool is_conflict = meets(tasks[first].written, tasks[second].read) ||
                                 meets(tasks[first].written, tasks[second].written) ||
                                 meets(tasks[first].read, tasks[second].written);
        bool is_reached = is_conflict;
        for (std::size_t middle = first + 1; middle < second; ++middle) {
          is_reached = is_reached || (reached[first][middle] && reached[middle][second]);
        }
        reached[first][second] = is_reached;
        EXPECT_EQ(order.precedes(first, second), is_reached) << first << " before " << second;
      }
      for (std::size_t one : order.after(second)) {
        for (std::size_t other : order.after(second)) EXPECT_FALSE(order.precedes(one, other));
      }
    }
  }
}

}  // namespace
}  // namespace hoist::execute
