#pragma once
// A recorded space as an objective, and the score by which searches are compared on it (Willemsen et al., A
// methodology for comparing optimization algorithms for auto-tuning, FGCS 159, 2024). Time is simulated: each
// trial costs what it cost when it was recorded.
#include <memory>
#include <vector>

#include "search/listed_space.hpp"
#include "search/recording.hpp"
#include "search/strategies.hpp"
#include "search/strategy.hpp"

namespace hoist::search {

class Replay {
 public:
  explicit Replay(Recording recording);

  const Recording& recording() const { return recording_; }
  const ListedSpace& space() const { return space_; }
  const Trial& trial(const Configuration& configuration) const {
    return recording_.trials[space_.rank(configuration)];
  }

  /// The valid times, the fastest first.
  const std::vector<double>& times() const { return times_; }
  double optimum() const { return times_.front(); }
  double median() const { return times_[(times_.size() - 1) / 2]; }
  /// The time at which random search is expected to be within 5% of the way from the optimum to the median.
  double budget_seconds() const { return budget_valid_ * seconds_per_valid_; }
  /// The evaluations of random search until then.
  std::size_t budget_evaluations() const;
  /// What random search is expected to have found after some seconds (the calculated baseline of the paper).
  double expected_of_random(double seconds) const;

 private:
  Recording recording_;
  ListedSpace space_;
  std::vector<double> times_;
  double seconds_per_valid_ = 0;  ///< of random search, by valid configuration; failures on the way included
  double budget_valid_ = 0;
};

/// What one search has found, by simulated time.
struct ReplayRun {
  struct Improvement {
    double seconds = 0;          ///< when it was found
    std::size_t evaluation = 0;  ///< by which evaluation, from 1
    std::size_t rank = 0;        ///< among the valid times, 0 being the optimum
  };
  std::vector<Improvement> steps;  ///< each better than the one before
  std::size_t evaluations = 0, failures = 0;
  double proposing = 0;  ///< real seconds that the strategy took, which are not part of the simulated time
  double slowest_proposal = 0;

  /// The rank of the best at a time, or after evaluations; `before` where there was none.
  std::size_t rank_at(double seconds, std::size_t before) const;
  std::size_t rank_after(std::size_t evaluations, std::size_t before) const;
};

/// Runs until the budget of the space is used up, in seconds as well as in evaluations, or the optimum is
/// found.
ReplayRun replay(const Replay& space, Strategy& strategy);

/// Median and quartiles of the best found, as multiples of the optimum's time.
struct CurvePoint {
  double at = 0, lower_quartile = 0, median = 0, upper_quartile = 0;
};

struct ReplaySummary {
  double score = 0;      ///< the paper's: of the mean rank at each time
  double deviation = 0;  ///< standard deviation of the scores of single runs
  std::vector<CurvePoint> by_seconds, by_evaluations;
  double failure_share = 0;                    ///< of evaluations
  double proposing = 0, slowest_proposal = 0;  ///< real seconds a proposal, mean and most
};

ReplaySummary summary(const Replay& space, const std::vector<ReplayRun>& runs, std::size_t curve_points = 20);

/// What recordings of the same kernel on other devices say of the configurations of `target`, the fastest
/// first: their mean logarithmic slowdown in `others`, as far as those have the same parameters. Those that
/// failed there come after all others. Empty where no other recording fits.
std::vector<Expected> transfer_expectations(const Recording& target,
                                            const std::vector<const Recording*>& others);

}  // namespace hoist::search
