// Commands of random queues on one memory: whatever conflicts is ordered.
#include "execute/access_log.hpp"

#include <gtest/gtest.h>

#include <array>

#include "base/random.hpp"

namespace hoist::execute {
namespace {

using tasks::Region;

/// A command that knows its number.
class Numbered final : public runtime::Event::Command {
 public:
  explicit Numbered(std::size_t which) : number(which) {}
  bool has_ended() override { return false; }
  Result<runtime::Times> wait() override { return runtime::Times{}; }
  const std::size_t number;
};

struct Given {
  Region elements;
  bool is_write;
  std::size_t queue;
  std::vector<bool> before;  ///< by number: what ends before it begins
};

Region random_region(Random& random) {
  const auto interval = [&](std::uint64_t all, std::uint64_t most) -> tasks::Interval {
    const auto from = static_cast<std::int64_t>(random.below(all));
    return {from, from + static_cast<std::int64_t>(random.below(most))};
  };
  return {interval(20, 8), interval(4, 4)};
}

TEST(AccessLog, WhatConflictsIsOrdered) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    AccessLog log;
    const std::array<char, 3> queues{};
    std::vector<Given> all;
    for (std::size_t number = 0; number < 60; ++number) {
      Given next{random_region(random), random.below(2) == 0, random.below(queues.size()), {}};
      next.before.resize(60);
      const auto come_after = [&](std::size_t earlier) {
        next.before[earlier] = true;
        for (std::size_t each = 0; each < earlier; ++each)
          next.before[each] = next.before[each] || all[earlier].before[each];
      };
      for (std::size_t earlier = 0; earlier < number; ++earlier) {
        if (all[earlier].queue == next.queue) come_after(earlier);
      }
      std::vector<runtime::Event> after;
      log.add_conflicts(next.elements, next.is_write, &queues[next.queue], after);
      for (const runtime::Event& each : after) {
        const auto& command = dynamic_cast<const Numbered&>(*each.command());
        const Given& earlier = all[command.number];
        EXPECT_TRUE(tasks::intersects(earlier.elements, next.elements)) << "nothing is waited for in vain";
        EXPECT_TRUE(earlier.is_write || next.is_write);
        come_after(command.number);
      }
      for (std::size_t earlier = 0; earlier < number; ++earlier) {
        if ((all[earlier].is_write || next.is_write) &&
            tasks::intersects(all[earlier].elements, next.elements)) {
          EXPECT_TRUE(next.before[earlier]) << number << " may run beside " << earlier;
        }
      }
      log.add(next.elements, next.is_write, &queues[next.queue],
              runtime::Event(std::make_shared<Numbered>(number)));
      all.push_back(std::move(next));
    }
  }
}

}  // namespace
}  // namespace hoist::execute
