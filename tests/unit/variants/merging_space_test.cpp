// Stencils with merged work-items as a set of variants: counted, drawn, walked, made and refused.
#include "variants/merging_space.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "ir/print.hpp"
#include "support/executed.hpp"
#include "target/kinds.hpp"
#include "variants/alternatives.hpp"

namespace hoist::variants {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

const char* const star3d =
    "def f(u: [20][18][34]f32): [18][16][32]f32 = u |> slide3(3, 1) |> map3(n =>\n"
    "  0.5 * n[1][1][1] + 0.1 * n[0][1][1] + 0.1 * n[2][1][1] + 0.2 * n[1][0][1] + 0.3 * n[1][2][1]\n"
    "  + 0.4 * n[1][1][0] + 0.6 * n[1][1][2])\n";
const char* const rows2d =
    "def f(u: [16][36]f32): [16][32]f32 = u |> map(row => row |> slide(5, 1) |> map(n => n[0] + n[4]))\n";

class Merging : public testing::Test {
 protected:
  ir::Arena arena;
  ExplorationOptions options = [] {
    ExplorationOptions made;
    made.target = target::usual_device(*target::profile_named("gpu"));
    return made;
  }();

  std::unique_ptr<const Variants> space(const std::string& text, SpaceKind kind = SpaceKind::Stencil) {
    options.space = kind;
    auto made = explore(testing_support::program_of(text), options);
    if (!made) throw std::runtime_error(made.error().render());
    return *std::move(made);
  }
  std::string refusal(const std::string& text) {
    options.space = SpaceKind::Stencil;
    const auto made = explore(testing_support::program_of(text), options);
    return made ? "it was explored" : made.error().render();
  }
  static std::vector<std::int64_t> values_of(const Variants& space, const CandidateId& id) {
    std::vector<std::int64_t> values;
    for (const Coordinate& each : space.coordinates(id)) values.push_back(each.value);
    return values;
  }
};

TEST_F(Merging, CountsWhatThePaperCounts) {
  const std::string cube =
      "def f(u: [258][258][258]f32): [256][256][256]f32 = u |> slide3(3, 1) |> map3(n => n[0][1][1] + "
      "n[2][1][1])";
  EXPECT_EQ(space(cube)->count(), 475875U);
  EXPECT_EQ(space(cube, SpaceKind::StencilAll)->count(), 50094000U);
}

TEST_F(Merging, HasTwelveCoordinates) {
  for (const char* text : {star3d, rows2d}) {
    const auto all = space(text, SpaceKind::StencilAll);
    const auto coordinates = all->coordinates(all->at(0));
    std::vector<std::string> names;
    for (const Coordinate& each : coordinates) names.push_back(each.name);
    EXPECT_THAT(names,
                ElementsAre("WX", "WY", "WZ", "BX", "BY", "BZ", "CX", "CY", "CZ", "VX", "LOCAL", "IMAGE"));
    EXPECT_EQ(coordinates[4].optimisation, "blockMerging");
    EXPECT_EQ(coordinates[4].dimension, 1U);
    EXPECT_EQ(coordinates[9].optimisation, "vectorWidth");
    EXPECT_EQ(coordinates[11].optimisation, "imageMemory");
  }
  const auto flat = space(rows2d);
  EXPECT_THAT(flat->values(flat->at(0), 2), ElementsAre(1));
}

TEST_F(Merging, RanksIdsAndCoordinatesAreTheSame) {
  for (const SpaceKind kind : {SpaceKind::Stencil, SpaceKind::StencilAll}) {
    const auto all = space(star3d, kind);
    Random random(3);
    for (int i = 0; i < 300; ++i) {
      const CandidateId id = all->draw(random);
      EXPECT_TRUE(all->contains(id));
      const auto values = values_of(*all, id);
      EXPECT_EQ(all->find(values), id);
      EXPECT_EQ(all->numbers(values).size(), 12U);
      const std::size_t coordinate = random.below(12);
      EXPECT_THAT(all->values(id, coordinate), Contains(values[coordinate]));
      for (const CandidateId& other : all->neighbours(id)) {
        EXPECT_TRUE(all->contains(other));
        EXPECT_NE(other, id);
      }
    }
    EXPECT_FALSE(all->contains({99, 0}));
    EXPECT_FALSE(all->find({1, 1, 1}));
  }
}

TEST_F(Merging, ConfigurationsAreThereTwiceWhereGroupsAreLearned) {
  const auto fixed = space(star3d), both = space(star3d, SpaceKind::StencilLaunched);
  EXPECT_EQ(both->count(), 2 * fixed->count());
  EXPECT_EQ(both->derivations(), 2 * fixed->derivations());
  EXPECT_EQ(both->derivation_summaries().size(), both->derivations());
  EXPECT_FALSE(both->contains({both->derivations(), 0}));
  Random random(3);
  std::set<std::int64_t> kinds;
  for (int i = 0; i < 200; ++i) {
    const CandidateId id = both->draw(random);
    const auto values = values_of(*both, id);
    ASSERT_EQ(values.size(), 13U);
    kinds.insert(values.back());
    EXPECT_EQ(both->find(values), id);
    EXPECT_EQ(both->numbers(values).size(), 13U);
    EXPECT_THAT(both->values(id, 12), ElementsAre(0, 1));
    EXPECT_EQ(both->coordinates(id).back().name, "FIXED");
    EXPECT_EQ(both->named_values(id).back(), std::pair(std::string("FIXED"), values.back()));
    auto others = values;
    others.back() = 1 - others.back();
    EXPECT_THAT(both->neighbours(id), Contains(both->find(others).value()));
    for (const CandidateId& other : both->neighbours(id)) EXPECT_TRUE(both->contains(other));
  }
  EXPECT_THAT(kinds, ElementsAre(0, 1));
  EXPECT_EQ(both->term({0, 7}).function, fixed->term({0, 7}).function);
  EXPECT_FALSE(both->find({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 2}));
  EXPECT_FALSE(both->find({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0}));
}

TEST_F(Merging, KernelsThatLearnTheirGroupsAreOneText) {
  options.target = target::with_usual_images(target::usual_device(*target::profile_named("gpu")));
  const auto all = space(star3d, SpaceKind::StencilLaunched);
  const auto compiled = [&](std::vector<std::int64_t> values, target::Language language) {
    lower::Options lowering;
    lowering.target = options.target;
    lowering.target.language = language;
    return driver::compile(all->term(all->find(values).value()), lowering).value();
  };
  // BX BY BZ CX CY CZ VX LOCAL IMAGE
  const std::vector<std::vector<std::int64_t>> others{{1, 1, 1, 2, 4, 4, 1, 0, 0},
                                                      {4, 1, 1, 2, 1, 8, 4, 0, 0},
                                                      {1, 1, 1, 1, 2, 2, 1, 1, 0},
                                                      {1, 1, 1, 2, 4, 4, 1, 0, 1}};
  for (const auto& other : others) {
    const auto with = [&](std::vector<std::int64_t> groups, std::int64_t fixed) {
      groups.insert(groups.end(), other.begin(), other.end());
      groups.push_back(fixed);
      return groups;
    };
    for (const auto language : {target::Language::Cuda, target::Language::OpenCL}) {
      const auto one = compiled(with({4, 2, 1}, 0), language), two = compiled(with({2, 4, 2}, 0), language);
      // OpenCL kernels declare their local memory, and so know how much that is.
      const bool is_learned = language == target::Language::Cuda || other[7] == 0;
      EXPECT_EQ(one.source == two.source, is_learned) << one.source << two.source;
      EXPECT_NE(compiled(with({4, 2, 1}, 1), language).source, compiled(with({2, 4, 2}, 1), language).source);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        EXPECT_TRUE(one.plan.kernels[0].launch.local[axis].is_constant(std::array{4, 2, 1}.at(axis)));
        EXPECT_TRUE(two.plan.kernels[0].launch.local[axis].is_constant(std::array{2, 4, 2}.at(axis)));
      }
      // Each launch gives the local memory that its own groups need.
      const auto bytes = [&](const driver::Compiled& made) { return made.dynamic_local_memory[0]; };
      const bool has_dynamic = other[7] == 1 && language == target::Language::Cuda;
      EXPECT_EQ(bytes(one), has_dynamic ? 4U * 6 * 6 * 4 : 0U);
      EXPECT_EQ(bytes(two), has_dynamic ? 4U * 4 * 10 * 6 : 0U);
    }
  }
}

