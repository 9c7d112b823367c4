#pragma once
// Candidates in the order of their predicted speed.
#include <functional>
#include <optional>
#include <vector>

#include "model/model.hpp"
#include "variants/variants.hpp"

namespace hoist::predict {

struct Ranked {
  variants::CandidateId id;
  double log_seconds = 0;  ///< predicted, but for a number that is the same for all
  double deviation = 0;
  std::uint64_t kind = 0;   ///< variants::Variants::kind
  bool is_outside = false;  ///< it has a feature outside the range that the model has seen
};

/// How many candidates are ranked where nobody says how many.
inline constexpr std::size_t usual_ranking = 10000;

struct RankingOptions {
  /// Candidates; of a larger set a sample (Variants::sample_likely), and where most of it is slow neighbours
  /// of the fastest.
  std::size_t most = usual_ranking;
  std::uint64_t seed = 1;
  std::size_t threads = 1;
  std::function<void(std::size_t done, std::size_t all)> progress = {};
  /// Whether this share of the time for all, 0 to 1, is over: no more candidates are looked at for it.
  std::function<bool(double share)> is_over = {};
};
struct Ranking {
  std::vector<Ranked> candidates;  ///< the fastest first, without those that are discarded
  model::Population population;    ///< of them; without numbers where there are none
};
/// The variants must have features. Errors: the model's.
Result<Ranking> rank(const variants::Variants& variants, const model::Model& model,
                     const lower::Options& lowering, const RankingOptions& options);

/// What the model thinks of other candidates, in their order, beside those of a ranking, which must not be
/// empty; nothing of those that are discarded. Looks at them with so many threads. Errors: the model's.
Result<std::vector<std::optional<Ranked>>> predict(const variants::Variants& variants,
                                                   const model::Model& model,
                                                   const model::Population& population,
                                                   const std::vector<variants::CandidateId>& candidates,
                                                   const lower::Options& lowering, std::size_t threads);

}  // namespace hoist::predict
