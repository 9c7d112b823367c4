#include "tune/prediction/ranking.hpp"

#include <algorithm>

namespace hoist::tune {

Result<std::vector<std::optional<Ranked>>> predict(const Exploration& exploration, const model::Model& model,
                                                   const std::vector<CandidateId>& candidates,
                                                   const lower::Options& lowering, std::size_t threads) {
  std::vector<std::optional<Ranked>> result(candidates.size());
  std::vector<std::size_t> places;
  Matrix numbers;
  const std::vector<CandidateFacts> facts = exploration.look_at_all(candidates, lowering, threads);
  for (std::size_t i = 0; i < facts.size(); ++i) {
    if (!facts[i].discarded.empty()) continue;
    places.push_back(i);
    numbers.add(facts[i].features);
  }
  if (places.empty()) return result;
  const auto predictions = model.predict(numbers);
  if (!predictions) return tl::unexpected(predictions.error());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto& each = (*predictions)[i];
    result[places[i]] = Ranked{candidates[places[i]], -each.mean, each.deviation, each.outside > 0};
  }
  return result;
}

Result<std::vector<Ranked>> rank(const Exploration& exploration, const model::Model& model,
                                 const lower::Options& lowering, const RankingOptions& options) {
  // In portions, so that whoever waits sees them pass, and can end it.
  constexpr std::size_t portion = 500;
  const std::vector<CandidateId> ids = exploration.sample(options.most, options.seed);
  std::vector<Ranked> ranked;
  for (std::size_t at = 0; at < ids.size() && !(options.is_over && options.is_over()); at += portion) {
    const std::vector<CandidateId> some(
        ids.begin() + static_cast<std::ptrdiff_t>(at),
        ids.begin() + static_cast<std::ptrdiff_t>(std::min(at + portion, ids.size())));
    const auto predicted = predict(exploration, model, some, lowering, options.threads);
    if (!predicted) return tl::unexpected(predicted.error());
    for (const std::optional<Ranked>& each : *predicted) {
      if (each) ranked.push_back(*each);
    }
    if (options.progress) options.progress(std::min(at + portion, ids.size()), ids.size());
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Ranked& a, const Ranked& b) { return a.log_seconds < b.log_seconds; });
  return ranked;
}

}  // namespace hoist::tune
