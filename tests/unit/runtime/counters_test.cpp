// Counting events of all threads of this process. Many machines have no counters of their own, so that events
// which every Linux counts stand for them.
#include "runtime/counters.hpp"

#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/mman.h>

#include <latch>
#include <thread>

#include "base/stopwatch.hpp"
#include "support/sanitized.hpp"

namespace hoist::runtime {
namespace {

constexpr CounterEvent clock_of_tasks{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK};
constexpr CounterEvent page_faults{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS};
constexpr CounterEvent unknown{12345, 0};

void work(double seconds) {
  const double start = processor_seconds_of_thread();
  while (processor_seconds_of_thread() - start < seconds) {
  }
}

/// So many pages that nobody has touched.
void touch(std::size_t pages) {
  constexpr std::size_t page = 4096;
  void* const memory =
      mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, pages * page, MADV_NOHUGEPAGE);
  for (std::size_t at = 0; at < pages; ++at) static_cast<volatile char*>(memory)[at * page] = 1;
  munmap(memory, pages * page);
}

TEST(Counters, AreOfAllThreadsThoseThatBeginLaterToo) {
  constexpr std::size_t pages = 2000;
  std::latch begun(1);
  std::thread earlier([&] {
    begun.wait();
    touch(pages);
  });
  const auto counters = Counters::begin({{page_faults, clock_of_tasks}, {unknown, clock_of_tasks}});
  begun.count_down();
  if (!counters) {
    earlier.join();
    GTEST_SKIP() << counters.error().render();
  }
  std::thread later([] { touch(pages); });
  touch(pages);
  earlier.join();
  later.join();
  const auto counts = counters->counts();
  ASSERT_EQ(counts.size(), 2U);
  ASSERT_TRUE(counts[0]);
  EXPECT_GE(counts[0]->part, 3 * pages);
  EXPECT_LE(counts[0]->part, (is_sanitized ? 30 : 3) * pages + 500) << "sanitizers touch memory of their own";
  EXPECT_GT(counts[0]->whole, 1e5) << "nanoseconds";
  EXPECT_FALSE(counts[1]) << "no system has this event";
}

TEST(Counters, WhatNobodyCountsIsAnError) {
  const auto none = Counters::begin({{unknown, clock_of_tasks}});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::Unsupported);
  EXPECT_NE(none.error().render().find("counts nothing"), std::string::npos) << none.error().render();
}

TEST(Counters, AreSharesWhereTheProcessorHasAny) {
  const auto counters = Counters::begin();
  if (!counters) GTEST_SKIP() << counters.error().render();
  work(0.01);
  const CounterRates rates = counters->rates();
  for (const auto& share : {rates.branch_miss_rate, rates.l1_miss_rate, rates.l2_miss_rate}) {
    if (!share) continue;
    EXPECT_GE(*share, 0);
    EXPECT_LE(*share, 1);
  }
  EXPECT_GT(rates.cycles_per_instruction.value_or(1), 0.1);
}

}  // namespace
}  // namespace hoist::runtime