TEST_F(Merging, EveryTechniqueIsANeighbour) {
  const auto all = space(star3d);
  std::set<std::size_t> techniques{0};
  for (const CandidateId& other : all->neighbours(all->at(0))) techniques.insert(other.derivation);
  EXPECT_EQ(techniques.size(), all->derivations());
}

TEST_F(Merging, LikelyOnesKeepTheDeviceBusy) {
  const std::string cube =
      "def f(u: [258][258][258]f32): [256][256][256]f32 = u |> slide3(3, 1) |> map3(n => n[0][1][1] + "
      "n[2][1][1])";
  const auto all = space(cube, SpaceKind::StencilAll);
  EXPECT_TRUE(all->is_mostly_slow());
  const std::vector<CandidateId> likely = all->sample_likely(500, 3);
  EXPECT_EQ(likely, all->sample_likely(500, 3));
  EXPECT_GT(likely.size(), 400U);
  std::set<std::pair<std::size_t, std::uint64_t>> different;
  std::set<std::size_t> techniques;
  for (const CandidateId& id : likely) {
    EXPECT_TRUE(all->contains(id));
    different.insert({id.derivation, id.point});
    techniques.insert(id.derivation);
    const auto v = values_of(*all, id);
    EXPECT_GE(v[0] * v[1] * v[2], 32);
    EXPECT_LE(v[0] * v[1] * v[2], 1024);
    EXPECT_LE(v[3] * v[4] * v[5], 64);
    EXPECT_LE(v[9], 4) << "16 bytes";
  }
  EXPECT_EQ(different.size(), likely.size());
  EXPECT_EQ(techniques.size(), 12U) << "3 widths, local memory or not, images or not";
  // Of a result that is too small for any device something is likely, too.
  EXPECT_FALSE(
      space("def f(u: [9]f32): [7]f32 = u |> slide(3, 1) |> map(n => n[0] + n[2])", SpaceKind::StencilAll)
          ->sample_likely(10, 1)
          .empty());
}

