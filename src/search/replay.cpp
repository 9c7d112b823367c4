#include "search/replay.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

namespace hoist::search {

namespace {

/// Points in time at which a score looks.
constexpr std::size_t resolution = 1000;

std::vector<Configuration> configurations_of(const Recording& recording) {
  std::vector<Configuration> configurations;
  for (const Trial& trial : recording.trials) configurations.push_back(trial.configuration);
  return configurations;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double quantile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(std::lround(share * static_cast<double>(sorted.size() - 1)))];
}

/// Before a run has found anything it counts as what one random draw is expected to give.
std::size_t rank_at_start(const Replay& space) { return (space.times().size() - 1) / 2; }

/// The mean over the budget of what `time_at` gives, on the way from random search to the optimum.
template <class TimeAt>
double score_of(const Replay& space, const TimeAt& time_at) {
  double sum = 0;
  for (std::size_t i = 1; i <= resolution; ++i) {
    const double seconds = space.budget_seconds() * static_cast<double>(i) / resolution;
    const double random = space.expected_of_random(seconds);
    const double room = random - space.optimum();
    if (room > 0) sum += (random - time_at(seconds)) / room;
  }
  return sum / resolution;
}

template <class RankAt>
CurvePoint curve_point(const Replay& space, const std::vector<ReplayRun>& runs, double at,
                       const RankAt& rank_at) {
  std::vector<double> found;
  for (const ReplayRun& run : runs) found.push_back(space.times()[rank_at(run)] / space.optimum());
  std::sort(found.begin(), found.end());
  return {at, quantile(found, 0.25), quantile(found, 0.5), quantile(found, 0.75)};
}

}  // namespace

Replay::Replay(Recording recording)
    : recording_(std::move(recording)), space_(configurations_of(recording_)) {
  double cost = 0;
  for (const Trial& trial : recording_.trials) {
    if (trial.outcome.seconds) times_.push_back(*trial.outcome.seconds);
    cost += trial.outcome.cost;
  }
  std::sort(times_.begin(), times_.end());
  const double valid = static_cast<double>(times_.size());
  // A recording without costs counts evaluations.
  seconds_per_valid_ = cost > 0 ? cost / valid : static_cast<double>(recording_.trials.size()) / valid;
  const double target = optimum() + (median() - optimum()) * 0.05;
  const auto reached = std::upper_bound(times_.begin(), times_.end(), target) - times_.begin();
  // The best of k draws without replacement is expected at rank (n + 1) / (k + 1), counted from 1.
  budget_valid_ = std::ceil((valid - static_cast<double>(reached)) / (1 + static_cast<double>(reached)));
  budget_valid_ = std::max(budget_valid_, 1.0);
}

std::size_t Replay::budget_evaluations() const {
  const double valid_share =
      static_cast<double>(times_.size()) / static_cast<double>(recording_.trials.size());
  return static_cast<std::size_t>(std::ceil(budget_valid_ / valid_share));
}

double Replay::expected_of_random(double seconds) const {
  const double drawn = std::max(std::round(seconds / seconds_per_valid_), 1.0);
  const double count = static_cast<double>(times_.size());
  const double from_worst = std::min(std::round(drawn * (count + 1) / (drawn + 1)), count - 1);
  return times_[times_.size() - 1 - static_cast<std::size_t>(from_worst)];
}

std::size_t ReplayRun::rank_at(double seconds, std::size_t before) const {
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (step->seconds <= seconds) return step->rank;
  }
  return before;
}

std::size_t ReplayRun::rank_after(std::size_t count, std::size_t before) const {
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (step->evaluation <= count) return step->rank;
  }
  return before;
}

ReplayRun replay(const Replay& space, Strategy& strategy) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  const bool has_costs = std::any_of(space.recording().trials.begin(), space.recording().trials.end(),
                                     [](const Trial& trial) { return trial.outcome.cost > 0; });
  ReplayRun run;
  double seconds = 0;
  while (seconds < space.budget_seconds() || run.evaluations < space.budget_evaluations()) {
    const Clock::time_point start = Clock::now();
    const std::vector<Configuration> proposed = strategy.propose(1);
    const double took = since(start);
    if (proposed.empty()) break;
    const Trial& trial = space.trial(proposed.front());
    seconds += has_costs ? trial.outcome.cost : 1;
    ++run.evaluations;
    const Clock::time_point reporting = Clock::now();
    strategy.report({&trial, 1});
    run.proposing += took + since(reporting);
    run.slowest_proposal = std::max(run.slowest_proposal, took + since(reporting));
    if (!trial.outcome.seconds) {
      ++run.failures;
      continue;
    }
    const auto rank = std::lower_bound(space.times().begin(), space.times().end(), *trial.outcome.seconds) -
                      space.times().begin();
    if (run.steps.empty() || static_cast<std::size_t>(rank) < run.steps.back().rank)
      run.steps.push_back({seconds, run.evaluations, static_cast<std::size_t>(rank)});
    if (rank == 0) break;  // nothing is better
  }
  return run;
}

ReplaySummary summary(const Replay& space, const std::vector<ReplayRun>& runs, std::size_t curve_points) {
  ReplaySummary result;
  const std::size_t start = rank_at_start(space);
  result.score = score_of(space, [&](double seconds) {
    double ranks = 0;
    for (const ReplayRun& run : runs) ranks += static_cast<double>(run.rank_at(seconds, start));
    return space.times()[static_cast<std::size_t>(std::lround(ranks / static_cast<double>(runs.size())))];
  });
  std::vector<double> scores;
  double evaluations = 0, failures = 0;
  for (const ReplayRun& run : runs) {
    scores.push_back(
        score_of(space, [&](double seconds) { return space.times()[run.rank_at(seconds, start)]; }));
    evaluations += static_cast<double>(run.evaluations);
    failures += static_cast<double>(run.failures);
    result.proposing += run.proposing;
    result.slowest_proposal = std::max(result.slowest_proposal, run.slowest_proposal);
  }
  const double mean = mean_of(scores);
  for (const double score : scores) result.deviation += (score - mean) * (score - mean);
  result.deviation =
      scores.size() < 2 ? 0 : std::sqrt(result.deviation / static_cast<double>(scores.size() - 1));
  result.failure_share = failures / evaluations;
  result.proposing /= evaluations;
  for (std::size_t i = 1; i <= curve_points; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(curve_points);
    const double seconds = share * space.budget_seconds();
    const double count = std::ceil(share * static_cast<double>(space.budget_evaluations()));
    result.by_seconds.push_back(
        curve_point(space, runs, seconds, [&](const ReplayRun& run) { return run.rank_at(seconds, start); }));
    result.by_evaluations.push_back(curve_point(space, runs, count, [&](const ReplayRun& run) {
      return run.rank_after(static_cast<std::size_t>(count), start);
    }));
  }
  return result;
}

}  // namespace hoist::search
