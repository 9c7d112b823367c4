// From a place to the first better neighbour found, until there is none; then from another place.
#include "search/strategies.hpp"

namespace hoist::search {

namespace {

class LocalSearch : public Strategy {
 public:
  using Strategy::Strategy;

 protected:
  std::optional<Configuration> acquire() override {
    if (!here_) return std::nullopt;  // what is drawn instead is where the next walk begins
    while (!queue_.empty()) {
      Configuration next = std::move(queue_.back());
      queue_.pop_back();
      if (history_.is_known(next)) continue;
      waited_for_.insert(next);
      return next;
    }
    // A neighbour may still turn out better; none can at a local optimum.
    if (waited_for_.empty()) here_.reset();
    return std::nullopt;
  }

  void learn(const Trial& trial) override {
    waited_for_.erase(trial.configuration);
    if (trial.outcome.seconds && (!here_ || *trial.outcome.seconds < *here_->outcome.seconds))
      walk_from(trial);
  }

 private:
  /// Where neighbours are known to be better, on to the best of them.
  void walk_from(Trial trial) {
    for (bool moved = true; moved;) {
      here_ = std::move(trial);
      queue_ = space_.neighbours(here_->configuration);
      moved = false;
      double least = *here_->outcome.seconds;
      for (const Configuration& neighbour : queue_) {
        const Outcome* outcome = history_.outcome(neighbour);
        if (outcome == nullptr || !outcome->seconds || *outcome->seconds >= least) continue;
        least = *outcome->seconds;
        trial = {neighbour, *outcome};
        moved = true;
      }
    }
    random_.shuffle(queue_);
  }

  std::optional<Trial> here_;
  std::vector<Configuration> queue_;  ///< neighbours still to be tried
  std::unordered_set<Configuration, ConfigurationHash> waited_for_;
};

}  // namespace

std::unique_ptr<Strategy> make_local_search(const Space& space, const StrategyOptions& options) {
  return std::make_unique<LocalSearch>(space, options.seed);
}

}  // namespace hoist::search
