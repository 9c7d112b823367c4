#pragma once
// Bayesian optimisation, which all model-guided searches have in common: a surrogate model of the logarithm
// of the time is fitted to the trials so far, and the next configuration is the one with the greatest
// acquisition function, the expected improvement times the chance that it does not fail.
#include <deque>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "search/strategy.hpp"

namespace hoist::search {

class ModelGuided : public Strategy {
 public:
  ModelGuided(const Space& space, const StrategyOptions& options);

 protected:
  std::optional<Configuration> acquire() override;
  void learn(const Trial& trial) override;

  /// Before a surrogate is asked: the next one to try, or nothing for one at random. Of a search that knows
  /// nothing yet it is a central configuration.
  virtual std::optional<Configuration> opening();
  virtual bool is_opening() const;
  /// What the surrogate chooses from.
  virtual std::vector<Configuration> candidates();
  /// What is not known yet of the neighbours of the fastest, and of the neighbours' neighbours of the very
  /// fastest.
  std::vector<Configuration> around_fastest();
  /// What the surrogate learns from.
  virtual std::vector<double> features(const Configuration& configuration) const;
  /// The prior mean of a configuration: the logarithm of its seconds, but for a number that is the same for
  /// all, as it is expected without any trial. The surrogate learns the residuals.
  virtual double prior_mean(const Configuration& /*configuration*/) const { return 0; }
  /// What a prediction may at the least be wrong by.
  virtual double least_deviation() const { return 0; }
  /// The standard deviation of the prior mean's error, which no trial of another configuration makes smaller.
  /// It keeps a search from ending too early.
  virtual double prior_deviation(const Configuration& /*configuration*/) const { return 0; }
  std::size_t times() const { return timed_.targets.size(); }
  /// By how much the last proposal is expected to better the best time, as a share of it, with the deviation
  /// of the prior.
  const std::optional<double>& expected_improvement() const { return expected_improvement_; }

 private:
  struct Choice {
    std::size_t place = 0;      ///< among the rows
    double surrogate_mean = 0;  ///< of its residual
    double deviation = 0;       ///< of the surrogate and the prior together
    double improvement = 0;
  };
  /// What was proposed, with what is predicted of it.
  struct Awaited {
    Configuration configuration;
    double surrogate_mean = 0, deviation = 0;
  };
  const std::vector<Configuration>& neighbours(const Configuration& configuration);
  std::vector<const Trial*> fastest() const;
  Choice most_promising(const std::vector<Configuration>& pool, const Matrix& rows);
  std::vector<double> log_chances(const Matrix& rows);
  void calibrate(const Awaited& predicted, double value);
  double calibration() const;
  void forget();

  std::function<double(const Configuration&)> expectation_;
  Matrix tried_;                       ///< all trials
  std::vector<std::uint32_t> failed_;  ///< of each, 1 where it has no time
  /// Trials with a time, which the surrogate learns from; the targets are logarithms, less their prior means.
  learn::Examples timed_;
  std::unordered_map<Configuration, std::vector<Configuration>, ConfigurationHash> neighbours_;
  bool is_near_only_ = false;
  std::size_t failure_count_ = 0, failures_of_ = 0;  ///< how many trials their model has learned from
  std::vector<Awaited> awaited_;
  std::deque<double> squared_errors_;  ///< of the latest proposals
  std::unique_ptr<learn::Regressor> surrogate_;
  std::unique_ptr<learn::Classifier> failures_;
  std::optional<double> expected_improvement_;
};

}  // namespace hoist::search
