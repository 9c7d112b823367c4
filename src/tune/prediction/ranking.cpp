#include "tune/prediction/ranking.hpp"

#include <algorithm>

namespace hoist::tune {

Result<std::vector<Ranked>> rank(const Exploration& exploration, const model::Model& model,
                                 const lower::Options& lowering, const RankingOptions& options) {
  // In portions, so that whoever waits sees them pass, and can end it.
  constexpr std::size_t portion = 2000;
  const std::vector<CandidateId> ids = exploration.sample(options.most, options.seed);
  std::vector<Ranked> ranked;
  Matrix numbers;
  for (std::size_t at = 0; at < ids.size() && !(options.is_over && options.is_over()); at += portion) {
    const std::vector<CandidateId> some(
        ids.begin() + static_cast<std::ptrdiff_t>(at),
        ids.begin() + static_cast<std::ptrdiff_t>(std::min(at + portion, ids.size())));
    for (const CandidateFacts& each : exploration.look_at_all(some, lowering, options.threads)) {
      if (!each.discarded.empty()) continue;
      ranked.push_back({each.id});
      numbers.add(each.features);
    }
    if (options.progress) options.progress(std::min(at + portion, ids.size()), ids.size());
  }
  if (ranked.empty()) return ranked;
  const auto predictions = model.predict(numbers);
  if (!predictions) return tl::unexpected(predictions.error());
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    ranked[i].log_seconds = -(*predictions)[i].mean;
    ranked[i].deviation = (*predictions)[i].deviation;
    ranked[i].is_outside = (*predictions)[i].outside > 0;
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Ranked& a, const Ranked& b) { return a.log_seconds < b.log_seconds; });
  return ranked;
}

}  // namespace hoist::tune
