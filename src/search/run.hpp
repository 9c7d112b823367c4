#pragma once
// A search from its first batch to its end: the strategy proposes, the objective finds out, the budget says
// when it is over.
#include <functional>
#include <limits>
#include <span>
#include <string>

#include "search/strategy.hpp"

namespace hoist::search {

/// What becomes of configurations; as many as asked for, in their order. Fewer: it was interrupted, and the
/// search ends.
using Objective = std::function<std::vector<Trial>(std::span<const Configuration>)>;

/// A search ends with the first that is used up.
struct Budget {
  double seconds = std::numeric_limits<double>::infinity();  ///< of trials' costs and of proposing
  std::size_t evaluations = std::numeric_limits<std::size_t>::max();
  double chance = 0;  ///< ends when a better one is less likely than that, see chance_of_better
  std::size_t batch = 1;
};

enum class Ending { Seconds, Evaluations, Chance, Exhausted, Interrupted };
std::string_view name_of(Ending ending);

struct RunResult {
  Ending ending = Ending::Exhausted;
  std::size_t evaluations = 0;
  double cost = 0;       ///< seconds of all trials
  double proposing = 0;  ///< seconds that the strategy took
};

/// Runs a strategy, which may know earlier trials; the budget is for new ones.
RunResult run(Strategy& strategy, const Objective& objective, const Budget& budget);

/// The chance that the next trial is more than `margin` (0.01: one percent) faster than the best so far,
/// estimated of the trials alone, whatever proposed them. The larger of two estimates, so that neither ends a
/// search too early:
/// - the latest trials' fastest quarter, by how far they are below a threshold, as a generalised Pareto
/// distribution that is
///   fitted by probability-weighted moments (Hosking and Wallis, Technometrics 29, 1987); its tail behind the
///   best;
/// - Laplace's rule of succession: 1 / (m + 2) after m trials without a better one.
/// 1 before there is enough to tell.
double chance_of_better(std::span<const Trial> trials, double margin = 0.01);

}  // namespace hoist::search
