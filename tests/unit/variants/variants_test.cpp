// Variants by their coordinates: what a search, a record and a ranking know of them.
#include "variants/variants.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "driver/compile.hpp"
#include "ir/print.hpp"
#include "support/executed.hpp"
#include "variants/explore.hpp"

namespace hoist::variants {
namespace {

using testing::Contains;
using testing::IsSupersetOf;

class ByCoordinates : public testing::Test {
 protected:
  static std::unique_ptr<const Variants> variants_of(const std::string& text,
                                                     const driver::NamedSizes& sizes) {
    const auto sized = driver::with_sizes(testing_support::program_of(text), sizes);
    return std::make_unique<const Exploration>(Exploration::of(sized.value(), {}).value());
  }
  static std::unique_ptr<const Variants> products() {
    return variants_of(
        "def f(A: [M][K]f32, B: [K][N]f32): [M][N]f32 =\n"
        "  A |> map(row => transpose(B) |> map(column => zip(row, column) |> map(*) |> reduce(+, 0.0)))\n",
        {{"M", 64}, {"N", 96}, {"K", 64}});
  }
  static std::vector<std::int64_t> values_of(const std::vector<Coordinate>& coordinates) {
    std::vector<std::int64_t> values;
    for (const Coordinate& each : coordinates) values.push_back(each.value);
    return values;
  }

  ir::Arena arena_;
};

TEST_F(ByCoordinates, AVariantIsFoundAgain) {
  const auto variants = products();
  for (const CandidateId& id : variants->sample(200, 3)) {
    const std::vector<Coordinate> coordinates = variants->coordinates(id);
    EXPECT_EQ(coordinates[0].name, "derivation");
    EXPECT_EQ(variants->find(values_of(coordinates)), id);
    std::set<std::string> names;
    for (const Coordinate& each : coordinates) names.insert(each.name);
    EXPECT_EQ(names.size(), coordinates.size());
  }
  EXPECT_EQ(variants->find({}), std::nullopt);
  EXPECT_EQ(variants->find({-1}), std::nullopt);
  EXPECT_EQ(variants->find({1 << 30, 4}), std::nullopt);
}

/// Each size belongs to the rule that left it open, by which searches may treat some together.
TEST_F(ByCoordinates, GroupsAreTheRulesThatLeftSizesOpen) {
  const auto variants = products();
  std::set<std::pair<std::string, std::size_t>> groups;
  for (const CandidateId& id : variants->sample(300, 3)) {
    std::set<std::pair<std::string, std::size_t>> own;
    std::set<std::string> rules;
    for (const rewrite::Step& step : variants->steps(id))
      rules.insert(step.rule.substr(0, step.rule.find('(')));
    for (const Coordinate& each : variants->coordinates(id)) {
      EXPECT_FALSE(each.optimisation.empty()) << to_string(id) << " " << each.name;
      rules.insert("derivation");
      EXPECT_THAT(rules, Contains(each.optimisation));
      own.emplace(each.optimisation, each.dimension);
    }
    groups.insert(own.begin(), own.end());
  }
  EXPECT_THAT(groups,
              IsSupersetOf({std::pair<std::string, std::size_t>{"tileGroups", 0}, {"tileGroups", 1}}));
}

TEST_F(ByCoordinates, TheValuesOfOneAreThoseThatTheOthersLeave) {
  const auto variants = products();
  for (const CandidateId& id : variants->sample(20, 5)) {
    std::vector<std::int64_t> point = values_of(variants->coordinates(id));
    for (std::size_t i = 1; i < point.size(); ++i) {
      const std::vector<std::int64_t> values = variants->values(id, i);
      EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
      EXPECT_THAT(values, Contains(point[i]));
      for (const std::int64_t value : values) {
        std::vector<std::int64_t> other = point;
        other[i] = value;
        EXPECT_TRUE(variants->find(other).has_value());
      }
    }
  }
  EXPECT_EQ(variants->values({0, 0}, 0).size(), variants->derivations());
}

TEST_F(ByCoordinates, NeighboursAreOfTheSetAndCandidatesAreWhatTheirTermsSay) {
  const auto variants = products();
  Random random(11);
  for (int i = 0; i < 20; ++i) {
    const CandidateId id = variants->draw(random);
    ASSERT_TRUE(variants->contains(id));
    const auto neighbours = variants->neighbours(id);
    EXPECT_FALSE(neighbours.empty());
    for (const CandidateId& each : neighbours) {
      EXPECT_TRUE(variants->contains(each));
      EXPECT_FALSE(each == id);
      EXPECT_EQ(variants->numbers(values_of(variants->coordinates(each))).size(),
                variants->numbers(values_of(variants->coordinates(id))).size());
    }
    const Candidate candidate = variants->make(id, {});
    EXPECT_EQ(ir::to_string(candidate.low), ir::to_string(variants->term(id)));
    EXPECT_EQ(candidate.values, variants->named_values(id));
  }
  EXPECT_TRUE(variants->contains(variants->at(variants->count() - 1)));
}

}  // namespace
}  // namespace hoist::variants
