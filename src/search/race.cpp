#include "search/race.hpp"

#include <algorithm>
#include <limits>

namespace hoist::search {

namespace {

/// Trials that a kind has in any case: the first of them may fail, or be far from what it can do.
constexpr std::size_t fewest_trials = 4;

class Race : public Strategy {
 public:
  Race(const Space& space, std::vector<std::unique_ptr<Strategy>> kinds, const StrategyOptions& options)
      : Strategy(space, options.seed) {
    for (auto& each : kinds) kinds_.push_back({std::move(each)});
  }

  /// What the one that promises most would better the best by.
  std::optional<double> improvement_left() const override {
    const double best = best_of_all();
    double improvement = 0;
    for (const Kind& kind : kinds_) {
      if (!is_running(kind)) continue;
      const auto left = kind.strategy->improvement_left();
      const Trial* own = kind.strategy->history().best();
      if (!left || own == nullptr) return std::nullopt;
      const double expected = *own->outcome.seconds * (1 - *left);
      improvement = std::max(improvement, 1 - expected / best);
    }
    return improvement;
  }

  bool is_exhausted() const override { return true; }

 protected:
  std::optional<Configuration> acquire() override {
    while (const auto number = next()) {
      Kind& kind = kinds_[*number];
      std::vector<Configuration> proposed = kind.strategy->propose(1);
      if (proposed.empty()) {
        kind.is_done = true;
        continue;
      }
      ++kind.turns;
      Configuration whole{static_cast<std::int64_t>(*number)};
      whole.insert(whole.end(), proposed.front().begin(), proposed.front().end());
      if (!history_.is_known(whole)) return whole;
    }
    return std::nullopt;
  }

  void learn(const Trial& trial) override {
    const auto number = static_cast<std::size_t>(trial.configuration.at(0));
    Trial own = trial;
    own.configuration.erase(own.configuration.begin());
    kinds_.at(number).strategy->report(std::span(&own, 1));
  }

 private:
  struct Kind {
    std::unique_ptr<Strategy> strategy;
    std::size_t turns = 0;
    bool is_done = false;  ///< it has nothing left
  };

  static double best_of(const Kind& kind) {
    const Trial* best = kind.strategy->history().best();
    return best == nullptr ? std::numeric_limits<double>::infinity() : *best->outcome.seconds;
  }
  double best_of_all() const {
    double best = std::numeric_limits<double>::infinity();
    for (const Kind& kind : kinds_) best = std::min(best, best_of(kind));
    return best;
  }
  bool is_running(const Kind& kind) const {
    if (kind.is_done) return false;
    if (kind.turns < fewest_trials) return true;
    return best_of(kind) <= best_of_all() * (1 + 2.0 / static_cast<double>(kind.turns));
  }

  /// Which kind is next: of those that are running the one with the fewest turns, where the best one's count
  /// half.
  std::optional<std::size_t> next() const {
    const double best = best_of_all();
    std::optional<std::size_t> chosen;
    double fewest = std::numeric_limits<double>::infinity();
    for (std::size_t number = 0; number < kinds_.size(); ++number) {
      const Kind& kind = kinds_[number];
      if (!is_running(kind)) continue;
      const auto others = static_cast<double>(kinds_.size() - 1);
      const double turns = static_cast<double>(kind.turns) / (best_of(kind) == best ? others : 1);
      if (turns >= fewest) continue;
      fewest = turns;
      chosen = number;
    }
    return chosen;
  }

  std::vector<Kind> kinds_;
};

}  // namespace

std::unique_ptr<Strategy> make_race(const Space& space, std::vector<std::unique_ptr<Strategy>> kinds,
                                    const StrategyOptions& options) {
  return std::make_unique<Race>(space, std::move(kinds), options);
}

}  // namespace hoist::search
