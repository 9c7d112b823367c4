#pragma once
// Cross-validation: each example is predicted by a learner that has not seen it, nor what belongs to it.
#include <cstdint>
#include <vector>

#include "base/random.hpp"

namespace hoist::learn {

/// The places of the examples that are learned from, and of those that are predicted.
struct Fold {
  std::vector<std::uint32_t> seen, left_out;
};

/// So many folds, or fewer where there are fewer groups; each example is left out in one. `groups` says of
/// each example to what it belongs: a group is left out as a whole. Groups are dealt out at random.
std::vector<Fold> folds_of(const std::vector<std::uint32_t>& groups, std::uint32_t most, Random& random);

/// How many of the numbers differ.
std::size_t count_different(std::vector<std::uint32_t> numbers);

}  // namespace hoist::learn
