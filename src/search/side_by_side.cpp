#include "search/side_by_side.hpp"

#include <deque>
#include <numeric>

namespace hoist::search {

namespace {

/// The share by which the fastest of each part, together, must promise to be faster than the fastest trial
/// before they are tried together.
constexpr double least_gain = 0.005;

class SideBySide : public Strategy {
 public:
  SideBySide(const Space& space, std::vector<SearchedPart> parts,
             std::function<std::vector<Configuration>(const Configuration&)> split,
             const StrategyOptions& options)
      : Strategy(space, options.seed), parts_(std::move(parts)), split_(std::move(split)) {}

  /// That of each part, by its share of the time.
  std::optional<double> improvement_left() const override {
    double improvement = 0, whole = 0;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const Trial* best = parts_[p].strategy->history().best();
      if (best == nullptr) return std::nullopt;
      whole += *best->outcome.seconds;
      // A part of which nothing is left cannot be bettered.
      if (is_done_[p]) continue;
      const auto left = parts_[p].strategy->improvement_left();
      if (!left) return std::nullopt;
      improvement += *left * *best->outcome.seconds;
    }
    // The fastest together are still to be tried.
    if (promises_more()) return 1.0;
    return whole > 0 ? improvement / whole : 0;
  }

  bool is_exhausted() const override { return true; }

 protected:
  std::optional<Configuration> acquire() override {
    if (history_.trials().empty()) {
      if (const auto first = new_one(safe_ones())) return first;
    }
    while (!alone_.empty()) {
      auto [part, configuration] = std::move(alone_.front());
      alone_.pop_front();
      std::vector<Configuration> whole = fastest_ones();
      whole[part] = std::move(configuration);
      if (auto next = new_one(whole)) return next;
    }
    if (promises_more()) {
      if (auto next = new_one(fastest_ones())) return next;
    }
    // Every part may have nothing new for a while: what is under way is not known yet.
    std::vector<Configuration> whole = fastest_ones();
    bool has_new = false;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      std::vector<Configuration> next = parts_[p].strategy->propose(1);
      is_done_[p] = next.empty();
      if (next.empty()) continue;
      whole[p] = std::move(next.front());
      has_new = true;
    }
    return has_new ? new_one(whole) : std::nullopt;
  }

  void learn(const Trial& trial) override {
    const std::vector<Configuration> own = split_(trial.configuration);
    const Outcome& outcome = trial.outcome;
    if (outcome.seconds) {
      for (std::size_t p = 0; p < parts_.size() && p < outcome.part_seconds.size(); ++p) {
        // One that could not be told apart from others of its kernels has no time.
        if (outcome.part_seconds[p] <= 0) continue;
        const Trial of_part{own[p], Outcome::of_time(outcome.part_seconds[p], outcome.cost)};
        parts_[p].strategy->report(std::span(&of_part, 1));
      }
      return;
    }
    std::vector<std::size_t> suspects;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      if (parts_[p].strategy->history().outcome(own[p]) == nullptr && own[p] != parts_[p].safe)
        suspects.push_back(p);
    }
    if (suspects.size() == 1) {
      const std::size_t p = suspects.front();
      const Trial of_part{own[p], Outcome::of_failure(outcome.failure, outcome.cost)};
      parts_[p].strategy->report(std::span(&of_part, 1));
      return;
    }
    for (const std::size_t p : suspects) alone_.emplace_back(p, own[p]);
  }

 private:
  static Configuration joined(const std::vector<Configuration>& parts) {
    Configuration whole;
    for (const Configuration& each : parts) whole.insert(whole.end(), each.begin(), each.end());
    return whole;
  }
  /// Joined; nothing where it is known already.
  std::optional<Configuration> new_one(const std::vector<Configuration>& parts) const {
    Configuration whole = joined(parts);
    return history_.is_known(whole) ? std::nullopt : std::optional(std::move(whole));
  }
  std::vector<Configuration> safe_ones() const {
    std::vector<Configuration> list;
    for (const SearchedPart& part : parts_) list.push_back(part.safe);
    return list;
  }
  std::vector<Configuration> fastest_ones() const {
    std::vector<Configuration> list;
    for (const SearchedPart& part : parts_) {
      const Trial* best = part.strategy->history().best();
      list.push_back(best == nullptr ? part.safe : best->configuration);
    }
    return list;
  }
  /// Whether the fastest of each part were not tried together, and are faster than the fastest trial as far
  /// as the parts' times tell.
  bool promises_more() const {
    const Trial* best = history_.best();
    if (best == nullptr || best->outcome.part_seconds.empty()) return false;
    double together = 0;
    for (const SearchedPart& part : parts_) {
      const Trial* fastest = part.strategy->history().best();
      if (fastest == nullptr) return false;
      together += *fastest->outcome.seconds;
    }
    const auto& seconds = best->outcome.part_seconds;
    const double now = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    return together < (1 - least_gain) * now && new_one(fastest_ones()).has_value();
  }

  std::vector<SearchedPart> parts_;
  std::function<std::vector<Configuration>(const Configuration&)> split_;
  /// What is to be tried by itself: the part and its configuration.
  std::deque<std::pair<std::size_t, Configuration>> alone_;
  std::vector<bool> is_done_ = std::vector<bool>(parts_.size());  ///< parts with nothing left
};

}  // namespace

std::unique_ptr<Strategy> make_side_by_side(
    const Space& space, std::vector<SearchedPart> parts,
    std::function<std::vector<Configuration>(const Configuration&)> split, const StrategyOptions& options) {
  return std::make_unique<SideBySide>(space, std::move(parts), std::move(split), options);
}

}  // namespace hoist::search
