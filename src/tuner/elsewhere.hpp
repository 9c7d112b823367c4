#pragma once
// What the store has of a program on other devices and at other sizes, as a search takes it: the prior mean
// of each candidate that was tried there. Fast candidates are often fast elsewhere, too (transfer learning).
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "search/strategies.hpp"
#include "store/store.hpp"

namespace hoist::tuner {

struct Elsewhere {
  /// Each candidate once, the fastest first. Its log_seconds is the mean logarithm of its slowdown against
  /// the best of each task; the deviation is larger, the less the tasks are like this one.
  std::vector<search::Expected> expected;
  std::vector<std::string> tasks;  ///< that they were measured for: "NVIDIA H200 (cuda)", "... at N = 64"
};

/// Finds a candidate of another task among those of this one, by its derivation and its parameters; nothing
/// where it is none of them.
using FindCandidate = std::function<std::optional<search::Configuration>(
    const std::vector<store::Step>& derivation, const store::NamedValues& parameters)>;

/// Reads the tasks of the same program that are nearest to this one: on devices of the same type rather than
/// on others, at sizes that differ little. Has the store's errors.
Result<Elsewhere> known_elsewhere(store::Store& store, const store::Task& task, const FindCandidate& find);

/// The rank correlation of what other tasks said of candidates with the seconds that were measured here,
/// which a note tells, too; nothing where that is of fewer than five.
std::optional<double> order_held(const std::vector<search::Expected>& said,
                                 const std::map<search::Configuration, double>& measured,
                                 std::vector<std::string>& notes);

}  // namespace hoist::tuner
