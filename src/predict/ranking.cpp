#include "predict/ranking.hpp"

#include <algorithm>

namespace hoist::predict {

namespace {

/// Candidates with a row of features each, without those that are discarded.
struct LookedAt {
  std::vector<variants::CandidateId> ids;
  Matrix features;

  void add(const std::vector<variants::CandidateFacts>& facts) {
    for (const variants::CandidateFacts& each : facts) {
      if (!each.discarded.empty()) continue;
      ids.push_back(each.id);
      features.add(each.features);
    }
  }
};

Result<std::vector<Ranked>> predicted(const LookedAt& candidates, const model::Model& model,
                                      const model::Population& population) {
  if (candidates.ids.empty()) return std::vector<Ranked>{};
  const auto predictions = model.predict(candidates.features, population);
  if (!predictions) return tl::unexpected(predictions.error());
  std::vector<Ranked> result;
  for (std::size_t i = 0; i < candidates.ids.size(); ++i) {
    const model::Prediction& each = (*predictions)[i];
    result.push_back({candidates.ids[i], -each.mean, each.deviation, each.outside > 0});
  }
  return result;
}

}  // namespace

Result<Ranking> rank(const variants::Variants& variants, const model::Model& model,
                     const lower::Options& lowering, const RankingOptions& options) {
  // In portions, so that whoever waits sees them pass, and can end it.
  constexpr std::size_t first = 50, most = 500;
  const std::vector<variants::CandidateId> ids = variants.sample(options.most, options.seed);
  LookedAt all;
  for (std::size_t at = 0, portion = first; at < ids.size() && !(options.is_over && options.is_over());) {
    const std::size_t end = std::min(at + portion, ids.size());
    const std::vector<variants::CandidateId> some(ids.begin() + static_cast<std::ptrdiff_t>(at),
                                                  ids.begin() + static_cast<std::ptrdiff_t>(end));
    all.add(variants.look_at_all(some, lowering, options.threads));
    if (options.progress) options.progress(end, ids.size());
    at = end;
    portion = std::min(2 * portion, most);
  }
  if (all.ids.empty()) return Ranking{};
  Ranking ranking{{}, model::Population::of(all.features)};
  auto candidates = predicted(all, model, ranking.population);
  if (!candidates) return tl::unexpected(candidates.error());
  ranking.candidates = std::move(*candidates);
  std::ranges::stable_sort(ranking.candidates, {}, &Ranked::log_seconds);
  return ranking;
}

Result<std::vector<std::optional<Ranked>>> predict(const variants::Variants& variants,
                                                   const model::Model& model,
                                                   const model::Population& population,
                                                   const std::vector<variants::CandidateId>& candidates,
                                                   const lower::Options& lowering, std::size_t threads) {
  LookedAt there;
  there.add(variants.look_at_all(candidates, lowering, threads));
  auto known = predicted(there, model, population);
  if (!known) return tl::unexpected(known.error());
  std::vector<std::optional<Ranked>> result;
  auto next = known->begin();
  for (const variants::CandidateId& id : candidates) {
    const bool is_there = next != known->end() && next->id == id;
    result.push_back(is_there ? std::optional(*next++) : std::nullopt);
  }
  return result;
}

}  // namespace hoist::predict
