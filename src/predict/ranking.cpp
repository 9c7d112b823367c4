#include "predict/ranking.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "base/need.hpp"
#include "base/parallel.hpp"

namespace hoist::predict {

namespace {

/// Candidates with a row of features each, without those that are discarded.
struct LookedAt {
  const variants::Variants& variants;
  std::vector<variants::CandidateId> ids = {};
  Matrix features = {};

  void add(const std::vector<variants::CandidateFacts>& facts) {
    for (const variants::CandidateFacts& each : facts) {
      if (!each.discarded.empty()) continue;
      ids.push_back(each.id);
      features.add(each.features);
    }
  }
};

/// Of those from `first` on, in their order; in portions, by so many threads.
Result<std::vector<Ranked>> predicted(const LookedAt& candidates, std::size_t first,
                                      const model::Model& model, const model::Population& population,
                                      std::size_t threads) {
  constexpr std::size_t portion = 256;
  return catch_failure([&] {
    std::vector<Ranked> result(candidates.ids.size() - first);
    share_out((result.size() + portion - 1) / portion, threads, [&](const auto& next) {
      while (const auto number = next()) {
        const std::size_t begin = first + *number * portion;
        const std::size_t end = std::min(begin + portion, candidates.ids.size());
        Matrix rows;
        for (std::size_t i = begin; i < end; ++i) rows.add(candidates.features.row(i));
        const std::vector<model::Prediction> predictions = need(model.predict(rows, population));
        for (std::size_t i = begin; i < end; ++i) {
          const model::Prediction& each = predictions[i - begin];
          const variants::CandidateId& id = candidates.ids[i];
          result[i - first] = {id, -each.mean, each.deviation, candidates.variants.kind(id),
                               each.outside > 0};
        }
      }
    });
    return result;
  });
}

/// Of what is ranked of a large set most of which is slow, and of the time for it, what a sample has; the
/// rest is for neighbours.
constexpr double share_of_sample = 0.7;
std::size_t sampled(std::size_t most) {
  return std::max<std::size_t>(1, static_cast<std::size_t>(share_of_sample * static_cast<double>(most)));
}

/// Candidates are looked at in portions, so that whoever waits sees them pass, and can end it.
struct Looking {
  const variants::Variants& variants;
  const lower::Options& lowering;
  const RankingOptions& options;
  LookedAt all{variants};
  std::set<std::string> asked = {};  ///< their ids
  std::size_t done = 0;

  bool is_over(double share) const { return options.is_over && options.is_over(share); }

  void at(const std::vector<variants::CandidateId>& ids, double share) {
    // A portion has something to do for each thread, and is over soon: a candidate with a thousand terms
    // takes a thousand times as long as one with few.
    constexpr std::chrono::duration<double> soon(0.3);
    const std::size_t first = std::max<std::size_t>(50, 4 * options.threads), most = 10 * first;
    for (const variants::CandidateId& each : ids) asked.insert(to_string(each));
    for (std::size_t at = 0, portion = first; at < ids.size() && !is_over(share);) {
      const std::size_t end = std::min(at + portion, ids.size());
      const std::vector<variants::CandidateId> some(ids.begin() + static_cast<std::ptrdiff_t>(at),
                                                    ids.begin() + static_cast<std::ptrdiff_t>(end));
      const auto began = std::chrono::steady_clock::now();
      all.add(variants.look_at_all(some, lowering, options.threads));
      const bool is_soon = std::chrono::steady_clock::now() - began < soon;
      done += end - at;
      if (options.progress) options.progress(done, std::max(options.most, done));
      at = end;
      portion = is_soon ? std::min(2 * portion, most) : std::max(portion / 2, options.threads);
    }
  }
  /// Looks at neighbours of the fastest, and of the fastest of each kind; false where there are none that are
  /// new, or no more are wanted.
  bool more(const std::vector<Ranked>& fastest) {
    constexpr std::size_t around = 20, around_of_kind = 3;
    const std::size_t left = options.most - std::min(options.most, done);
    std::map<std::uint64_t, std::size_t> of_kind;
    std::vector<variants::CandidateId> near;
    for (std::size_t i = 0; i < fastest.size() && near.size() < left; ++i) {
      const bool is_leader = ++of_kind[fastest[i].kind] <= around_of_kind;
      if (i >= around && !is_leader) continue;
      for (variants::CandidateId& each : variants.neighbours(fastest[i].id)) {
        if (near.size() < left && asked.insert(to_string(each)).second) near.push_back(std::move(each));
      }
    }
    const std::size_t before = all.ids.size();
    if (near.empty() || is_over(1)) return false;
    at(near, 1);
    return all.ids.size() > before;
  }
};

}  // namespace

Result<Ranking> rank(const variants::Variants& variants, const model::Model& model,
                     const lower::Options& lowering, const RankingOptions& options) {
  const bool is_sample = variants.is_mostly_slow() && variants.count() > options.most;
  Looking looking{variants, lowering, options};
  looking.at(variants.sample_likely(is_sample ? sampled(options.most) : options.most, options.seed),
             is_sample ? share_of_sample : 1);
  if (looking.all.ids.empty()) return Ranking{};
  Ranking ranking{{}, model::Population::of(looking.all.features)};
  const auto predict_new = [&]() -> Result<void> {
    auto more = predicted(looking.all, ranking.candidates.size(), model, ranking.population, options.threads);
    if (!more) return tl::unexpected(more.error());
    std::ranges::move(*more, std::back_inserter(ranking.candidates));
    std::ranges::stable_sort(ranking.candidates, {}, &Ranked::log_seconds);
    return {};
  };
  if (auto done = predict_new(); !done) return tl::unexpected(done.error());
  // A sample of few fast ones leaves gaps: around its fastest there may be faster ones.
  while (is_sample && looking.more(ranking.candidates)) {
    if (auto done = predict_new(); !done) return tl::unexpected(done.error());
  }
  return ranking;
}

Result<std::vector<std::optional<Ranked>>> predict(const variants::Variants& variants,
                                                   const model::Model& model,
                                                   const model::Population& population,
                                                   const std::vector<variants::CandidateId>& candidates,
                                                   const lower::Options& lowering, std::size_t threads) {
  LookedAt there{variants};
  there.add(variants.look_at_all(candidates, lowering, threads));
  auto known = predicted(there, 0, model, population, threads);
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