TEST_F(Merging, BothSetsAreComparedTogether) {
  const auto derived = space(star3d, SpaceKind::Derived), all = space(star3d, SpaceKind::StencilAll);
  const auto both = space(star3d, SpaceKind::Both);
  EXPECT_EQ(both->count(), derived->count() + all->count() / 2) << "all but those that read images";
  EXPECT_EQ(both->alternatives(), 1U);
  EXPECT_EQ(both->parts(), 1U);
  EXPECT_FALSE(derived->contains({0, 0, {}, 1})) << "ids of a set by itself name no other";
  for (const CandidateId& id : both->sample_likely(20, 5)) {
    EXPECT_EQ(both->find(values_of(*both, id)), id);
    EXPECT_EQ(both->numbers(values_of(*both, id)).size(),
              both->numbers(values_of(*both, both->at(0))).size());
  }
  const CandidateId merged{0, 7, {}, 1};
  EXPECT_EQ(to_string(merged), "1:0-7");
  EXPECT_EQ(both->term(merged).function, all->term({0, 7}).function);
  EXPECT_EQ(both->make(merged, {}).id, merged);
}

TEST_F(Merging, KindsAreTechniquesWithAndWithoutBlocksOfRows) {
  const auto both = space(star3d, SpaceKind::Both);
  const auto kind = [&](std::vector<std::int64_t> values) {
    values.insert(values.begin(), 1);
    return both->kind(both->find(values).value());
  };
  const auto plain = kind({8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0});
  EXPECT_EQ(plain, kind({4, 2, 1, 1, 1, 1, 2, 2, 1, 1, 0, 0}));
  EXPECT_NE(plain, kind({8, 1, 1, 1, 2, 1, 1, 1, 1, 1, 0, 0})) << "rows in registers";
  EXPECT_NE(plain, kind({8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0})) << "local memory";
  EXPECT_NE(plain, kind({8, 1, 1, 2, 1, 1, 1, 1, 1, 2, 0, 0})) << "vectors";
  EXPECT_EQ(kind({2, 2, 1, 4, 1, 1, 1, 1, 1, 4, 0, 0}), kind({2, 2, 1, 8, 1, 1, 1, 1, 1, 8, 0, 0}));
  EXPECT_NE(plain, both->kind({0, 0})) << "what rules derive";
  EXPECT_EQ(both->kind({0, 0}), both->kind({1, 0}));
}

