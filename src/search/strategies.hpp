#pragma once
// The strategies that there are.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "search/strategy.hpp"

namespace hoist::search {

/// A strategy's name and one line about it, for --help and the documentation.
struct StrategyEntry {
  std::string name, documentation;
  std::unique_ptr<Strategy> (*make)(const Space& space, const StrategyOptions& options);
};
const std::vector<StrategyEntry>& all_strategies();
/// The name of the one that is used where none is named.
std::string_view default_strategy();
/// User error: no such name.
Result<std::unique_ptr<Strategy>> make_strategy(const std::string& name, const Space& space,
                                                const StrategyOptions& options);

std::unique_ptr<Strategy> make_random(const Space& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_exhaustive(const Space& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_local_search(const Space& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_annealing(const Space& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_genetic(const Space& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_model_guided(const Space& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_bandit(const Space& space, const StrategyOptions& options);

/// What is thought of a configuration before anything of its task is measured.
struct Expected {
  Configuration configuration;
  double log_seconds = 0;  ///< but for a number that is the same for all
  double deviation = 0;    ///< what that may be wrong by
  std::uint64_t kind = 0;  ///< of the same number where errors are likely the same
};
/// What is thought of configurations that nothing is known of so far, in their order; nothing of those that
/// cannot be tried.
using Expectations =
    std::function<std::vector<std::optional<Expected>>(const std::vector<Configuration>& configurations)>;
/// The fastest expected first. What is measured corrects what is expected of the others: a surrogate learns
/// the errors. Early among what is tried are the fastest of each kind. `expected` may be a sample of the
/// space: neighbours of the fastest are tried, too, as `expect` thinks of them; without it, what is thought
/// of the fastest is thought of them, and of some drawn at random.
std::unique_ptr<Strategy> make_predicted(const Space& space, std::vector<Expected> expected,
                                         const StrategyOptions& options, Expectations expect = {});

/// Proposes the configurations of a list in its order, then the others at random. It tells what an order that
/// was made elsewhere is worth.
std::unique_ptr<Strategy> make_ordered(const Space& space, std::vector<Configuration> order,
                                       std::uint64_t seed);

}  // namespace hoist::search
