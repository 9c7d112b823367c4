#pragma once
// What a run of the tuner leaves in the store, and what others leave there of the same task while it goes on.
#include <cstdint>
#include <string>
#include <vector>

#include "measure/outcome.hpp"
#include "store/store.hpp"

namespace hoist::tuner {

/// All of its functions have the store's failures. Keeps a reference to the store.
class Recorder {
 public:
  struct Options {
    /// Whether it works beside others: learns from what they stored, and measures nothing that they did or
    /// are about to.
    bool reads_others = true;
    std::string hoist = {};  ///< its version, for the evaluations
    std::uint64_t input_seed = 1;
  };

  /// Begins a run of the task, which is made where it is new.
  Recorder(store::Store& store, const store::Task& task, const store::Run& run, Options options);

  store::TaskId task() const { return task_; }
  store::RunId run() const { return run_; }

  /// For each whether this run is to measure it. False where another has measured a candidate of the same
  /// term since news() was asked last, or is about to: then its outcome will be among the news.
  std::vector<bool> claim(const std::vector<store::CandidateKey>& candidates);
  /// The run is still there, and about to measure what it claimed.
  void keep_claims();
  /// What other runs are about to measure, or were before they fell silent.
  std::vector<store::StoredClaim> claims_of_others();
  /// Stores what came of a candidate, with how it was launched. A lost device says nothing of the candidate:
  /// then nothing is stored.
  void record(store::Candidate candidate, store::Origin origin, const measure::Outcome& outcome,
              const std::optional<store::Features>& features);
  /// What other runs stored of candidates that were explored, since this was asked last.
  std::vector<store::EvaluationSummary> news();

  /// All times of the candidates that this run has timed, by runs of the same Hoist.
  std::vector<store::TimeOnNode> times_beside();

  /// What each stage left (JSON); may be told again.
  void tell(const std::string& funnel);
  void end(const std::string& funnel);

 private:
  store::Store& store_;
  Options options_;
  store::TaskId task_{};
  store::RunId run_{};
  store::EvaluationId last_read_{0};
};

}  // namespace hoist::tuner