TEST_F(Merging, ThreadsFindOfBothSetsWhatOneDoes) {
  const auto both = space(star3d, SpaceKind::Both);
  const std::vector<CandidateId> ids = both->sample_likely(30, 5);
  const auto one = both->look_at_all(ids, {}, 1), several = both->look_at_all(ids, {}, 4);
  ASSERT_EQ(one.size(), ids.size());
  ASSERT_EQ(several.size(), ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(one[i].id, ids[i]);
    EXPECT_EQ(several[i].id, ids[i]);
    EXPECT_EQ(several[i].values, one[i].values);
    EXPECT_EQ(several[i].discarded, one[i].discarded);
    EXPECT_EQ(several[i].features, one[i].features);
  }
}

TEST_F(Merging, BothSetsHaveEqualShares) {
  const auto both = space(
      "def f(u: [258][258][258]f32): [256][256][256]f32 = u |> slide3(3, 1) |> map3(n => n[0][1][1] + "
      "n[2][1][1])",
      SpaceKind::Both);
  std::array<std::size_t, 2> found{};
  for (const CandidateId& id : both->sample_likely(100, 5)) ++found.at(id.alternative);
  EXPECT_EQ(found[0], 50U);
  EXPECT_GE(found[1], 40U);
}

TEST_F(Merging, DrawsEveryConfigurationAlike) {
  // Configurations in thirds by rank; the derivations' shares differ.
  const auto all = space(star3d);
  Random random(7);
  constexpr int draws = 9000, parts = 30;
  std::vector<int> found(parts);
  std::vector<std::uint64_t> begins{0};
  for (const DerivationSummary& each : all->derivation_summaries())
    begins.push_back(begins.back() + each.points);
  for (int i = 0; i < draws; ++i) {
    const CandidateId id = all->draw(random);
    const std::uint64_t rank = begins[id.derivation] + id.point;
    ++found[rank * parts / all->count()];
  }
  double chi_squared = 0;
  const double expected = static_cast<double>(draws) / parts;
  for (const int each : found) chi_squared += (each - expected) * (each - expected) / expected;
  EXPECT_LT(chi_squared, 60) << "29 degrees of freedom: one in a thousand is above 58";
}

TEST_F(Merging, SamplesAreDifferentAndTheSameAgain) {
  const auto all = space(star3d);
  const auto once = all->sample(200, 5);
  EXPECT_EQ(once, all->sample(200, 5));
  std::set<std::string> names;
  for (const CandidateId& each : once) names.insert(to_string(each));
  EXPECT_EQ(names.size(), 200U);
}

TEST_F(Merging, StepsAreReplayed) {
  const ir::Program program = testing_support::program_of(star3d);
  const auto all = space(star3d, SpaceKind::StencilAll);
  std::vector<CandidateId> ids = all->sample(60, 9);
  for (std::size_t derivation = 0; derivation < all->derivations(); ++derivation)
    ids.push_back({derivation, 0});
  std::set<std::string> rules;
  for (const CandidateId& id : ids) {
    for (const rewrite::Step& step : all->steps(id)) rules.insert(step.rule);
    const auto again = replay(program, all->steps(id));
    ASSERT_TRUE(again) << again.error().render();
    EXPECT_EQ(again->function, all->derived(id).function);
    EXPECT_TRUE(ir::open_parameters(all->term(id).function).empty());
  }
  EXPECT_THAT(rules, testing::IsSupersetOf({"mergeItems(1)", "mergeItems(16)", "toImage(0)",
                                            "toLocal(0,0,1,0,0,flat)", "toLocal(0,0,1,0,0,boxes)"}));
}

