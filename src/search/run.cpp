#include "search/run.hpp"

#include <chrono>

namespace hoist::search {

std::string_view name_of(Ending ending) {
  switch (ending) {
    case Ending::Seconds:
      return "the time budget is used up";
    case Ending::Evaluations:
      return "the number of evaluations is reached";
    case Ending::Chance:
      return "a better configuration is too unlikely";
    case Ending::Exhausted:
      return "all configurations were tried";
    case Ending::Interrupted:
      return "it was interrupted";
  }
  return "";
}

RunResult run(Strategy& strategy, const Objective& objective, const Budget& budget) {
  using Clock = std::chrono::steady_clock;
  RunResult result;
  const auto timed = [&](auto&& body) {
    const Clock::time_point start = Clock::now();
    body();
    result.proposing += std::chrono::duration<double>(Clock::now() - start).count();
  };
  while (true) {
    if (result.cost + result.proposing >= budget.seconds) return result.ending = Ending::Seconds, result;
    if (result.evaluations >= budget.evaluations) return result.ending = Ending::Evaluations, result;
    if (budget.chance > 0 && chance_of_better(strategy.history().trials()) < budget.chance)
      return result.ending = Ending::Chance, result;
    std::vector<Configuration> batch;
    timed([&] { batch = strategy.propose(std::min(budget.batch, budget.evaluations - result.evaluations)); });
    if (batch.empty()) return result.ending = Ending::Exhausted, result;
    const std::vector<Trial> trials = objective(batch);
    timed([&] { strategy.report(trials); });
    result.evaluations += trials.size();
    for (const Trial& trial : trials) result.cost += trial.outcome.cost;
    if (trials.size() < batch.size()) return result.ending = Ending::Interrupted, result;
  }
}

}  // namespace hoist::search
