// Explorations: how many candidates there are, which, and what is wrong with what asks for others.
#include "variants/explore.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "ir/print.hpp"
#include "rewrite/default_mapping.hpp"
#include "support/executed.hpp"
#include "target/kinds.hpp"

namespace hoist::variants {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const char* const product =
    "def f(A: [32][16]f32, B: [16][32]f32): [32][32]f32 = A |> map(row => B |> transpose |> map(column =>\n"
    "  zip(row, column) |> map(*) |> reduce(+, 0.0)))";
const char* const tiled =
    "def f(x: [1024]f32): [1024]f32 = x |> split(?t) |> mapWrg(0, tile => tile |> split(?u)\n"
    "  |> mapLcl(0, mapSeq(e => 2.0 * e)) |> join) |> join";

class Explorations : public testing::Test {
 protected:
  ir::Arena arena;

  static ExplorationOptions small_groups(std::size_t steps = 2) {
    ExplorationOptions options;
    options.target.least_group_size = 1;
    options.derivations.steps = steps;
    return options;
  }
  static Exploration explored(const std::string& text, const ExplorationOptions& options = small_groups()) {
    auto space = Exploration::of(testing_support::program_of(text), options);
    if (!space) throw std::runtime_error(space.error().render());
    return *std::move(space);
  }
  static std::string refusal(const std::string& text, const ExplorationOptions& options = small_groups()) {
    const auto space = Exploration::of(testing_support::program_of(text), options);
    return space ? "it was explored" : space.error().render();
  }
};

TEST_F(Explorations, CountTheSumOfTheirSpaces) {
  const Exploration space = explored(product);
  ASSERT_GT(space.derivations(), 10U);
  std::uint64_t points = 0;
  for (std::size_t i = 0; i < space.derivations(); ++i) {
    EXPECT_GT(space.space(i).count(), 0U) << "a derivation without sizes is none";
    points += space.space(i).count();
  }
  EXPECT_EQ(space.count(), points);
  const Stages& stages = space.stages();
  EXPECT_GE(stages.algorithms, stages.mapped);
  EXPECT_EQ(stages.placed,
            space.derivations() +
                (stages.discarded.contains("no sizes fit") ? stages.discarded.at("no sizes fit") : 0));
}

TEST_F(Explorations, WhatAReductionStartsFromNeedNotBeNeutral) {
  ExplorationOptions usual;
  usual.target = target::usual_device(*target::profile_named("gpu"));
  const auto of = [&](const std::string& reduction) {
    return explored("def f(x: [65536]i32): i32 = x |> " + reduction, usual).count();
  };
  const std::uint64_t neutral = of("reduce(max, -2147483648)");
  EXPECT_GT(neutral, 20U);
  EXPECT_EQ(of("reduce(max, -1)"), neutral);
  EXPECT_EQ(of("maximum"), neutral);
  const std::string own = "(a, b) => if a < b then b else a";
  EXPECT_GT(of("reduce(associative(commutative(neutral(" + own + ", -2147483648))), 7)"), 10U);
  EXPECT_EQ(of("reduce(associative(commutative(" + own + ")), 7)"), 1U);
}

TEST_F(Explorations, OfIterationsInsideRowsMeasureTheirLongestValue) {
  EXPECT_GT(explored("def f(a: [64][32]f32): [64][32]f32 = a |> map(r => r |> iterate(4, map(e => 0.5 * e)))")
                .count(),
            0U);
}

TEST_F(Explorations, SampleWithoutRepetitionAndTheSameForASeed) {
  const Exploration space = explored(product);
  const std::vector<CandidateId> ids = space.sample(200, 3);
  ASSERT_EQ(ids.size(), 200U);
  std::set<std::pair<std::size_t, std::uint64_t>> different;
  for (const CandidateId& id : ids) {
    EXPECT_TRUE(space.contains(id));
    different.insert({id.derivation, id.point});
  }
  EXPECT_EQ(different.size(), ids.size());
  EXPECT_EQ(space.sample(200, 3), ids);
  EXPECT_NE(space.sample(200, 4), ids);
}

TEST_F(Explorations, SampleAsManyOfEachDerivation) {
  const Exploration space = explored(product);
  const std::size_t each = 3;
  std::vector<std::size_t> taken(space.derivations());
  for (const CandidateId& id : space.sample(each * space.derivations(), 5)) ++taken[id.derivation];
  for (std::size_t i = 0; i < taken.size(); ++i)
    EXPECT_GE(taken[i], std::min<std::uint64_t>(each, space.space(i).count())) << "derivation " << i;
}

TEST_F(Explorations, SampleAllWhereThereAreNoMore) {
  const Exploration space = explored(tiled);
  EXPECT_EQ(space.count(), 66U) << "pairs of a divisor of 1024 and a divisor of that: 1 + 2 + ... + 11";
  std::set<std::vector<std::int64_t>> points;
  for (const CandidateId& id : space.sample(1000, 1)) {
    std::vector<std::int64_t> point;
    for (const auto& [name, value] : space.named_values(id)) point.push_back(value);
    EXPECT_TRUE(points.insert(point).second);
  }
  EXPECT_EQ(points.size(), space.count());
}

TEST_F(Explorations, ContainTheirOwnCandidatesOnly) {
  const Exploration space = explored(tiled);
  EXPECT_TRUE(space.contains({0, 0}));
  EXPECT_TRUE(space.contains({0, 65}));
  EXPECT_FALSE(space.contains({0, 66}));
  EXPECT_FALSE(space.contains({1, 0}));
}

TEST_F(Explorations, PutValuesIntoADerivation) {
  const Exploration space = explored(product);
  for (const CandidateId& id : space.sample(20, 9)) {
    const auto chosen = driver::with_sizes(space.derivation(id.derivation).program, space.named_values(id));
    ASSERT_TRUE(chosen) << chosen.error().render();
    EXPECT_EQ(space.term(id).function, chosen->function) << to_string(id);
    const Candidate candidate = space.make(id, {});
    EXPECT_EQ(candidate.id, id);
    EXPECT_EQ(candidate.values, space.named_values(id));
    EXPECT_EQ(candidate.low.function, chosen->function);
    EXPECT_EQ(candidate.discarded.empty(), candidate.reason.empty());
    if (candidate.discarded.empty()) {
      EXPECT_TRUE(candidate.plan);
    }
  }
}

/// Tiles that do not divide are in the space where no usual ones do: there is as much to choose from.
TEST_F(Explorations, OfAnySizeAreAsLargeAsThoseOfTheirNeighbours) {
  const auto stencil = [](const char* size) {
    return explored(
        fmt::format("def f(u: [{0}][{0}]f32): [{0}][{0}]f32 = u |> pad2(1, 1, clamp) |> slide2(3, 1)\n"
                    "  |> map2(n => n[1][1] + n[0][1] + n[2][1] + n[1][0] + n[1][2])",
                    size),
        small_groups(3));
  };
  EXPECT_GT(2 * stencil("509").count(), stencil("512").count());
  const auto product_of = [](const char* rows, const char* columns, const char* length) {
    return explored(
        fmt::format("def f(A: [{0}][{2}]f32, B: [{2}][{1}]f32): [{0}][{1}]f32 = A |> map(row => B |> "
                    "transpose |> map(column =>\n  zip(row, column) |> map(*) |> reduce(+, 0.0)))",
                    rows, columns, length),
        small_groups(3));
  };
  const std::uint64_t dividing = product_of("64", "64", "64").count();
  EXPECT_GT(2 * product_of("67", "67", "67").count(), dividing);
  EXPECT_GT(2 * product_of("64", "67", "64").count(), dividing);
}

/// Where usual tiles divide, only tiles that divide are derived.
TEST_F(Explorations, GuardNoTilesWhereUsualOnesDivide) {
  const auto has_guard = [](const Exploration& space) {
    for (std::size_t i = 0; i < space.derivations(); ++i) {
      for (const rewrite::Step& step : space.derivation(i).trace) {
        if (step.rule.find("Guarded") != std::string::npos) return true;
      }
    }
    return false;
  };
  const char* const rows = "def f(x: [{}][24]f32): [{}][24]f32 = x |> map(map(e => 2.0 * e))";
  EXPECT_FALSE(has_guard(explored(fmt::format(fmt::runtime(rows), 1000, 1000))));
  EXPECT_FALSE(has_guard(explored(fmt::format(fmt::runtime(rows), 13, 13))));
  EXPECT_TRUE(has_guard(explored(fmt::format(fmt::runtime(rows), 509, 509))));
}

TEST_F(Explorations, GuardedTilesAreLessThanTwiceAsLongAsWhatTheyCut) {
  const Exploration space = explored("def f(x: [37]f32): [37]f32 = x |> map(e => 2.0 * e)");
  std::int64_t longest = 0;
  for (const CandidateId& id : space.sample(10000, 1)) {
    for (const auto& [name, value] : space.named_values(id)) longest = std::max(longest, value);
  }
  EXPECT_EQ(longest, 64);
}

TEST_F(Explorations, OfAProgramThatSaysHowAreItsHoles) {
  const Exploration space = explored(tiled);
  ASSERT_EQ(space.derivations(), 1U);
  EXPECT_THAT(space.derivation(0).trace, IsEmpty());
  EXPECT_EQ(space.stages().algorithms, 1U);
  EXPECT_EQ(space.space(0).parameters().size(), 2U);
}

TEST_F(Explorations, OfAProgramThatSaysHowNeedHoles) {
  EXPECT_THAT(refusal("def f(x: [64]f32): [64]f32 = x |> mapGlb(0, e => 2.0 * e)"),
              testing::AllOf(HasSubstr("nothing to explore"), HasSubstr("split(?t)")));
}

TEST_F(Explorations, AreTheDefaultMappingWhereNothingCoversTheProgram) {
  // A scan has no macro rule, and nothing else is parallel.
  const Exploration space = explored("def f(x: [64]f32): [64]f32 = x |> scan(+, 0.0)");
  EXPECT_TRUE(space.is_default());
  EXPECT_EQ(space.count(), 1U);
  EXPECT_TRUE(space.make({0, 0}, {}).discarded.empty());
}

TEST_F(Explorations, MapAsTheDefaultMappingOfTheirTarget) {
  // No macro rule covers a scan and what is made of it; the two mappings share out the sum in other parts.
  const ir::Program program =
      testing_support::program_of("def f(x: [4096]f32): f32 = x |> scan(+, 0.0) |> reduce(+, 0.0)");
  for (const char* profile : {"gpu", "cpu"}) {
    ExplorationOptions options;
    options.target = target::usual_device(*target::profile_named(profile));
    const auto space = Exploration::of(program, options);
    ASSERT_TRUE(space) << space.error().render();
    ASSERT_TRUE(space->is_default());
    const auto mapped = rewrite::default_mapping(program, target::kind_of(options.target.language).mapping);
    EXPECT_EQ(ir::to_string(space->derivation(0).program), ir::to_string(mapped->program)) << profile;
  }
  EXPECT_NE(ir::to_string(rewrite::default_mapping(program, target::Processor::Gpu)->program),
            ir::to_string(rewrite::default_mapping(program, target::Processor::Cpu)->program));
}

TEST_F(Explorations, SayWhatEmptiedThem) {
  ExplorationOptions options = small_groups();
  options.target.least_group_size = 2048;
  const Exploration space = explored(tiled, options);
  EXPECT_EQ(space.count(), 0U);
  EXPECT_THAT(space.emptied_by(), HasSubstr("2048"));
}

TEST_F(Explorations, KeepToBounds) {
  ExplorationOptions options = small_groups();
  options.bounds = {{"t", {8, 32}}, {"u", {2, 4}}};
  const Exploration space = explored(tiled, options);
  EXPECT_EQ(space.count(), 6U);
  for (const CandidateId& id : space.sample(10, 1)) {
    const driver::NamedSizes values = space.named_values(id);
    EXPECT_THAT(values[0].second, testing::AllOf(testing::Ge(8), testing::Le(32)));
    EXPECT_THAT(values[1].second, testing::AllOf(testing::Ge(2), testing::Le(4)));
  }
  options.bounds = {{"s", {1, 2}}};
  EXPECT_THAT(refusal(tiled, options), HasSubstr("no candidate has a tuning parameter ?s"));
}

TEST_F(Explorations, NeedAllSizes) {
  EXPECT_THAT(refusal("def f(x: [N]f32): [N]f32 = x |> split(?t) |> mapGlb(0, mapSeq(e => 2.0 * e)) |> join"),
              HasSubstr("N"));
}

TEST_F(Explorations, DiscardCopiesThatAreScattered) {
  const Exploration space = explored(
      "def f(x: [64][64]f32): [64][64]f32 = x |> split(?t) |> mapWrg(0, tile =>\n"
      "  tile |> mapLcl(0, row => row |> mapSeq(id)) |> toLocal |> mapLcl(0, row => row |> mapSeq(e => 2.0 * "
      "e))) |> join");
  std::map<std::string, int> reasons;
  for (const CandidateId& id : space.sample(100, 1)) ++reasons[space.make(id, {}).reason];
  // 8 rows and more: a warp touches as many lines and more for 32 floats.
  EXPECT_GT(reasons["scattered copies"], 0);
  EXPECT_GT(reasons[""], 0);
}

TEST_F(Explorations, KeepToTheLimits) {
  ExplorationOptions options = small_groups(3);
  options.target.max_group_size = 64;
  options.target.local_memory = 2048;
  const Exploration space = explored(product, options);
  for (const CandidateId& id : space.sample(150, 2)) {
    const Candidate candidate = space.make(id, {});
    if (!candidate.plan || !candidate.discarded.empty()) continue;
    EXPECT_LE(candidate.structure->group_size, 64) << to_string(id);
    EXPECT_LE(candidate.structure->local_memory, 2048) << to_string(id);
  }
}

TEST_F(Explorations, KeepToTheLimitsAlongEachDimension) {
  const auto along = [](int dimension) {
    return fmt::format(
        "def f(x: [1024]f32): [1024]f32 = x |> split(?t) |> mapWrg({0}, tile => tile |> mapLcl({0}, e => 2.0 "
        "* e)) "
        "|> join",
        dimension);
  };
  const auto largest = [&](int dimension, const ExplorationOptions& options) {
    const Exploration space = explored(along(dimension), options);
    std::int64_t most = 0;
    for (const CandidateId& id : space.sample(100, 1)) {
      const Candidate candidate = space.make(id, {});
      EXPECT_EQ(candidate.discarded, "");
      most = std::max(most, candidate.structure->group_lengths[static_cast<std::size_t>(dimension)]);
    }
    return most;
  };
  ExplorationOptions options = small_groups(3);
  EXPECT_EQ(largest(0, options), 1024);
  EXPECT_EQ(largest(2, options), 64);
  options.target.max_group_sizes = {128, 1024, 1024};
  EXPECT_EQ(largest(0, options), 128);
  EXPECT_EQ(largest(2, options), 1024);
}

TEST_F(Explorations, FindTheSameByOneThreadAndByThree) {
  const Exploration space = explored(product, small_groups(3));
  const std::vector<CandidateId> ids = space.sample(120, 6);
  const std::vector<CandidateFacts> one = space.look_at_all(ids, {}, 1),
                                    three = space.look_at_all(ids, {}, 3);
  ASSERT_EQ(one.size(), ids.size());
  ASSERT_EQ(three.size(), ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(one[i].id, ids[i]);
    EXPECT_EQ(one[i], three[i]) << to_string(ids[i]);
    EXPECT_EQ(one[i], static_cast<const CandidateFacts&>(space.make(ids[i], {}))) << to_string(ids[i]);
  }
  EXPECT_THAT(space.look_at_all({}, {}, 3), IsEmpty());
}

TEST_F(Explorations, HaveNeighboursOfTheSameDerivation) {
  const Exploration space = explored(tiled);
  const auto id_at = [&](std::int64_t first, std::int64_t second) {
    return CandidateId{0, space.space(0).rank({first, second}).value()};
  };
  EXPECT_THAT(space.neighbours(id_at(64, 8)),
              testing::UnorderedElementsAre(id_at(32, 8), id_at(128, 8), id_at(64, 4), id_at(64, 16)));
  // A tile of 64 cannot be less than a chunk of 64: the chunk goes with it, and so does the tile.
  EXPECT_THAT(space.neighbours(id_at(64, 64)),
              testing::UnorderedElementsAre(id_at(32, 32), id_at(128, 64), id_at(64, 32), id_at(128, 128)));
}

TEST(CandidateIds, ReadWhatTheyPrint) {
  for (const CandidateId& id : {CandidateId{0, 0}, CandidateId{12, 345}, CandidateId{7, UINT64_MAX}}) {
    const auto again = candidate_id(to_string(id));
    ASSERT_TRUE(again) << again.error().render();
    EXPECT_EQ(*again, id);
  }
}

TEST(CandidateIds, ThatAreNoneAreRefused) {
  for (const char* text : {"", "-", "12", "12-", "-3", "a-3", "12-b", "1 2-3", "12-3 ", "12--3", "1-2-3",
                           "+1-2", "0x1-2", "12-18446744073709551616"}) {
    const auto id = candidate_id(text);
    EXPECT_FALSE(id) << text;
    if (id) continue;
    EXPECT_THAT(id.error().render(), HasSubstr("12-345")) << text;
  }
}

}  // namespace
}  // namespace hoist::variants
