#include "search/stopping_rule.hpp"

#include "search/run.hpp"

namespace hoist::search {

namespace {
constexpr std::size_t evaluations_between_looks = 25;
constexpr std::size_t fewest_evaluations = 12;  ///< before expectations are believed
}  // namespace

bool StoppingRule::is_unlikely(std::span<const Trial> trials, std::size_t evaluations) {
  if (chance_ <= 0 || evaluations < chance_looked_at_ + evaluations_between_looks) return false;
  chance_looked_at_ = evaluations;
  return chance_of_better(trials) < chance_;
}

void StoppingRule::propose(std::optional<double> expected_improvement, double best) {
  best_when_proposed_ = best;
  expected_ = expected_improvement;
  if (expected_) little_in_a_row_ = *expected_ < least_improvement_ ? little_in_a_row_ + 1 : 0;
}

bool StoppingRule::expects_little(std::size_t evaluations, std::size_t under_way) const {
  if (!expected_ || least_improvement_ <= 0) return false;
  return evaluations >= fewest_evaluations && little_in_a_row_ >= under_way;
}

bool StoppingRule::settle(double best) {
  little_in_a_row_ = 0;
  return best >= (1 - least_improvement_) * best_when_proposed_;
}

}  // namespace hoist::search
