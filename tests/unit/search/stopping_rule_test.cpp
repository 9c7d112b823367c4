// Where tuning ends by itself, and where it goes on: on the times that hoist tune measured on an H200, in the
// order in which it did (data/README.md), and on expectations by hand.
#include "search/stopping_rule.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "model/dataset.hpp"

namespace hoist::search {
namespace {

constexpr double chance = 0.01;
constexpr std::size_t most_in_vain = 200;  ///< trials after the last that was better

/// What one run of hoist tune measured.
struct Recorded {
  std::string name;
  std::vector<Trial> trials;
};

std::vector<Recorded> recorded() {
  std::vector<Recorded> sequences;
  for (const char* table : {"h200-searches", "h200-tuned", "h200-prefetched"}) {
    const auto data = model::read_dataset(std::string(HOIST_SOURCE_DIR "/data/") + table + ".csv.gz");
    EXPECT_TRUE(data) << data.error().render();
    const auto rows = data->rows_by_task();
    for (std::size_t task = 0; task < rows.size(); ++task) {
      const model::Task& of = data->tasks[task];
      Recorded& sequence = sequences.emplace_back();
      sequence.name = std::string(table) + " " + of.program + " " + of.sizes + " " + of.device_class;
      for (const std::uint32_t row : rows[task]) {
        const model::Measurement& each = data->measurements[row];
        sequence.trials.push_back(
            {{static_cast<std::int64_t>(row)},
             each.ran() ? Outcome::of_time(each.seconds, 1) : Outcome::of_failure(FailureKind::Run, 1)});
      }
    }
  }
  return sequences;
}

/// After how many trials the rule ends a sequence; 0: it does not.
std::size_t end_of(const std::vector<Trial>& trials) {
  StoppingRule rule(chance, 0);
  for (std::size_t count = 1; count <= trials.size(); ++count) {
    if (rule.is_unlikely({trials.data(), count}, count)) return count;
  }
  return 0;
}

/// The least time among the first so many, and the last of these that was more than 1% less than all before
/// it.
struct Best {
  double seconds = std::numeric_limits<double>::infinity();
  std::size_t found_at = 0;
};
Best best_of(const std::vector<Trial>& trials, std::size_t count) {
  Best best;
  for (std::size_t i = 0; i < count; ++i) {
    if (!trials[i].outcome.seconds) continue;
    if (*trials[i].outcome.seconds < 0.99 * best.seconds) best.found_at = i + 1;
    best.seconds = std::min(best.seconds, *trials[i].outcome.seconds);
  }
  return best;
}

class RecordedSequences : public testing::Test {
 protected:
  const std::vector<Recorded> sequences = recorded();
};

/// Laplace's rule of succession: a chance below 1% takes 99 trials in vain.
TEST_F(RecordedSequences, GoOnWhereSomethingBetterWasFoundLately) {
  int ended = 0;
  for (const Recorded& each : sequences) {
    const std::size_t end = end_of(each.trials);
    if (end == 0) continue;
    ++ended;
    EXPECT_GE(end, best_of(each.trials, end).found_at + 99) << each.name;
  }
  EXPECT_GE(ended, 20);
}

TEST_F(RecordedSequences, EndWhereNothingBetterWasFoundForLong) {
  for (const Recorded& each : sequences) {
    const std::size_t end = end_of(each.trials);
    const std::size_t ended = end == 0 ? each.trials.size() : end;
    EXPECT_LT(ended, best_of(each.trials, ended).found_at + most_in_vain) << each.name;
  }
}

/// What a search that went on found is what ending has cost.
TEST_F(RecordedSequences, LoseLittleByEnding) {
  int ended = 0, lost_nothing = 0;
  for (const Recorded& each : sequences) {
    const std::size_t end = end_of(each.trials);
    if (end == 0) continue;
    ++ended;
    const double share = best_of(each.trials, each.trials.size()).seconds / best_of(each.trials, end).seconds;
    lost_nothing += share > 0.99 ? 1 : 0;
    EXPECT_GT(share, 0.9) << each.name;
  }
  EXPECT_GE(lost_nothing, 0.8 * ended);
}

TEST(StoppingRule, LooksAtChancesEvery25Evaluations) {
  std::vector<Trial> trials;
  for (int i = 0; i < 200; ++i) trials.push_back({{i}, Outcome::of_time(1 + (i > 0 ? 1 + 0.001 * i : 0), 1)});
  StoppingRule rule(chance, 0), never(0, 0.05);
  EXPECT_FALSE(rule.is_unlikely(trials, 24));
  EXPECT_TRUE(rule.is_unlikely(trials, 25));
  EXPECT_FALSE(rule.is_unlikely(trials, 49));
  EXPECT_TRUE(rule.is_unlikely(trials, 50));
  EXPECT_FALSE(never.is_unlikely(trials, 200));
}

constexpr double least = 0.01;

TEST(StoppingRule, LittleIsExpectedOnceAsOftenAsCandidatesAreUnderWay) {
  StoppingRule rule(0, least);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(rule.expects_little(50, 4)) << i;
    rule.propose(0.001, 1.0);
  }
  EXPECT_FALSE(rule.expects_little(50, 4));
  EXPECT_TRUE(rule.expects_little(50, 3));
  rule.propose(0.5, 1.0);
  EXPECT_FALSE(rule.expects_little(50, 3)) << "much is expected: it is counted anew";
  rule.propose(0.001, 1.0);
  EXPECT_FALSE(rule.expects_little(50, 3));
}

TEST(StoppingRule, ExpectationsAreNotBelievedBefore12Evaluations) {
  StoppingRule rule(0, least);
  rule.propose(0.001, 1.0);
  EXPECT_FALSE(rule.expects_little(11, 1));
  EXPECT_TRUE(rule.expects_little(12, 1));
}

TEST(StoppingRule, ASearchThatExpectsNothingGoesOn) {
  StoppingRule rule(0, least), unasked(0, 0);
  for (int i = 0; i < 30; ++i) {
    rule.propose(std::nullopt, 1.0);
    unasked.propose(-1.0, 1.0);
  }
  EXPECT_FALSE(rule.expects_little(50, 1));
  EXPECT_FALSE(unasked.expects_little(50, 1));
}

/// What was under way when little was expected may yet have been better.
TEST(StoppingRule, GoesOnWhereWhatWasUnderWayIsBetter) {
  StoppingRule rule(0, least);
  rule.propose(0.001, 1.0);
  ASSERT_TRUE(rule.expects_little(50, 1));
  EXPECT_FALSE(rule.settle(0.98));
  EXPECT_FALSE(rule.expects_little(50, 1)) << "and expectations are counted anew";
  rule.propose(0.001, 0.98);
  EXPECT_TRUE(rule.settle(0.975)) << "not by as much as is asked for";
}

}  // namespace
}  // namespace hoist::search
