#include "measure/device_turn.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace hoist::measure {
namespace {

bool at_once() { return true; }

TEST(DeviceTurns, OneHasItAtATime) {
  DeviceTurn first("device_turn_test"), second("device_turn_test"), other("another device_turn_test");
  ASSERT_TRUE(first.take(at_once));
  EXPECT_FALSE(second.take(at_once));
  EXPECT_TRUE(other.take(at_once));
  first.give_back();
  EXPECT_TRUE(second.take(at_once));
  EXPECT_FALSE(first.take(at_once));
}

TEST(DeviceTurns, WhoWaitsGetsItWhenItIsGivenBack) {
  DeviceTurn first("device_turn_test"), second("device_turn_test");
  ASSERT_TRUE(first.take(at_once));
  std::atomic<bool> has_it = false;
  std::thread waiting([&] { has_it = second.take([] { return false; }); });
  EXPECT_FALSE(has_it);
  first.give_back();
  waiting.join();
  EXPECT_TRUE(has_it);
}

TEST(DeviceTurns, AProcessThatEndsDoesNotKeepIt) {
  const pid_t child = fork();
  if (child == 0) {
    DeviceTurn turn("device_turn_test");
    _exit(turn.take(at_once) ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  DeviceTurn turn("device_turn_test");
  EXPECT_TRUE(turn.take(at_once));
}

}  // namespace
}  // namespace hoist::measure
