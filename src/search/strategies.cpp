#include "search/strategies.hpp"

#include <fmt/format.h>

namespace hoist::search {

const std::vector<StrategyEntry>& all_strategies() {
  static const std::vector<StrategyEntry> entries = {
      {"random", "draws configurations at random, none twice", make_random},
      {"exhaustive", "tries all configurations, in the order of the space", make_exhaustive},
      {"local", "moves to better neighbours until no neighbour is better, then starts elsewhere",
       make_local_search},
      {"annealing", "moves to neighbours, to slower ones too while the temperature is high", make_annealing},
      {"genetic", "combines the values of two good configurations, and changes some", make_genetic},
      {"model", "tries where a surrogate model of the measurements expects most improvement",
       make_model_guided},
      {"bandit", "gives the budget to the strategies above that found most lately", make_bandit},
  };
  return entries;
}

std::string_view default_strategy() { return "model"; }

Result<std::unique_ptr<Strategy>> make_strategy(const std::string& name, const Space& space,
                                                const StrategyOptions& options) {
  std::string names;
  for (const StrategyEntry& entry : all_strategies()) {
    if (entry.name == name) return entry.make(space, options);
    names += (names.empty() ? "" : ", ") + entry.name;
  }
  return user_error(fmt::format("there is no search strategy '{}'", name), {}, "the strategies are " + names);
}

}  // namespace hoist::search
