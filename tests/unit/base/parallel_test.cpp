#include "base/parallel.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace hoist {
namespace {

TEST(ShareOut, HandsOutEachNumberOnce) {
  for (const std::size_t threads : {1U, 3U, 200U}) {
    std::vector<std::atomic<int>> times(100);
    share_out(times.size(), threads, [&](const auto& next) {
      while (const auto number = next()) ++times[*number];
    });
    for (const auto& each : times) EXPECT_EQ(each, 1) << threads << " threads";
  }
}

TEST(ShareOut, RunsNothingWhereThereIsNothing) {
  share_out(0, 4, [](const auto&) { FAIL(); });
}

TEST(ShareOut, ThrowsWhatAThreadThrows) {
  const auto run = [] {
    share_out(50, 3, [](const auto& next) {
      while (const auto number = next()) {
        if (*number == 7) throw std::runtime_error("seven");
      }
    });
  };
  EXPECT_THROW(run(), std::runtime_error);
}

}  // namespace
}  // namespace hoist
