#include "tuner/recorder.hpp"

#include "base/need.hpp"
#include "predict/measurements.hpp"
#include "tuner/records.hpp"

namespace hoist::tuner {

Recorder::Recorder(store::Store& store, const store::Task& task, const store::Run& run, Options options)
    : store_(store), options_(std::move(options)) {
  task_ = need(store_.add_task(task));
  need(predict::name_features(store_));
  run_ = need(store_.begin_run(task_, run));
}

std::vector<bool> Recorder::claim(const std::vector<store::CandidateKey>& candidates) {
  std::vector<bool> mine(candidates.size(), true);
  if (!options_.reads_others || candidates.empty()) return mine;
  const std::vector<store::Claim> claims = need(store_.claim(task_, run_, candidates, last_read_));
  for (std::size_t i = 0; i < claims.size(); ++i) mine[i] = claims[i] == store::Claim::Mine;
  return mine;
}

void Recorder::keep_claims() {
  if (options_.reads_others) need(store_.keep_claims(run_));
}

std::vector<store::StoredClaim> Recorder::claims_of_others() {
  return options_.reads_others ? need(store_.claims_of_others(task_, run_))
                               : std::vector<store::StoredClaim>();
}

std::vector<store::TimeOnNode> Recorder::times_beside() {
  return options_.reads_others ? need(store_.times_beside(run_)) : std::vector<store::TimeOnNode>();
}

void Recorder::record(store::Candidate candidate, store::Origin origin, const measure::Outcome& outcome,
                      const std::optional<store::Features>& features) {
  if (outcome.kind == measure::OutcomeKind::DeviceLost) return;
  candidate.launches = launches_of(outcome);
  store::Evaluation evaluation = evaluation_of(outcome);
  evaluation.origin = origin;
  evaluation.hoist = options_.hoist;
  evaluation.seed = options_.input_seed;
  need(store_.record(task_, run_, candidate, evaluation, features));
}

std::vector<store::EvaluationSummary> Recorder::news() {
  std::vector<store::EvaluationSummary> news;
  if (!options_.reads_others) return news;
  for (store::EvaluationSummary& each : need(store_.summaries(task_, last_read_))) {
    last_read_ = each.id;
    if (each.run != run_ && each.origin == store::Origin::Explored) news.push_back(std::move(each));
  }
  return news;
}

void Recorder::tell(const std::string& funnel) { need(store_.update_run(run_, funnel)); }

void Recorder::end(const std::string& funnel) { need(store_.end_run(run_, funnel)); }

}  // namespace hoist::tuner
