// Searches in the order that a model predicts: a model trained on other programs gives the prior mean of each
// candidate, and the surrogate learns the errors of the model as results come (transfer learning).
#include <algorithm>
#include <deque>
#include <unordered_map>
#include <unordered_set>

#include "search/model_guided.hpp"
#include "search/strategies.hpp"

namespace hoist::search {

namespace {

constexpr std::size_t first_in_order = 3;  ///< with times, before errors are learned
/// Then the fastest expected of other kinds, of so many at the most and as far behind the fastest of all.
constexpr std::size_t most_leaders = 8;
constexpr double farthest_behind = 0.7;  ///< a logarithm
constexpr double usual_error = 0.05;     ///< of logarithms: errors may by chance be the same at first
constexpr std::size_t first_near = 12;   ///< trials before neighbours of the fastest are candidates
/// The share of the model's deviation that no other trial explains: its errors are much the same for
/// candidates that are alike.
constexpr double share_of_deviation = 0.5;
constexpr std::size_t chosen_from = 1000;   ///< the fastest expected of those that are left
constexpr std::size_t asked_at_once = 128;  ///< neighbours that nothing is thought of yet, for each proposal

class Predicted : public ModelGuided {
 public:
  Predicted(const Space& space, std::vector<Expected> expected, const StrategyOptions& options,
            Expectations expect)
      : ModelGuided(space, options), expected_(std::move(expected)), expect_(std::move(expect)) {
    std::stable_sort(expected_.begin(), expected_.end(),
                     [](const Expected& a, const Expected& b) { return a.log_seconds < b.log_seconds; });
    for (const Expected& each : expected_)
      priors_.emplace(each.configuration, Prior{each.log_seconds, each.deviation});
    choose_leaders();
    if (!expected_.empty()) {
      const Expected& middle = expected_[expected_.size() / 2];
      usual_ = {middle.log_seconds, middle.deviation};
    }
  }

  std::optional<double> improvement_left() const override { return expected_improvement(); }

 protected:
  bool is_opening() const override {
    skip_known();
    return times() == 0 || !leaders_.empty() || (times() < first_in_order && next_ < expected_.size());
  }
  std::optional<Configuration> opening() override {
    skip_known();
    if (next_ >= first_in_order && !leaders_.empty()) return expected_[leaders_.front()].configuration;
    if (next_ == expected_.size()) return std::nullopt;
    return expected_[next_].configuration;
  }

  std::vector<Configuration> candidates() override {
    skip_known();
    // What was ranked may be a sample: every other time around the fastest, too.
    is_near_ = !is_near_;
    std::vector<Configuration> pool;
    if (is_near_ && history_.trials().size() >= first_near) pool = near();
    if (!pool.empty()) return pool;
    for (std::size_t i = next_; i < expected_.size() && pool.size() < chosen_from; ++i) {
      if (!history_.is_known(expected_[i].configuration)) pool.push_back(expected_[i].configuration);
    }
    return pool.empty() ? ModelGuided::candidates() : pool;
  }

  std::vector<double> features(const Configuration& configuration) const override {
    std::vector<double> result = space_.features(configuration);
    result.push_back(prior_mean(configuration));
    return result;
  }
  double prior_mean(const Configuration& configuration) const override {
    return prior(configuration).log_seconds;
  }
  double prior_deviation(const Configuration& configuration) const override {
    return share_of_deviation * prior(configuration).deviation;
  }
  double least_deviation() const override { return usual_error; }

 private:
  struct Prior {
    double log_seconds = 0, deviation = 0;
  };
  std::vector<Configuration> near() {
    if (!expect_) return ModelGuided::candidates();
    std::vector<Configuration> pool = around_fastest(), asked;
    for (const Configuration& each : pool) {
      if (asked.size() == asked_at_once) break;
      if (!priors_.contains(each) && !cannot_be_tried_.contains(each)) asked.push_back(each);
    }
    if (!asked.empty()) ask(asked);
    std::erase_if(pool, [&](const Configuration& each) { return !priors_.contains(each); });
    return pool;
  }
  void ask(const std::vector<Configuration>& configurations) {
    const std::vector<std::optional<Expected>> answers = expect_(configurations);
    for (std::size_t i = 0; i < configurations.size(); ++i) {
      if (answers[i])
        priors_.emplace(configurations[i], Prior{answers[i]->log_seconds, answers[i]->deviation});
      else
        cannot_be_tried_.insert(configurations[i]);
    }
  }
  /// The prior of a configuration. A configuration that was not ranked has that of the fastest one at the
  /// time when it was first asked for, since as a rule it is a neighbour of the fastest.
  const Prior& prior(const Configuration& configuration) const {
    const auto known = priors_.find(configuration);
    if (known != priors_.end()) return known->second;
    const Trial* best = history_.best();
    const auto of_best = best == nullptr ? priors_.end() : priors_.find(best->configuration);
    const Prior taken = of_best == priors_.end() ? usual_ : of_best->second;
    return priors_.emplace(configuration, taken).first->second;
  }
  /// A model may be wrong about all of a kind. The surrogate learns that from one of them, and would not try
  /// any while others are expected to be faster.
  void choose_leaders() {
    std::unordered_set<std::uint64_t> kinds;
    for (std::size_t i = 0; i < expected_.size() && leaders_.size() < most_leaders; ++i) {
      if (expected_[i].log_seconds > expected_.front().log_seconds + farthest_behind) break;
      if (kinds.insert(expected_[i].kind).second && i >= first_in_order) leaders_.push_back(i);
    }
  }
  void skip_known() const {
    const auto is_known = [&](std::size_t i) { return history_.is_known(expected_[i].configuration); };
    while (next_ < expected_.size() && is_known(next_)) ++next_;
    while (!leaders_.empty() && is_known(leaders_.front())) leaders_.pop_front();
  }

  std::vector<Expected> expected_;  ///< the fastest first
  const Expectations expect_;
  std::unordered_set<Configuration, ConfigurationHash> cannot_be_tried_;  ///< of those that were asked for
  mutable std::unordered_map<Configuration, Prior, ConfigurationHash> priors_;
  bool is_near_ = false;
  Prior usual_;                   ///< the median, before anything is measured
  mutable std::size_t next_ = 0;  ///< of expected_; those before it are known
  mutable std::deque<std::size_t>
      leaders_;  ///< in expected_: those of other kinds that are to be tried early
};

}  // namespace

std::unique_ptr<Strategy> make_predicted(const Space& space, std::vector<Expected> expected,
                                         const StrategyOptions& options, Expectations expect) {
  return std::make_unique<Predicted>(space, std::move(expected), options, std::move(expect));
}

}  // namespace hoist::search
