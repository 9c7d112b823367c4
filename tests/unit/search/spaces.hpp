#pragma once
// Small spaces whose times are formulas.
#include <cmath>

#include "search/listed_space.hpp"
#include "search/run.hpp"

namespace hoist::search {

/// Four numbers below 8, of which the first two must not be both odd: 8^4 * 3/4 configurations.
inline std::vector<Configuration> bowl_configurations() {
  std::vector<Configuration> all;
  for (std::int64_t i = 0; i < 8 * 8 * 8 * 8; ++i) {
    const Configuration each{i / 512, i / 64 % 8, i / 8 % 8, i % 8};
    if (each[0] % 2 == 0 || each[1] % 2 == 0) all.push_back(each);
  }
  return all;
}

inline const Configuration bowl_optimum{4, 2, 5, 3};

/// Smooth, with one optimum: the farther from it the slower.
inline double bowl_seconds(const Configuration& configuration) {
  double squares = 0;
  for (std::size_t i = 0; i < bowl_optimum.size(); ++i)
    squares += std::pow(configuration[i] - bowl_optimum[i], 2);
  return 1e-3 * (1 + 0.1 * squares);
}

/// Where the last two numbers are both large nothing runs.
inline Outcome bowl_outcome(const Configuration& configuration) {
  if (configuration[2] + configuration[3] > 11) return Outcome::of_failure(FailureKind::Run, 0.5);
  return Outcome::of_time(bowl_seconds(configuration), 1);
}

inline std::vector<Trial> bowl_trials(std::span<const Configuration> configurations) {
  std::vector<Trial> trials;
  for (const Configuration& each : configurations) trials.push_back({each, bowl_outcome(each)});
  return trials;
}

}  // namespace hoist::search
