// The budget is divided among the other strategies by what they found lately: a sliding window, the area
// under the curve of an arm's successes as its credit (Ansel et al., OpenTuner, PACT 2014, section 3.2).
#include <cmath>
#include <deque>
#include <limits>

#include "search/strategies.hpp"

namespace hoist::search {

namespace {

constexpr std::size_t window = 50;
constexpr double exploration = 0.05;

class Bandit : public Strategy {
 public:
  Bandit(const Space& space, const StrategyOptions& options) : Strategy(space, options.seed) {
    for (auto* make : {make_model_guided, make_local_search, make_genetic, make_annealing, make_random}) {
      StrategyOptions own = options;
      own.seed = random_.bits();
      arms_.push_back(make(space, own));
    }
  }

 protected:
  std::optional<Configuration> acquire() override {
    constexpr int attempts = 20;  // what another arm waits for is known here, but not to this arm
    const std::size_t arm = most_promising();
    for (int attempt = 0; attempt < attempts; ++attempt) {
      std::vector<Configuration> proposed = arms_[arm]->propose(1);
      if (proposed.empty()) break;
      if (history_.is_known(proposed.front())) continue;
      chosen_by_[proposed.front()] = arm;
      return std::move(proposed.front());
    }
    return std::nullopt;
  }

  void learn(const Trial& trial) override {
    const bool is_best = history_.best() != nullptr && history_.best()->configuration == trial.configuration;
    for (const auto& arm : arms_) arm->report({&trial, 1});
    const auto chosen = chosen_by_.find(trial.configuration);
    if (chosen == chosen_by_.end()) return;
    uses_.push_back({chosen->second, is_best});
    if (uses_.size() > window) uses_.pop_front();
    chosen_by_.erase(chosen);
  }

 private:
  struct Use {
    std::size_t arm;
    bool found_better;
  };

  double score(std::size_t arm) const {
    double uses = 0, area = 0;
    for (const Use& use : uses_) {
      if (use.arm != arm) continue;
      ++uses;
      if (use.found_better) area += uses;
    }
    for (const auto& waiting : chosen_by_) uses += waiting.second == arm ? 1 : 0;
    if (uses == 0) return std::numeric_limits<double>::infinity();
    const double all = static_cast<double>(uses_.size() + chosen_by_.size());
    return 2 * area / (uses * (uses + 1)) + exploration * std::sqrt(2 * std::log2(all + 1) / uses);
  }

  std::size_t most_promising() const {
    std::size_t best = 0;
    for (std::size_t arm = 1; arm < arms_.size(); ++arm) {
      if (score(arm) > score(best)) best = arm;
    }
    return best;
  }

  std::vector<std::unique_ptr<Strategy>> arms_;
  std::deque<Use> uses_;
  std::unordered_map<Configuration, std::size_t, ConfigurationHash>
      chosen_by_;  ///< proposed, not yet reported
};

}  // namespace

std::unique_ptr<Strategy> make_bandit(const Space& space, const StrategyOptions& options) {
  return std::make_unique<Bandit>(space, options);
}

}  // namespace hoist::search
