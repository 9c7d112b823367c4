// Programs whose stages are stored, or computed together.
#include "variants/alternatives.hpp"

#include <gmock/gmock.h>

#include <set>

#include "driver/compile.hpp"
#include "ir/print.hpp"
#include "support/executed.hpp"

namespace hoist::variants {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Ways : public testing::Test {
 protected:
  std::unique_ptr<const Variants> explored(const std::string& text) {
    const auto sized = driver::with_sizes(testing_support::program_of(text), {});
    return explore(*sized, options).value();
  }
  static constexpr const char* chain =
      "def sums(u: [64][64]f32): [64][64]f32 =\n"
      "  u |> pad2(1, 1, clamp) |> slide2(3, 1) |> map2(n => join(n) |> reduce(+, 0.0))\n"
      "def f(u: [64][64]f32): [64][64]f32 = u |> sums |> sums |> sums\n";

  ir::Arena arena;
  ExplorationOptions options;
};

TEST_F(Ways, StagesAreStoredOrComputedTogether) {
  const auto variants = explored(chain);
  // All three, or two of them.
  ASSERT_EQ(variants->alternatives(), 3U);
  EXPECT_EQ(variants->make(variants->plain(), {}).plan->kernels.size(), 3U);
  for (const auto& [way, kernels] : {std::pair<std::size_t, std::size_t>{1, 1}, {2, 2}}) {
    CandidateId id = variants->alternative(way).plain();
    id.alternative = way;
    const Candidate candidate = variants->make(id, {});
    ASSERT_TRUE(candidate.plan) << candidate.discarded;
    EXPECT_EQ(candidate.plan->kernels.size(), kernels);
    EXPECT_THAT(ir::to_string(candidate.low), HasSubstr("toLocal"));
  }
}

TEST_F(Ways, IdsSayTheWay) {
  const auto variants = explored(chain);
  std::set<std::size_t> ways;
  for (const CandidateId& id : variants->sample(40, 1)) {
    ways.insert(id.alternative);
    EXPECT_TRUE(variants->contains(id));
    EXPECT_EQ(candidate_id(to_string(id)).value(), id) << to_string(id);
    std::vector<std::int64_t> values;
    for (const Coordinate& each : variants->coordinates(id)) values.push_back(each.value);
    EXPECT_EQ(variants->find(values), id) << to_string(id);
    EXPECT_EQ(variants->numbers(values).size(), variants->numbers({values}).size());
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_THAT(variants->values(id, i), testing::Contains(values[i])) << to_string(id) << " " << i;
    for (const CandidateId& near : variants->neighbours(id)) EXPECT_TRUE(variants->contains(near));
  }
  EXPECT_EQ(ways.size(), variants->alternatives());
  EXPECT_THAT(to_string(variants->plain()), Not(HasSubstr(":")));
  EXPECT_FALSE(candidate_id("0:1-2"));
  EXPECT_FALSE(candidate_id("x:1-2"));
  EXPECT_FALSE(variants->contains(candidate_id("7:0-0").value()));
}

TEST_F(Ways, RanksGoThroughAllOfThem) {
  options.bounds = {{"t", {8, 16}}};
  const auto variants = explored(chain);
  std::uint64_t sum = 0;
  for (std::size_t way = 0; way < variants->alternatives(); ++way) sum += variants->alternative(way).count();
  EXPECT_EQ(variants->count(), sum);
  EXPECT_EQ(variants->at(sum - 1).alternative, variants->alternatives() - 1);
}

TEST_F(Ways, StepsHoldForTheWholeProgram) {
  const auto variants = explored(chain);
  const auto sized = driver::with_sizes(testing_support::program_of(chain), {});
  for (const CandidateId& id : variants->sample(12, 2)) {
    const auto again = replay(*sized, variants->steps(id));
    ASSERT_TRUE(again) << again.error().render() << to_string(id);
    EXPECT_EQ(again->function, variants->derived(id).function) << to_string(id);
  }
}

TEST_F(Ways, StagesThatNeedAllOfAnotherAreStored) {
  const auto variants = explored(
      "def f(x: [1024]f32): [1024]f32 =\n"
      "  let y = x |> scan(+, 0.0)\n"
      "  generate(1024, i => y[i] + y[1023 - i])\n");
  EXPECT_EQ(variants->alternatives(), 1U);
}

}  // namespace
}  // namespace hoist::variants
