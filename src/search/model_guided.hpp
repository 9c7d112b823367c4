#pragma once
// Where a surrogate, learned from the trials so far, expects most: what model-guided searches have in common.
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
  std::optional<Configuration> wish() override;
  void learn(const Trial& trial) override;

  /// Before a surrogate is asked: the next one to try, or nothing for one at random.
  virtual std::optional<Configuration> opening() { return std::nullopt; }
  virtual bool is_opening() const;
  /// What the surrogate chooses from.
  virtual std::vector<Configuration> candidates();
  /// What is not known yet of the neighbours of the fastest, and of the neighbours' neighbours of the very
  /// fastest.
  std::vector<Configuration> around_fastest();
  /// What the surrogate learns from.
  virtual std::vector<double> features(const Configuration& configuration) const;
  /// What is thought of a configuration without the surrogate, which learns what is left: logarithms of
  /// seconds, but for a number that is the same for all.
  virtual double offset(const Configuration& /*configuration*/) const { return 0; }
  /// What a prediction may at the least be wrong by.
  virtual double least_deviation() const { return 0; }
  /// What offset() may be wrong by, for all that trials of others say: it keeps from ending too early.
  virtual double doubt(const Configuration& /*configuration*/) const { return 0; }
  std::size_t times() const { return timed_.targets.size(); }
  /// By how much the last one that was proposed is expected to better the best, doubts and all.
  const std::optional<double>& expected_improvement() const { return expected_improvement_; }

 private:
  struct Choice {
    std::size_t place = 0;  ///< among the rows
    double belief = 0;      ///< what is predicted of it, without its offset
    double deviation = 0;   ///< of that, doubts and all
    double improvement = 0;
  };
  /// What was proposed, with what is predicted of it.
  struct Awaited {
    Configuration configuration;
    double belief = 0, deviation = 0;
  };
  const std::vector<Configuration>& neighbours(const Configuration& configuration);
  std::vector<const Trial*> fastest() const;
  Choice most_promising(const std::vector<Configuration>& pool, const Matrix& rows);
  std::vector<double> log_chances(const Matrix& rows);
  void remember_surprise(const Awaited& predicted, double value);
  double surprise() const;
  void forget();

  std::function<double(const Configuration&)> expectation_;
  Matrix tried_;                       ///< all trials
  std::vector<std::uint32_t> failed_;  ///< of each, 1 where it has no time
  /// Trials with a time, which the surrogate learns from; the targets are logarithms, less their offsets.
  learn::Examples timed_;
  std::unordered_map<Configuration, std::vector<Configuration>, ConfigurationHash> neighbours_;
  bool is_near_only_ = false;
  std::size_t failure_count_ = 0, failures_of_ = 0;  ///< how many trials their model has learned from
  std::vector<Awaited> awaited_;
  std::deque<double> squared_surprises_;  ///< of the latest proposals
  std::unique_ptr<learn::Regressor> surrogate_;
  std::unique_ptr<learn::Classifier> failures_;
  std::optional<double> expected_improvement_;
};

}  // namespace hoist::search
