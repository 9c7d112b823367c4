#pragma once
// What a search that learns as it goes would have needed on candidates that were measured: the baseline that
// a model of speed, which ranks before anything is measured, has to beat.
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "model/evaluate.hpp"
#include "search/configuration.hpp"

namespace hoist::predict {

/// The choices of candidates, given by their rows, as a search sees them: a number for each step that a
/// derivation may have and for each parameter's value or, where values are not known, for each feature that
/// they show in (docs/model.md). All different: those that are alike are numbered in the last place.
std::vector<search::Configuration> choices_of(const model::Dataset& dataset,
                                              const std::vector<std::uint32_t>& rows);

struct SearchEvaluation {
  std::string strategy;                 ///< of search::all_strategies()
  std::size_t searches = 0;             ///< of each task, each with a seed of its own
  std::uint64_t seed = 0;               ///< of the first
  std::vector<model::TaskCosts> tasks;  ///< means over the searches
  model::CostSummary summary;
};
/// Searches the recorded candidates of these tasks until the best of each is found; `searches` is not 0.
/// Tasks in which nothing ran are left out. User error: no such strategy.
Result<SearchEvaluation> evaluate_search(const std::string& strategy, const model::Dataset& dataset,
                                         const std::vector<model::Task>& tasks, std::size_t searches,
                                         std::uint64_t seed);

nlohmann::json to_json(const SearchEvaluation& evaluation);

}  // namespace hoist::predict
