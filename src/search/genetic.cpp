// A genetic algorithm in a steady state: each child is made of the best known so far, so any size of batch
// will do.
#include <algorithm>

#include "search/strategies.hpp"

namespace hoist::search {

namespace {

constexpr std::size_t population_size = 16;
constexpr double mutation = 0.5;  ///< the chance of one step to a neighbour, and of each further one
constexpr int most_attempts = 50;

class Genetic : public Strategy {
 public:
  using Strategy::Strategy;

 protected:
  std::optional<Configuration> acquire() override {
    if (population_.size() < population_size) return std::nullopt;
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
      Configuration child = mutated(mixed(parent(), parent()));
      if (!history_.is_known(child)) return child;
    }
    return std::nullopt;
  }

  void learn(const Trial& trial) override {
    if (!trial.outcome.seconds) return;
    const auto is_faster = [](const Trial& a, const Trial& b) {
      return *a.outcome.seconds < *b.outcome.seconds;
    };
    population_.insert(std::upper_bound(population_.begin(), population_.end(), trial, is_faster), trial);
    if (population_.size() > population_size) population_.pop_back();
  }

 private:
  /// The better of two.
  const Configuration& parent() {
    const std::size_t first = random_.below(population_.size()), second = random_.below(population_.size());
    return population_[std::min(first, second)].configuration;
  }

  /// Each choice from one of both; the first parent where they are of different derivations or do not mix.
  Configuration mixed(const Configuration& first, const Configuration& second) {
    if (first.size() != second.size() || first.empty()) return first;
    Configuration child = first;
    for (std::size_t place = 0; place < child.size(); ++place) {
      if (random_.below(2) == 0) child[place] = second[place];
    }
    return space_.contains(child) ? child : first;
  }

  Configuration mutated(Configuration child) {
    while (random_.unit() < mutation) {
      const std::vector<Configuration> neighbours = space_.neighbours(child);
      if (neighbours.empty()) break;
      child = neighbours[random_.below(neighbours.size())];
    }
    return child;
  }

  std::vector<Trial> population_;  ///< the fastest first
};

}  // namespace

std::unique_ptr<Strategy> make_genetic(const Space& space, const StrategyOptions& options) {
  return std::make_unique<Genetic>(space, options.seed);
}

}  // namespace hoist::search
