#pragma once
// How well the streams of programs are chosen by what has not learned from them: each program is left out of
// learning with all of its sizes, and with the programs of its group (Zhang et al., TPDS 2020, section 5.3).
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "predict/stream_choosers.hpp"

namespace hoist::predict {

/// What one chooser chose for each record of the table, and what that reaches.
struct StreamJudgement {
  std::string chooser;
  std::vector<StreamConfiguration> choices;  ///< in the order of the table
  std::vector<double> shares;                ///< of the best configuration's speed
  std::vector<double> speedups;              ///< over a single stream

  double mean_share() const;
  double least_share() const;
  double mean_speedup() const;  ///< geometric
  double least_speedup() const;
  /// Of how many records the choice is slower than a single stream by more than 2%.
  std::size_t slower_than_single() const;
};
/// A choice that is slower by less than this factor is taken for as fast: times are no more exact.
inline constexpr double slowdown_that_counts = 1.02;

struct StreamEvaluation {
  std::vector<StreamJudgement> judgements;  ///< in the order of the kinds; last the oracle
  /// Features that remain of the whole table when those that correlate with others are left out, with their
  /// shares of the variance of nine principal components, the greatest first.
  std::vector<std::pair<std::string, double>> importances;

  const StreamJudgement& of(std::string_view chooser) const;
};

/// Of the named choosers (all where none is named). `tell`, if there is one, is told how many of all programs
/// that are left out, of all choosers, are done; by one thread at a time. Errors: a name is not known; all
/// programs are one group, so that leaving it out leaves nothing to learn from; those of learning.
Result<StreamEvaluation> evaluate_streams(
    const StreamTable& table, const std::vector<std::string>& choosers, std::uint64_t seed,
    const std::function<void(std::size_t done, std::size_t all)>& tell = {});

/// With the choice of each record.
nlohmann::json to_json(const StreamEvaluation& evaluation, const StreamTable& table);

}  // namespace hoist::predict
