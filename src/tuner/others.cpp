#include "tuner/others.hpp"

#include "tuner/records.hpp"

namespace hoist::tuner {

namespace {

Stored stored_as(Proposal proposal, const store::EvaluationSummary& summary) {
  search::Outcome outcome = outcome_of(summary, proposal.part_of_kernel);
  return {std::move(proposal), std::move(outcome), summary.median.value_or(0),
          summary.outcome == store::Outcome::Ok};
}

}  // namespace

std::vector<Stored> Others::news() {
  std::vector<Stored> news;
  for (store::EvaluationSummary& each : recorder_.news()) {
    if (auto proposal = proposer_.find(each.name, each.hash)) {
      news.push_back(stored_as(*std::move(proposal), each));
    } else if (const auto waiting = waiting_.find(each.hash); waiting != waiting_.end()) {
      news.push_back(stored_as(waiting->second, each));
    } else {
      const std::string hash = each.hash;
      nameless_.try_emplace(hash, std::move(each));
    }
  }
  return news;
}

std::optional<Stored> Others::known(const Proposal& proposal) {
  const auto node = nameless_.extract(proposal.record.hash);
  return node ? std::optional(stored_as(proposal, node.mapped())) : std::nullopt;
}

std::vector<Proposal> Others::claimed(std::vector<Proposal> proposals) {
  std::vector<store::CandidateKey> keys;
  keys.reserve(proposals.size());
  for (const Proposal& each : proposals) keys.push_back({each.record.name, each.record.hash});
  const std::vector<bool> is_mine = recorder_.claim(keys);
  std::vector<Proposal> mine;
  for (std::size_t i = 0; i < proposals.size(); ++i) {
    if (is_mine[i])
      mine.push_back(std::move(proposals[i]));
    else
      waiting_.insert_or_assign(keys[i].hash, std::move(proposals[i]));
  }
  return mine;
}

std::optional<Proposal> Others::no_longer_waiting(const std::string& hash) {
  abandoned_.erase(hash);
  auto node = waiting_.extract(hash);
  return node ? std::optional(std::move(node.mapped())) : std::nullopt;
}

void Others::look_for_abandoned(const std::function<bool(const std::string& hash)>& is_new) {
  std::set<std::string> kept;
  for (const store::StoredClaim& each : recorder_.claims_of_others()) {
    const auto& [name, hash] = each.candidate;
    if (!each.is_over) {
      kept.insert(hash);
    } else if (!waiting_.contains(hash) && asked_about_.insert(hash).second) {
      auto proposal = proposer_.find(name, hash);
      if (proposal && is_new(hash)) waiting_.emplace(hash, *std::move(proposal));
    }
  }
  abandoned_.clear();
  for (const auto& [hash, proposal] : waiting_) {
    if (!kept.contains(hash)) abandoned_.insert(hash);
  }
}

std::vector<Proposal> Others::take_over(std::size_t most) {
  std::vector<Proposal> proposals;
  while (proposals.size() < most && !abandoned_.empty()) {
    const std::string hash = *abandoned_.begin();
    if (auto proposal = no_longer_waiting(hash)) proposals.push_back(*std::move(proposal));
  }
  return claimed(std::move(proposals));
}

}  // namespace hoist::tuner
