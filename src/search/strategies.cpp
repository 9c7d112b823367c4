#include "search/strategies.hpp"

#include <fmt/format.h>

namespace hoist::search {

const std::vector<StrategyEntry>& all_strategies() {
  static const std::vector<StrategyEntry> entries = {
      {"random", "at random, none twice", make_random},
      {"exhaustive", "all, in the order of the space", make_exhaustive},
      {"local", "to better neighbours until there is none, then from another place", make_local_search},
      {"annealing", "to neighbours, worse ones too while it is hot", make_annealing},
      {"genetic", "children of good ones that mix their parents' choices", make_genetic},
      {"model", "where a model of what was measured so far expects most", make_model_guided},
      {"bandit", "the budget to those of the others that found most lately", make_bandit},
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