TEST_F(Merging, GroupsAreAsTheConfigurationSays) {
  const auto all = space(star3d);
  // WX WY WZ BX BY BZ CX CY CZ VX LOCAL IMAGE
  for (const auto& values : std::vector<std::vector<std::int64_t>>{{8, 4, 2, 1, 1, 1, 2, 4, 4, 1, 0, 0},
                                                                   {4, 2, 1, 4, 1, 1, 2, 1, 8, 4, 0, 0},
                                                                   {8, 2, 2, 1, 1, 1, 4, 2, 2, 1, 1, 0}}) {
    const auto id = all->find(values);
    ASSERT_TRUE(id);
    const Candidate candidate = all->make(*id, {});
    ASSERT_EQ(candidate.discarded, "");
    ASSERT_EQ(candidate.plan->kernels.size(), 1U);
    const loop::LaunchRange& launch = candidate.plan->kernels[0].launch;
    const std::int64_t lengths[] = {32, 16, 18};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      EXPECT_TRUE(launch.local[axis].is_constant(values[axis]));
      const std::int64_t tile = values[axis] * values[3 + axis] * values[6 + axis];
      EXPECT_TRUE(launch.global[axis].is_constant((lengths[axis] + tile - 1) / tile * values[axis]));
    }
    const std::int64_t tile = (8 * 4 + 2) * (2 * 2 + 2) * (2 * 2 + 2);
    EXPECT_EQ(candidate.structure->local_memory, values[10] == 1 ? 4 * tile : 0);
  }
}

TEST_F(Merging, WhatTheDeviceCannotRunIsDiscardedWithAReason) {
  options.target.largest_image = {0, 0};
  options.target.max_group_size = 64;
  options.target.max_group_sizes = {64, 64, 4};
  options.target.local_memory = 2048;
  const auto all = space(star3d);
  const auto reason = [&](const std::vector<std::int64_t>& values) {
    const Candidate candidate = all->make(all->find(values).value(), {});
    return candidate.reason + ": " + candidate.discarded;
  };
  EXPECT_THAT(reason({32, 4, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0}), HasSubstr("group size: a work-group of 128"));
  EXPECT_THAT(reason({1, 1, 8, 1, 1, 1, 1, 1, 1, 1, 0, 0}), HasSubstr("along dimension 2"));
  EXPECT_THAT(reason({8, 4, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1}), HasSubstr("images: the device reads no images"));
  EXPECT_THAT(reason({16, 4, 1, 1, 1, 1, 2, 2, 1, 1, 1, 0}), HasSubstr("local memory: 4080 bytes"));
  EXPECT_EQ(reason({8, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0}), ": ");
}

TEST_F(Merging, BoundsLeaveOthersOut) {
  options.bounds["WX"] = {8, 16};
  options.bounds["LOCAL"] = {1, 1};
  const auto all = space(star3d);
  for (const CandidateId& id : all->sample(50, 1)) {
    const auto values = values_of(*all, id);
    EXPECT_TRUE(values[0] == 8 || values[0] == 16);
    EXPECT_EQ(values[10], 1);
  }
  options.bounds["t"] = {1, 2};
  EXPECT_THAT(refusal(star3d), HasSubstr("no candidate has a tuning parameter ?t"));
}

TEST_F(Merging, OtherProgramsAreRefusedWithTheReason) {
  EXPECT_THAT(refusal("def f(A: [8][8]f32, B: [8][8]f32): [8][8]f32 = A |> map(row => B |> transpose |>\n"
                      "  map(column => zip(row, column) |> map(*) |> reduce(+, 0.0)))"),
              HasSubstr("is no stencil"));
  EXPECT_THAT(refusal("def f(x: [9]f32): [4]f32 = x |> slide(3, 2) |> map(n => n[0] + n[2])"),
              HasSubstr("move along with it by one element"));
  EXPECT_THAT(refusal("def f(x: [9]f32): [9]f32 = x |> scan(+, 0.0)"), HasSubstr("it is no map"));
  EXPECT_THAT(refusal("def f(x: [9]f32): [9]f32 = x |> mapGlb(0, e => e + 1.0)"),
              HasSubstr("it says how it is computed"));
  EXPECT_THAT(refusal("def f(x: [2][2][2][2]f32): [2][2][2][2]f32 = x |> map(map(map(map(e => e + 1.0))))"),
              HasSubstr("more than three"));
}

TEST_F(Merging, RowsAreReadOnceByBlocks) {
  const auto all = space(star3d, SpaceKind::StencilAll);
  const auto loads = [&](std::int64_t blocks) {
    const auto id = all->find({32, 1, 1, 1, blocks, 1, 1, 1, 1, 1, 0, 0});
    return all->make(*id, {}).structure->global_loads;
  };
  EXPECT_EQ(loads(1), 7U);
  // Of each element the five that are in its own row and plane are its own; rows above and below are shared.
  EXPECT_EQ(loads(4), 4U * 5 + 2);
}

}  // namespace
}  // namespace hoist::variants
