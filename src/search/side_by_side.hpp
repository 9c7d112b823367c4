#pragma once
// Configurations in parts whose times add up and can be told apart, as the kernels of a program of several
// nests: each part is searched by a strategy of its own, all at the same time.
#include <functional>
#include <memory>
#include <vector>

#include "search/strategy.hpp"

namespace hoist::search {

struct SearchedPart {
  std::unique_ptr<Strategy> strategy;
  Configuration safe;  ///< one that does not fail, to try the others' beside
};

/// A trial is one of each part, and its outcome has their times (Outcome::part_seconds). Where a trial fails,
/// what was new in it is tried again by itself, so that the failure is blamed on the part that fails. What is
/// the fastest of each part is tried together as soon as that promises a better whole. A configuration of the
/// space is those of the parts one after the other; `split` takes it apart.
std::unique_ptr<Strategy> make_side_by_side(
    const Space& space, std::vector<SearchedPart> parts,
    std::function<std::vector<Configuration>(const Configuration&)> split, const StrategyOptions& options);

}  // namespace hoist::search
