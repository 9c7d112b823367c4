#pragma once
// Configurations of several kinds, of which one will turn out to be the best: each kind is searched by a
// strategy of its own, in turns, and those that fall behind are given up.
#include <memory>
#include <vector>

#include "search/strategy.hpp"

namespace hoist::search {

/// A configuration of the space is the number of its kind, then what that kind's strategy proposes. The kind
/// with the best so far has every second turn; another goes on while its best comes near enough, nearer with
/// each of its trials.
std::unique_ptr<Strategy> make_race(const Space& space, std::vector<std::unique_ptr<Strategy>> kinds,
                                    const StrategyOptions& options);

}  // namespace hoist::search
