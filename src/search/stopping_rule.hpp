#pragma once
// When a search ends by itself: by what it has found (Chance), and by what it expects of its own proposals.
// Budgets are not its business, and neither is who measures: it is told numbers.
#include <cstdint>
#include <optional>
#include <span>

#include "search/configuration.hpp"

namespace hoist::search {

class StoppingRule {
 public:
  /// A search ends when the next one is better with less than this `chance` (run.hpp), or when what it
  /// proposes is expected to be better by less than `least_improvement`, a share of the best's time. Either
  /// is 0 where it is not to end by that.
  StoppingRule(double chance, double least_improvement)
      : chance_(chance), least_improvement_(least_improvement) {}

  /// Whether a better one is too unlikely after so many evaluations. It is looked at every 25 of them.
  bool is_unlikely(std::span<const Trial> trials, std::size_t evaluations);

  /// Something was proposed: what is expected of it (nothing: the search expects nothing that it could be
  /// ended by), and the least seconds so far, 0 before there are any.
  void propose(std::optional<double> expected_improvement, double best);
  /// Whether nothing more is to be proposed for now: what was proposed lately, as often as there may be
  /// candidates under way at a time, would hardly be better.
  bool expects_little(std::size_t evaluations, std::size_t under_way) const;
  /// All that was under way when little was expected has come in. False where some of it was better than what
  /// was known when it was proposed: then the search goes on.
  bool settle(double best);

 private:
  double chance_, least_improvement_;
  std::size_t chance_looked_at_ = 0;  ///< evaluations
  std::optional<double> expected_;    ///< of the last proposal
  std::size_t little_in_a_row_ = 0;   ///< proposals
  double best_when_proposed_ = 0;
};

}  // namespace hoist::search
