// Simulated annealing (Kirkpatrick, Gelatt, Vecchi 1983) over the logarithm of times.
#include <algorithm>
#include <cmath>

#include "search/strategies.hpp"

namespace hoist::search {

namespace {

constexpr double hottest = 0.3;  ///< one that is 30% slower is taken in one of e cases
constexpr double coldest = 0.01;
constexpr double cooling = 0.97;  ///< a trial
constexpr int most_free_steps = 100;

class Annealing : public Strategy {
 public:
  using Strategy::Strategy;

 protected:
  std::optional<Configuration> acquire() override {
    for (int step = 0; here_ && step < most_free_steps; ++step) {
      const std::vector<Configuration> neighbours = space_.neighbours(here_->configuration);
      if (neighbours.empty()) break;
      const Configuration& next = neighbours[random_.below(neighbours.size())];
      if (!history_.is_known(next)) return next;
      if (const Outcome* outcome = history_.outcome(next)) consider({next, *outcome});
    }
    // All around is known: from elsewhere, and hot again.
    here_.reset();
    temperature_ = hottest;
    return std::nullopt;
  }

  void learn(const Trial& trial) override {
    consider(trial);
    temperature_ = std::max(coldest, temperature_ * cooling);
  }

 private:
  void consider(const Trial& trial) {
    if (!trial.outcome.seconds) return;
    const double worse = here_ ? std::log(*trial.outcome.seconds / *here_->outcome.seconds) : 0;
    if (worse <= 0 || random_.unit() < std::exp(-worse / temperature_)) here_ = trial;
  }

  std::optional<Trial> here_;
  double temperature_ = hottest;
};

}  // namespace

std::unique_ptr<Strategy> make_annealing(const Space& space, const StrategyOptions& options) {
  return std::make_unique<Annealing>(space, options.seed);
}

}  // namespace hoist::search
