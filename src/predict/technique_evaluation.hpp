#pragma once
// How well the loading technique of a stencil is predicted by what has not seen the stencil: the accuracies
// of Garvey and Abdelrahman (2018, section 8.2), for our classifier, for the paper's, and for what needs no
// learning.
#include <functional>
#include <nlohmann/json_fwd.hpp>

#include "predict/loading_technique.hpp"

namespace hoist::predict {

/// What is left out of learning, as a whole, when it is predicted.
enum class LeftOut : std::uint8_t {
  Stencil,  ///< with those that differ from it in their operations alone: nothing else tells them apart
  Pattern,  ///< all that have a stencil's pattern
  Dimensionality,  ///< all that lie in as many dimensions
};
inline constexpr std::array all_left_out = {LeftOut::Stencil, LeftOut::Pattern, LeftOut::Dimensionality};
/// "stencil", "pattern", "dimensionality".
std::string_view name_of(LeftOut left_out);

/// What one classifier chose for each of the stencils that were judged.
struct TechniqueJudgement {
  std::string classifier;
  /// In the order of the evaluation's stencils; none of what is no single choice: chance, and the oracle.
  std::vector<Technique> choices;
  double accuracy = 0;          ///< the share of stencils of which it chose the best technique
  double penalty_weighted = 0;  ///< the mean of the chosen technique's speed as a share of the best one's
  double least = 0;             ///< that share where it is the least
};
struct TechniqueEvaluation {
  LeftOut left_out{};
  Heuristic heuristic{};
  std::vector<const StencilRecord*> stencils;  ///< those of which a technique ran; of the table
  std::vector<TechniqueJudgement> judgements;
};

/// Ours, a random forest as Weka has it, by the paper's features, the technique that is the best one most
/// often, and chance. Of all heuristics of which the table has times of two stencils at least that are not
/// left out together. Errors: there is no such heuristic.
Result<std::vector<TechniqueEvaluation>> evaluate_techniques(const TechniqueTable& table, LeftOut left_out,
                                                             std::uint64_t seed);

/// With the choice of each stencil.
nlohmann::json to_json(const TechniqueEvaluation& evaluation);

}  // namespace hoist::predict
