#include "search/history.hpp"

namespace hoist::search {

bool History::add(const Trial& trial) {
  known_.insert(trial.configuration);
  if (!places_.emplace(trial.configuration, trials_.size()).second) return false;
  trials_.push_back(trial);
  const auto& seconds = trial.outcome.seconds;
  if (seconds && (!best_ || *seconds < *trials_[*best_].outcome.seconds)) best_ = trials_.size() - 1;
  return true;
}

const Outcome* History::outcome(const Configuration& configuration) const {
  const auto found = places_.find(configuration);
  return found == places_.end() ? nullptr : &trials_[found->second].outcome;
}

std::optional<Configuration> Draws::next(const History& history) {
  constexpr std::uint64_t listable = 1 << 20;
  const std::uint64_t size = space_.size();
  if (size > listable) {
    for (int attempt = 0; attempt < 1000; ++attempt) {
      Configuration drawn = space_.draw(random_);
      if (!history.is_known(drawn)) return drawn;
    }
    return std::nullopt;
  }
  // Fisher and Yates's shuffle, of which only what was exchanged is kept.
  const auto place = [&](std::uint64_t rank) {
    const auto found = moved_.find(rank);
    return found == moved_.end() ? rank : found->second;
  };
  while (drawn_ < size) {
    const std::uint64_t chosen = drawn_ + random_.below(size - drawn_);
    const std::uint64_t rank = place(chosen);
    moved_[chosen] = place(drawn_++);
    Configuration drawn = space_.at(rank);
    if (!history.is_known(drawn)) return drawn;
  }
  return std::nullopt;
}

}  // namespace hoist::search
