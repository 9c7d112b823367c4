#pragma once
// Looking at many candidates by several threads.
#include <functional>
#include <vector>

#include "variants/variants.hpp"

namespace hoist::variants {

/// How the candidates of a set are made by threads that share its terms, and make none in its arena.
struct CandidateMaker {
  /// Asked by one thread at a time: counting may remember.
  std::function<driver::NamedSizes(const CandidateId&)> values;
  /// Asked by several, each in an arena of its own.
  std::function<CandidateFacts(const CandidateId&, const driver::NamedSizes& values)> facts;
};

/// Shares candidates out among threads (fork-join), those of one derivation after each other. Facts are in
/// the order of the ids.
std::vector<CandidateFacts> look_at_all(const std::vector<CandidateId>& ids, const CandidateMaker& maker,
                                        std::size_t threads);

}  // namespace hoist::variants
