#pragma once
// The other tuners of a task, as one of them sees them through the store. What one is about to measure it
// claims, and what others have claimed it leaves to them and waits for. A claim that nobody keeps up, because
// its tuner ended or died, is taken over: by the search that waits for the candidate, or by any that knows
// it.
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "search/configuration.hpp"
#include "tuner/proposer.hpp"
#include "tuner/recorder.hpp"

namespace hoist::tuner {

/// An outcome that another run left in the store.
struct Stored {
  Proposal proposal;
  search::Outcome outcome;
  double median = 0;      ///< 0 where it has no time
  bool is_whole = false;  ///< it was timed to the end
};

/// Candidates are told apart by the hash of their term. All functions have the store's failures. Keeps
/// references to both.
class Others {
 public:
  Others(Recorder& recorder, const Proposer& proposer) : recorder_(recorder), proposer_(proposer) {}

  /// What they have stored since this was asked last. Of a candidate whose name stands for something else
  /// here by now, or for nothing, known() tells.
  std::vector<Stored> news();
  /// What the store has of the proposal's term under such a name. Told once.
  std::optional<Stored> known(const Proposal& proposal);

  /// Those that this run is to measure, which are claimed. The rest wait: news() will have their outcomes,
  /// or take_over() gives them back.
  std::vector<Proposal> claimed(std::vector<Proposal> proposals);
  bool is_waiting() const { return !waiting_.empty(); }
  /// The proposal of that term waits no longer. Nothing where none did.
  std::optional<Proposal> no_longer_waiting(const std::string& hash);

  /// Looks for candidates that nobody is about to measure any more. One that does not wait here is asked
  /// about, once, by its hash: where the search answers that it had not heard of the term, it waits from then
  /// on.
  void look_for_abandoned(const std::function<bool(const std::string& hash)>& is_new);
  /// So many of them at the most, which are claimed.
  std::vector<Proposal> take_over(std::size_t most);

 private:
  Recorder& recorder_;
  const Proposer& proposer_;
  std::map<std::string, Proposal> waiting_;                   ///< by hash
  std::set<std::string> abandoned_;                           ///< of those that wait
  std::set<std::string> asked_about_;                         ///< hashes of candidates that did not wait
  std::map<std::string, store::EvaluationSummary> nameless_;  ///< by hash
};

}  // namespace hoist::tuner
