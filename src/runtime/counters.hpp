#pragma once
// What the processor counts while this process works (Linux's perf_event_open). Many machines, virtual ones
// before all, have no counters.
#include <cstdint>
#include <optional>
#include <vector>

#include "base/error.hpp"

namespace hoist::runtime {

/// Shares of what was counted; nothing where the processor has no such counters.
struct CounterRates {
  std::optional<double> branch_miss_rate = {};  ///< mispredicted branches over all
  std::optional<double> l1_miss_rate = {};      ///< misses over reads of the first-level data cache
  std::optional<double> l2_miss_rate = {};  ///< of the last-level cache: the second has no event of its own
  std::optional<double> cycles_per_instruction = {};
};

/// An event as perf_event_open has it.
struct CounterEvent {
  std::uint32_t type = 0;
  std::uint64_t config = 0;
};
/// Two events, of which one is told by the other: they are counted at the same times.
struct CounterRatio {
  CounterEvent part, whole;
};

/// Counts events in all threads that this process has when it begins, and those that they start. It has two
/// open files for each thread and ratio, so it is for single runs.
class Counters {
 public:
  /// Begins to count. Unsupported: the system counts none of these, or not for this user, or this process may
  /// not have so many open files.
  static Result<Counters> begin(const std::vector<CounterRatio>& ratios);
  /// The same of the ratios that CounterRates are.
  static Result<Counters> begin();
  Counters(Counters&& other) noexcept;
  Counters& operator=(Counters&& other) noexcept;
  ~Counters();

  /// How often the two events of a ratio happened.
  struct Counts {
    double part = 0, whole = 0;
  };
  /// Of each ratio until now; nothing where it is not counted.
  std::vector<std::optional<Counts>> counts() const;
  /// Of the ratios that begin() without arguments has.
  CounterRates rates() const;

 private:
  struct Files {
    int part = -1, whole = -1;
  };
  Counters() = default;
  void close();

  std::vector<std::vector<Files>> files_;  ///< by ratio, of each thread
};

}  // namespace hoist::runtime
