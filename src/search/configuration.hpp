#pragma once
// What search works on: configurations, which mean something to their space alone, and what became of them.
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace hoist::search {

/// The choices that make one configuration, as numbers that the space understands. Two configurations of a
/// space may differ in length: the first number can be the derivation whose open sizes the others are.
using Configuration = std::vector<std::int64_t>;

struct ConfigurationHash {
  std::size_t operator()(const Configuration& configuration) const;
};

/// Why a configuration has no time.
enum class FailureKind { DoesNotFit, Compile, Run, Timeout, WrongResult };
std::string_view name_of(FailureKind failure);

struct Outcome {
  std::optional<double> seconds;           ///< the time that is minimised; nothing where it failed
  double spread = 0;                       ///< standard deviation of the single runs, in seconds
  FailureKind failure = FailureKind::Run;  ///< where there is no time
  double cost = 0;                         ///< seconds that finding out took: compiling, running, checking
  /// Of configurations in parts that are timed apart (side_by_side.hpp): the time of each part.
  std::vector<double> part_seconds = {};
  double build_seconds = 0;  ///< of the cost: compiling, where that is told apart

  static Outcome of_time(double seconds, double cost) { return {seconds, 0, FailureKind::Run, cost, {}, 0}; }
  static Outcome of_failure(FailureKind failure, double cost) {
    return {std::nullopt, 0, failure, cost, {}, 0};
  }
};

/// A configuration and what became of it.
struct Trial {
  Configuration configuration;
  Outcome outcome;
};

}  // namespace hoist::search
