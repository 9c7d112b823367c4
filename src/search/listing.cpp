// Strategies that learn nothing: random, exhaustive, and an order that was made elsewhere.
#include "search/strategies.hpp"

namespace hoist::search {

namespace {

class RandomSearch : public Strategy {
 public:
  using Strategy::Strategy;

 protected:
  std::optional<Configuration> acquire() override { return std::nullopt; }
  void learn(const Trial&) override {}
};

class Exhaustive : public Strategy {
 public:
  using Strategy::Strategy;

 protected:
  std::optional<Configuration> acquire() override {
    while (next_ < space_.size()) {
      Configuration candidate = space_.at(next_++);
      if (!history_.is_known(candidate)) return candidate;
    }
    return std::nullopt;
  }
  void learn(const Trial&) override {}

 private:
  std::uint64_t next_ = 0;
};

class Ordered : public Strategy {
 public:
  Ordered(const Space& space, std::vector<Configuration> order, std::uint64_t seed)
      : Strategy(space, seed), order_(std::move(order)) {}

 protected:
  std::optional<Configuration> acquire() override {
    while (next_ < order_.size()) {
      const Configuration& candidate = order_[next_++];
      if (!history_.is_known(candidate) && space_.contains(candidate)) return candidate;
    }
    return std::nullopt;
  }
  void learn(const Trial&) override {}

 private:
  std::vector<Configuration> order_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_random(const Space& space, const StrategyOptions& options) {
  return std::make_unique<RandomSearch>(space, options.seed);
}

std::unique_ptr<Strategy> make_exhaustive(const Space& space, const StrategyOptions& options) {
  return std::make_unique<Exhaustive>(space, options.seed);
}

std::unique_ptr<Strategy> make_ordered(const Space& space, std::vector<Configuration> order,
                                       std::uint64_t seed) {
  return std::make_unique<Ordered>(space, std::move(order), seed);
}

}  // namespace hoist::search
