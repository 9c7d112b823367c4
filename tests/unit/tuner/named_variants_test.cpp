// Variants by the names of their coordinates.
#include "tuner/named_variants.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "search/run.hpp"
#include "search/specified_search.hpp"
#include "support/executed.hpp"
#include "variants/alternatives.hpp"

namespace hoist::tuner {
namespace {

using search::Configuration;
using search::NamedValues;
using testing::Contains;
using testing::ElementsAre;

class NamedVariantsOf : public testing::Test {
 protected:
  void explore(const std::string& text, const driver::NamedSizes& sizes = {}) {
    const auto sized = driver::with_sizes(testing_support::program_of(text), sizes);
    variants_ = variants::explore(sized.value(), {}).value();
    space_ = std::make_unique<SearchSpace>(*variants_);
    named_ = std::make_unique<NamedVariants>(*variants_, *space_);
  }
  void tiled() {
    explore(
        "def f(x: [1024]f32): [1024]f32 = x |> split(?t) |> mapWrg(0, tile => tile |> split(?u)\n"
        "  |> mapLcl(0, mapSeq(e => 2.0 * e)) |> join) |> join");
  }
  /// Each of some configurations is found by its values.
  void check_round_trips() {
    Random random(3);
    for (int i = 0; i < 100; ++i) {
      const Configuration drawn = space_->draw(random);
      EXPECT_EQ(named_->find(named_->values(drawn)), drawn);
    }
  }

  ir::Arena arena_;
  std::unique_ptr<const variants::Variants> variants_;
  std::unique_ptr<SearchSpace> space_;
  std::unique_ptr<NamedVariants> named_;
};

TEST_F(NamedVariantsOf, AProgramWithHolesAreItsHoles) {
  tiled();
  EXPECT_THAT(named_->names(), ElementsAre("t", "u")) << "there is one derivation";
  EXPECT_TRUE(named_->has_all_names_always());
  EXPECT_EQ(named_->find({64, 2}), (Configuration{0, 64, 2}));
  EXPECT_FALSE(named_->find({64, 3}));
  EXPECT_FALSE(named_->find({64, std::nullopt}));
  EXPECT_EQ(named_->values({0, 64, 2}), (NamedValues{64, 2}));
  EXPECT_THAT(named_->known_values(0), Contains(64));
  check_round_trips();
}

TEST_F(NamedVariantsOf, ANestHaveADerivationAndThenItsParameters) {
  explore(
      "def f(A: [64][64]f32, B: [64][64]f32): [64][64]f32 =\n"
      "  A |> map(row => transpose(B) |> map(column => zip(row, column) |> map(*) |> reduce(+, 0.0)))");
  ASSERT_GT(variants_->derivations(), 1U);
  EXPECT_EQ(named_->names().front(), "derivation");
  EXPECT_FALSE(named_->has_all_names_always()) << "derivations leave open what they do";
  check_round_trips();
  NamedValues values = named_->values(space_->at(0));
  values[0] = static_cast<std::int64_t>(variants_->derivations());
  EXPECT_FALSE(named_->find(values));
  values[0] = -1;
  EXPECT_FALSE(named_->find(values));
}

TEST_F(NamedVariantsOf, PartsAndWaysAreToldApart) {
  explore(
      "def f(A: [M][N]f32, x: [N]f32): [N]f32 =\n"
      "  let y = A |> map(row => zip(row, x) |> map(*) |> reduce(+, 0.0))\n"
      "  transpose(A) |> map(column => zip(column, y) |> map(*) |> reduce(+, 0.0))\n",
      {{"M", 512}, {"N", 256}});
  EXPECT_THAT(named_->names(), Contains("derivation.0"));
  EXPECT_THAT(named_->names(), Contains("derivation.1"));
  check_round_trips();
  explore(
      "def sums(u: [64][64]f32): [64][64]f32 =\n"
      "  u |> pad2(1, 1, clamp) |> slide2(3, 1) |> map2(n => join(n) |> reduce(+, 0.0))\n"
      "def f(u: [64][64]f32): [64][64]f32 = u |> sums |> sums |> sums\n");
  ASSERT_GT(variants_->alternatives(), 1U);
  EXPECT_EQ(named_->names().front(), "way");
  check_round_trips();
}

TEST_F(NamedVariantsOf, ASpecificationSearchesThem) {
  tiled();
  const Source source{"s.spec", "t=1:NX:*2, u=1; u=1:t:*2;"};
  const auto parsed = search::specification::parse(source);
  ASSERT_TRUE(parsed);
  auto strategy = search::SpecifiedSearch::make(*named_, *parsed, {{{"NX", 1024}}, {}}, 1);
  ASSERT_TRUE(strategy) << strategy.error().render(&source);
  std::vector<Configuration> asked;
  search::run(**strategy,
              [&](std::span<const Configuration> batch) {
                std::vector<search::Trial> trials;
                for (const Configuration& each : batch) {
                  asked.push_back(each);
                  // Tiles of 64 are the fastest, and the more of them a work-item has.
                  const double seconds = (each[1] == 64 ? 1.0 : 2.0) / static_cast<double>(each[2]);
                  trials.push_back({each, search::Outcome::of_time(seconds, 1)});
                }
                return trials;
              },
              {});
  const search::SpecificationTally tally = (*strategy)->tally();
  EXPECT_EQ(tally.asked, asked.size());
  ASSERT_TRUE(tally.best);
  EXPECT_EQ(tally.best->configuration[1], 64);
  for (const Configuration& each : asked) EXPECT_TRUE(each[2] == 1 || each[1] == 64);
}

TEST(ResultSizes, AreThoseOfTheInnermostThreeDimensions) {
  const ir::Arena arena;
  const auto sizes = [](const std::string& text, const driver::NamedSizes& given = {}) {
    return result_sizes(driver::with_sizes(testing_support::program_of(text), given).value());
  };
  EXPECT_EQ(sizes("def f(x: [N]f32): [N]f32 = x |> map(e => e + 1.0)", {{"N", 7}}),
            (driver::NamedSizes{{"NX", 7}, {"NY", 1}, {"NZ", 1}}));
  EXPECT_EQ(sizes("def f(x: [2][3][4][5]f32): [2][3][4][5]f32 = x |> map(map(map(map(e => e + 1.0))))"),
            (driver::NamedSizes{{"NX", 5}, {"NY", 4}, {"NZ", 3}}));
  EXPECT_EQ(sizes("def f(x: [8]f32): f32 = x |> reduce(+, 0.0)"),
            (driver::NamedSizes{{"NX", 1}, {"NY", 1}, {"NZ", 1}}));
}

}  // namespace
}  // namespace hoist::tuner
