#pragma once
// The interface of every search strategy: propose a batch, report what became of it. A strategy never sees a
// device.
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "learn/learners.hpp"
#include "search/history.hpp"

namespace hoist::search {

struct StrategyOptions {
  std::uint64_t seed = 1;
  /// What is thought of a configuration before anything is measured, as the logarithm of its seconds or
  /// anything that grows with it. Model-guided search learns how far to believe it.
  std::function<double(const Configuration&)> expectation = {};
  /// The surrogate of model-guided search; its own where this is empty.
  std::function<std::unique_ptr<learn::Regressor>(std::uint64_t seed)> surrogate = {};
};

class Strategy {
 public:
  Strategy(const Space& space, std::uint64_t seed)
      : space_(space), random_(seed), draws_(space, random_.bits()) {}
  virtual ~Strategy() = default;

  /// Different configurations that were neither proposed nor reported before: `count` of them, fewer only
  /// where there are no more, or none until outcomes of earlier ones are reported.
  std::vector<Configuration> propose(std::size_t count);
  /// What became of configurations, in any order; those that were never proposed here (an earlier run's,
  /// another strategy's) are learned from alike. What was reported before is passed over.
  void report(std::span<const Trial> trials);
  const History& history() const { return history_; }
  /// By how much the last one that was proposed is expected to better the best, as a share of it; of
  /// strategies whose expectation is good enough to end a search by.
  virtual std::optional<double> improvement_left() const { return std::nullopt; }

  /// Nothing is left that would tell anything new.
  virtual bool is_exhausted() const { return false; }
  /// What it is at, for people who wait; empty where there is nothing to tell.
  virtual std::string phase() const { return ""; }

 protected:
  /// The next configuration to try, not known yet. Where the strategy prefers none, it gives nothing, and one
  /// is drawn at random.
  virtual std::optional<Configuration> acquire() = 0;
  /// Told after the history has it.
  virtual void learn(const Trial& trial) = 0;

  const Space& space_;
  Random random_;
  History history_;

 private:
  Draws draws_;
};

}  // namespace hoist::search
