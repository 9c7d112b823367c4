#include "tuner/proposer.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/need.hpp"
#include "tuner/records.hpp"

namespace hoist::tuner {

namespace {

std::size_t threads() { return std::max(1U, std::thread::hardware_concurrency()); }

}  // namespace

Proposer::Proposer(std::unique_ptr<const variants::Variants> variants, ProposerOptions options)
    : variants_(std::move(variants)), options_(std::move(options)), space_(*variants_) {}

std::optional<Proposal> Proposer::find(const std::string& name, const std::string& hash) const {
  const auto id = variants::candidate_id(name);
  if (!id || !variants_->contains(*id)) return std::nullopt;
  const ir::Arena of_this_candidate;
  Proposal proposal{record_of(*variants_, *id), space_.configuration(*id), {}};
  return proposal.record.hash == hash ? std::optional(std::move(proposal)) : std::nullopt;
}

void Proposer::start(const std::vector<Proposal>& known) {
  search::StrategyOptions options;
  options.seed = options_.seed;
  if (!options_.model) {
    strategy_ = need(search::make_strategy(options_.strategy, space_, options));
    return;
  }
  std::vector<search::Expected> list = ranking();
  if (list.empty()) {
    strategy_ = search::make_predicted(space_, {}, options);
    return;
  }
  const auto expect = [this](const std::vector<search::Configuration>& configurations) {
    std::vector<variants::CandidateId> ids;
    for (const search::Configuration& each : configurations) ids.push_back(space_.id(each));
    return expected(ids);
  };
  std::vector<search::Configuration> others;
  for (const Proposal& each : known) others.push_back(each.configuration);
  for (const auto& each : expect(others)) {
    if (each) list.push_back(*each);
  }
  strategy_ = search::make_predicted(space_, std::move(list), options, expect);
}

std::vector<search::Expected> Proposer::ranking() {
  predict::RankingOptions options{.most = options_.ranked, .seed = options_.seed, .threads = threads()};
  options.is_over = options_.is_over;
  options.progress = options_.progress;
  predict::Ranking ranking = need(predict::rank(*variants_, *options_.model, options_.lowering, options));
  population_ = std::move(ranking.population);
  std::vector<search::Expected> list;
  for (const predict::Ranked& each : ranking.candidates) list.push_back(expected(each));
  ranked_ = list.size();
  return list;
}

std::vector<std::optional<search::Expected>> Proposer::expected(
    const std::vector<variants::CandidateId>& ids) const {
  std::vector<std::optional<search::Expected>> list;
  for (const auto& each :
       need(predict::predict(*variants_, *options_.model, population_, ids, options_.lowering, threads())))
    list.push_back(each ? std::optional(expected(*each)) : std::nullopt);
  return list;
}

search::Expected Proposer::expected(const predict::Ranked& candidate) const {
  return {space_.configuration(candidate.id), candidate.log_seconds, candidate.deviation};
}

std::optional<std::vector<Proposal>> Proposer::propose(std::size_t count) {
  const std::vector<search::Configuration> proposed = strategy_->propose(count);
  if (proposed.empty()) return std::nullopt;
  std::vector<Proposal> proposals;
  for (const search::Configuration& configuration : proposed) {
    // A candidate's terms go with it.
    const ir::Arena of_this_candidate;
    const variants::Candidate candidate = variants_->make(space_.id(configuration), options_.lowering);
    ++looked_at_;
    if (candidate.discarded.empty()) {
      proposals.push_back({record_of(*variants_, candidate), configuration, candidate.features});
    } else {
      ++discarded_[candidate.reason];
      report(configuration, search::Outcome::of_failure(search::FailureKind::DoesNotFit, 0));
    }
  }
  return proposals;
}

void Proposer::report(const search::Configuration& configuration, const search::Outcome& outcome) {
  strategy_->report(std::vector<search::Trial>{{configuration, outcome}});
}

nlohmann::json Proposer::funnel() const {
  const variants::Stages& stages = variants_->stages();
  nlohmann::json discarded = nlohmann::json::object();
  for (const auto& [reason, count] : discarded_) discarded[reason] = count;
  return {{"algorithms", stages.algorithms},
          {"mapped", stages.mapped},
          {"placed", stages.placed},
          {"programs_discarded", stages.discarded},
          {"derivations", variants_->derivations()},
          {"points", variants_->count()},
          {"looked_at", looked_at_},
          {"discarded", discarded}};
}

}  // namespace hoist::tuner
