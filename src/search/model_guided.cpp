// One round of Bayesian optimisation, and what it remembers between rounds.
//
// `acquire` proposes: it fits the surrogate to the trials that have times, tells it of the proposals that are
// still being measured (`await`, so that the next one is another), collects a pool of candidates, and takes
// the one with the greatest acquisition function (`most_promising`). The pool is the neighbourhood of the
// fastest trials in every other round, where the search exploits; in the others random candidates are added,
// by which it explores.
//
// `learn` takes what a trial gave. A trial without a time teaches the classifier of failures alone. The
// targets of the surrogate are residuals: the logarithm of the time, less the prior mean of the
// configuration.
//
// A search ends by the improvement that is expected of the best proposal. There deviations matter more than
// in the choice of a proposal, so they are multiplied by `calibration`, which says by how much the latest
// predictions were wrong towards the fast side.
#include "search/model_guided.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "learn/forest.hpp"
#include "learn/gaussian_process.hpp"
#include "learn/scaling.hpp"
#include "search/strategies.hpp"

namespace hoist::search {

namespace {

using learn::Prediction;

constexpr std::size_t first_trials = 2;  ///< a central one and one at random, before a model is asked
constexpr std::size_t pool_draws = 300;  ///< random candidates for each proposal
constexpr std::size_t pool_around = 5;   ///< the fastest so far, whose neighbours are candidates too
constexpr std::size_t looked_at_closely = 25;
/// A surrogate learns from this many trials at the most, of which it forgets some when there are more.
constexpr std::size_t most_learned = 200, kept = 150;
constexpr std::size_t most_neighbourhoods = 5000;  ///< kept, of some tens of configurations each
/// The latest proposals by which deviations are calibrated when a search is to end, and how many more are
/// counted as if they had come as predicted.
constexpr std::size_t most_calibrating = 1000;
constexpr double assumed_calibrating = 30;
constexpr double too_likely_to_fail = 0.5;  ///< tried only where nothing else is left

/// The logarithm of the expected improvement (Mockus 1978; Jones, Schonlau and Welch 1998): how much less
/// than `best` a value is expected to be, where a value that is more counts nothing.
double log_expected_improvement(double best, const Prediction& prediction) {
  const double z = (best - prediction.mean) / prediction.deviation;
  const double below = 0.5 * std::erfc(-z / std::numbers::sqrt2);
  const double density = std::exp(-0.5 * z * z) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  const double improvement = prediction.deviation * (z * below + density);
  // Where the improvement underflows, the order is that of the distance.
  constexpr double least = 1e-280;
  return improvement > least ? std::log(improvement) : std::log(least) - z * z;
}

}  // namespace

ModelGuided::ModelGuided(const Space& space, const StrategyOptions& options)
    : Strategy(space, options.seed), expectation_(options.expectation) {
  surrogate_ = options.surrogate ? options.surrogate(random_.bits()) : learn::make_gaussian_process();
  failures_ = learn::make_forest_classifier(random_.bits());
}

bool ModelGuided::is_opening() const { return history_.trials().size() < first_trials || times() < 2; }

/// Of some random draws the one that is nearest to their mean, each feature in units of its deviation. Values
/// in the middle of their ranges are seldom the best and seldom bad, and the first trial of a search must not
/// be bad where there is time for few.
std::optional<Configuration> ModelGuided::opening() {
  if (history_.known() > 0) return std::nullopt;
  std::vector<Configuration> drawn;
  Matrix rows;
  for (std::size_t i = 0; i < pool_draws; ++i) {
    drawn.push_back(space_.draw(random_));
    rows.add(features(drawn.back()));
  }
  if (rows.width == 0) return std::nullopt;
  const Matrix scaled = learn::Standardization::of(rows).apply(rows);
  const auto squared_distance = [&](std::size_t i) {
    const auto row = scaled.row(i);
    return std::inner_product(row.begin(), row.end(), row.begin(), 0.0);
  };
  std::size_t central = 0;
  for (std::size_t i = 1; i < drawn.size(); ++i) {
    if (squared_distance(i) < squared_distance(central)) central = i;
  }
  return drawn[central];
}

std::optional<Configuration> ModelGuided::acquire() {
  if (is_opening()) return opening();
  std::vector<Configuration> pool = candidates();
  if (pool.empty()) return std::nullopt;
  Matrix rows;
  for (const Configuration& each : pool) rows.add(features(each));
  surrogate_->fit(timed_);
  Matrix awaited;
  for (const Awaited& each : awaited_) awaited.add(features(each.configuration));
  surrogate_->await(awaited);
  const Choice choice = most_promising(pool, rows);
  awaited_.push_back({pool[choice.place], choice.surrogate_mean, choice.deviation});
  expected_improvement_ = choice.improvement;
  return pool[choice.place];
}

void ModelGuided::learn(const Trial& trial) {
  const auto awaited = std::ranges::find(awaited_, trial.configuration, &Awaited::configuration);
  if (awaited != awaited_.end()) {
    if (trial.outcome.seconds)
      calibrate(*awaited, std::log(*trial.outcome.seconds) - prior_mean(trial.configuration));
    awaited_.erase(awaited);
  }
  const std::vector<double> row = features(trial.configuration);
  tried_.add(row);
  failed_.push_back(trial.outcome.seconds ? 0 : 1);
  if (!trial.outcome.seconds) {
    ++failure_count_;
    return;
  }
  timed_.rows.add(row);
  timed_.targets.push_back(std::log(*trial.outcome.seconds) - prior_mean(trial.configuration));
  if (times() > most_learned) forget();
}

std::vector<double> ModelGuided::features(const Configuration& configuration) const {
  std::vector<double> result = space_.features(configuration);
  if (expectation_) result.push_back(expectation_(configuration));
  return result;
}

/// The candidates that the surrogate chooses from: neighbours of the fastest, and some at random.
std::vector<Configuration> ModelGuided::candidates() {
  std::vector<Configuration> pool = around_fastest();
  // Every other proposal is a neighbour (exploitation): otherwise the expected improvement of unknown regions
  // would keep the search from finding the local optimum.
  is_near_only_ = !is_near_only_;
  if (is_near_only_ && !pool.empty()) return pool;
  std::unordered_set<Configuration, ConfigurationHash> in_pool(pool.begin(), pool.end());
  for (std::size_t i = 0; i < pool_draws; ++i) {
    Configuration drawn = space_.draw(random_);
    if (!history_.is_known(drawn) && in_pool.insert(drawn).second) pool.push_back(std::move(drawn));
  }
  return pool;
}

std::vector<Configuration> ModelGuided::around_fastest() {
  if (neighbours_.size() > most_neighbourhoods) neighbours_.clear();
  std::vector<Configuration> pool;
  std::unordered_set<Configuration, ConfigurationHash> in_pool;
  const auto add = [&](const Configuration& candidate) {
    if (!history_.is_known(candidate) && in_pool.insert(candidate).second) pool.push_back(candidate);
  };
  const std::vector<const Trial*> centres = fastest();
  for (const Trial* centre : centres) {
    for (const Configuration& neighbour : neighbours(centre->configuration)) add(neighbour);
  }
  if (centres.empty()) return pool;
  for (const Configuration& neighbour : neighbours(centres.front()->configuration)) {
    for (const Configuration& next : neighbours(neighbour)) add(next);
  }
  return pool;
}

/// Neighbourhoods are kept, because the fastest are the same for many proposals.
const std::vector<Configuration>& ModelGuided::neighbours(const Configuration& configuration) {
  const auto known = neighbours_.find(configuration);
  if (known != neighbours_.end()) return known->second;
  return neighbours_.emplace(configuration, space_.neighbours(configuration)).first->second;
}

std::vector<const Trial*> ModelGuided::fastest() const {
  std::vector<const Trial*> valid;
  for (const Trial& trial : history_.trials()) {
    if (trial.outcome.seconds) valid.push_back(&trial);
  }
  const std::size_t count = std::min(pool_around, valid.size());
  std::partial_sort(valid.begin(), valid.begin() + static_cast<std::ptrdiff_t>(count), valid.end(),
                    [](const Trial* a, const Trial* b) { return *a->outcome.seconds < *b->outcome.seconds; });
  valid.resize(count);
  return valid;
}

/// The logarithms of the probabilities that candidates do not fail, by a classifier that learned from all
/// trials.
std::vector<double> ModelGuided::log_chances(const Matrix& rows) {
  std::vector<double> chances(rows.count(), 0);
  if (failure_count_ == 0) return chances;
  // One trial more among hundreds changes little.
  if (static_cast<double>(tried_.count()) > 1.05 * static_cast<double>(failures_of_)) {
    failures_->fit(tried_, failed_, 2);
    failures_of_ = tried_.count();
  }
  const Matrix failing = failures_->probabilities(rows);
  constexpr double last = -1e6, least = 1e-3;
  for (std::size_t i = 0; i < rows.count(); ++i) {
    const double failure = failing.at(i, 1);
    chances[i] = std::log(std::max(1 - failure, least)) + (failure > too_likely_to_fail ? last : 0);
  }
  return chances;
}

/// Remembers by how many deviations a trial was faster than predicted.
void ModelGuided::calibrate(const Awaited& predicted, double value) {
  const double error = std::min(0.0, (value - predicted.surrogate_mean) / predicted.deviation);
  if (squared_errors_.size() == most_calibrating) squared_errors_.pop_front();
  squared_errors_.push_back(error * error);
}

/// The factor by which deviations are multiplied where the question is whether anything better is left. It is
/// the root mean square of the latest standardised errors towards the fast side, where every second should
/// be.
double ModelGuided::calibration() const {
  const double squares = std::accumulate(squared_errors_.begin(), squared_errors_.end(), 0.0);
  const double count = static_cast<double>(squared_errors_.size());
  return std::min(1.0, std::sqrt((assumed_calibrating + 2 * squares) / (assumed_calibrating + count)));
}

/// The candidate with the greatest acquisition function: its expected improvement times the probability that
/// it does not fail. All candidates are looked at roughly, the most promising closely.
ModelGuided::Choice ModelGuided::most_promising(const std::vector<Configuration>& pool, const Matrix& rows) {
  const double best = std::log(*history_.best()->outcome.seconds);
  const std::vector<double> chances = log_chances(rows);
  const std::vector<Prediction> outlined = surrogate_->outline(rows);
  const auto value = [&](std::size_t i, Prediction predicted) {
    predicted.mean += prior_mean(pool[i]);
    return log_expected_improvement(best, predicted) + chances[i];
  };
  const auto widened = [&](Prediction predicted, double prior = 0) {
    predicted.deviation = std::hypot(predicted.deviation, least_deviation(), prior);
    return predicted;
  };
  std::vector<double> values;
  for (std::size_t i = 0; i < rows.count(); ++i) values.push_back(value(i, widened(outlined[i])));
  std::vector<std::size_t> order(rows.count());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t close = std::min(looked_at_closely, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(close), order.end(),
                    [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  order.resize(close);
  Matrix promising;
  for (const std::size_t i : order) promising.add(rows.row(i));
  const std::vector<Prediction> predicted = surrogate_->predict(promising);
  const double factor = calibration();
  Choice chosen;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < close; ++i) {
    const double acquisition = value(order[i], widened(predicted[i]));
    const Prediction with_prior = widened(predicted[i], prior_deviation(pool[order[i]]));
    const Prediction calibrated{with_prior.mean, factor * with_prior.deviation};
    chosen.improvement = std::max(chosen.improvement, std::exp(value(order[i], calibrated)));
    if (acquisition <= most) continue;
    most = acquisition;
    chosen.place = order[i];
    chosen.surrogate_mean = predicted[i].mean;
    chosen.deviation = with_prior.deviation;
  }
  return chosen;
}

/// Forgets some trials: the faster half of those that are kept are the fastest of all, the rest are drawn.
void ModelGuided::forget() {
  std::vector<std::uint32_t> order(times());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](auto a, auto b) { return timed_.targets[a] < timed_.targets[b]; });
  std::vector<std::uint32_t> others(order.begin() + kept / 2, order.end());
  random_.shuffle(others);
  std::copy_n(others.begin(), kept - kept / 2, order.begin() + kept / 2);
  order.resize(kept);
  timed_ = timed_.select(order);
}

std::unique_ptr<Strategy> make_model_guided(const Space& space, const StrategyOptions& options) {
  return std::make_unique<ModelGuided>(space, options);
}

}  // namespace hoist::search
